public import Chronicle
import Curl
public import DataSources

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
