public import Chronicle
import Curl
public import DataSources

/// The GitHub API, or a compatible one.
public struct GitHub: Sendable {
    let client: WebClient
    let base: WebAddress
    /// The token file; `nil` means anonymous calls, which have a low rate limit.
    let tokenFile: TokenFile?
    private let addressSetting: String
    private let tokenSetting: String

    public init(
        _ client: WebClient, base: WebAddress, tokenFile: TokenFile?, addressSetting: String, tokenSetting: String
    ) {
        (self.client, self.base, self.tokenFile) = (client, base, tokenFile)
        (self.addressSetting, self.tokenSetting) = (addressSetting, tokenSetting)
    }

    func request(_ path: [String], query: [(name: String, value: String)] = []) throws(CommandFailure) -> WebRequest {
        guard let address = base.appending(path, query: query) else {
            throw CommandFailure("\(base.host) can't be asked for that: the address is too long.", isPermanent: true)
        }
        var request = WebRequest(address, setting: addressSetting)
        request.configured = base
        request.headers = [("accept", "application/vnd.github+json"), ("x-github-api-version", "2022-11-28")]
        if let tokenFile { request.token = try tokenFile.token() }
        return request
    }

    /// Maximum wait for a retry; a command that would have to wait longer fails.
    static let waitMax = Duration.seconds(120)

    func failure(_ answer: WebAnswer) -> CommandFailure {
        let host = answer.address.host
        let isLimited =
            answer.status == 429 || answer.header("retry-after") != nil || answer.header("x-ratelimit-remaining") == "0"
        if isLimited, answer.status == 403 || answer.status == 429 {
            let wait = answer.wait ?? .seconds(60)
            let advice = tokenFile == nil ? " With a token in \(tokenSetting) more is allowed." : ""
            return CommandFailure(
                "\(host) accepts no requests for \(wait.inWords). Try again then.\(advice)", isPermanent: wait > Self.waitMax,
                retryAfter: wait)
        }
        switch answer.status {
        case 401:
            return CommandFailure(
                "\(host) does not accept the token. Make a new one and put it into \(tokenFile?.path ?? tokenSetting).",
                isPermanent: true)
        case 403:
            let advice = tokenFile == nil ? "Set a token in \(tokenSetting)." : "Give the token the right to do this."
            return CommandFailure("\(host) refuses this (403). \(advice)", isPermanent: true)
        case 422:
            return CommandFailure("\(host) rejected the request (422).", isPermanent: true)
        default:
            return CommandFailure(answer, setting: addressSetting)
        }
    }
}

extension Duration {
    fileprivate var inWords: String {
        let seconds = components.seconds + (components.attoseconds > 0 ? 1 : 0)
        return seconds <= 120 ? "\(seconds) s" : "\((seconds + 59) / 60) min"
    }
}

/// Stars on GitHub; the id of a star is `OWNER/NAME`.
public struct GitHubStars: StarTarget {
    private let api: GitHub

    /// Stars of the user who owns the API's token.
    public init(_ api: GitHub) { self.api = api }

    public func set(_ id: String, starred: Bool, _ ticket: CommandTicket) async throws(CommandFailure) {
        let names = id.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard names.count == 2, names.allSatisfy(Self.isName) else {
            throw CommandFailure("“\(id.plain(bytesMax: 100))” is no repository. Its id is OWNER/NAME.", isPermanent: true)
        }
        var request = try api.request(["user", "starred"] + names)
        request.method = starred ? .put : .delete
        // The same for all attempts, so that a server or a log can recognize a retry.
        request.headers.append(("idempotency-key", ticket.id))
        _ = try await api.client.call(request) { (answer) async throws(CommandFailure) -> Bool in
            switch answer.status {
            case 200...299, 304: return true
            case 404:
                throw CommandFailure(
                    "\(answer.address.host) has no repository “\(id)”, or the token may not star it.", isPermanent: true)
            case 301, 302, 307, 308:
                throw CommandFailure("“\(id)” was renamed; look for it on \(answer.address.host).", isPermanent: true)
            default: throw api.failure(answer)
            }
        }
    }

    private static func isName(_ text: String) -> Bool {
        !["", ".", ".."].contains(text) && text == text.percentEncoded && !text.contains("~")
    }
}
