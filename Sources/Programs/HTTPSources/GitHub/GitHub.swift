import Reducing

/// GitHub's API, or one of its form: what its calls have in common.
public struct GitHub: Sendable {
    let client: WebClient
    /// Where the API begins: `https://api.github.com`.
    let base: WebAddress
    /// Where the token is kept; nil: calls are anonymous, and few are allowed.
    let tokenFile: TokenFile?
    let settings: Settings

    /// Where a person changes what the calls depend on.
    public struct Settings: Sendable, Equatable {
        /// The setting of the address.
        public var address: String
        /// The setting of the token.
        public var token: String

        /// Names the settings.
        public init(address: String, token: String) {
            self.address = address
            self.token = token
        }
    }

    /// An API that is called through the process's client.
    public init(_ client: WebClient, base: WebAddress, tokenFile: TokenFile?, settings: Settings) {
        self.client = client
        self.base = base
        self.tokenFile = tokenFile
        self.settings = settings
    }

    func request(_ path: [String], query: [(name: String, value: String)] = []) throws(CommandFailure) -> WebRequest {
        guard let address = base.appending(path, query: query) else {
            throw CommandFailure("\(base.host) can't be asked for that: the address is too long.", isPermanent: true)
        }
        var request = WebRequest(address, setting: settings.address)
        request.configured = base
        request.headers = [("accept", "application/vnd.github+json"), ("x-github-api-version", "2022-11-28")]
        if let tokenFile { request.token = try tokenFile.token() }
        return request
    }

    /// How long a command may wait by itself until the server answers again; for longer it is given up, and a person told.
    static let waitMax = Duration.seconds(120)

    /// What an answer that is no success means.
    func failure(_ answer: WebAnswer) -> CommandFailure {
        let host = answer.address.host
        let isLimited =
            answer.status == 429 || answer.header("retry-after") != nil || answer.header("x-ratelimit-remaining") == "0"
        if isLimited, answer.status == 403 || answer.status == 429 {
            let wait = answer.wait ?? .seconds(60)
            let advice = tokenFile == nil ? " With a token in \(settings.token) more is allowed." : ""
            return CommandFailure(
                "\(host) allows no more requests for \(wait.inWords). Try again then.\(advice)", isPermanent: wait > Self.waitMax,
                retryAfter: wait)
        }
        switch answer.status {
        case 401:
            return CommandFailure(
                "\(host) does not accept the token. Make a new one and put it into \(tokenFile?.path ?? settings.token).",
                isPermanent: true)
        case 403:
            let advice = tokenFile == nil ? "Set a token in \(settings.token)." : "Give the token the right to do this."
            return CommandFailure("\(host) refuses this (403). \(advice)", isPermanent: true)
        case 422:
            return CommandFailure("\(host) does not understand what it was asked for (422).", isPermanent: true)
        default:
            return CommandFailure(answer, setting: settings.address)
        }
    }
}

extension Duration {
    /// In seconds, or in minutes when it is more than two of them; rounded up.
    fileprivate var inWords: String {
        let seconds = components.seconds + (components.attoseconds > 0 ? 1 : 0)
        return seconds <= 120 ? "\(seconds) s" : "\((seconds + 59) / 60) min"
    }
}
