public import Chronicle
public import DataSources
public import FeatureRepositories
import Synchronization
import Varlink

/// GitHub's repository search.
///
/// Lists are requested conditionally (ETag), because responses with 304 don't count against the rate limit.
public final class GitHubRepositories: RepositorySource {
    private static let itemsMax = 30
    private static let languagesMax = 16
    private static let bodyBytesMax = 2 << 20

    private let api: GitHub
    private let lists = Mutex<[(language: String, tag: String, items: [Repository])]>([])

    public init(_ api: GitHub) { self.api = api }

    public func mostStarred(_ language: String, _ ticket: CommandTicket) async throws(CommandFailure) -> [Repository] {
        // Quoted because spaces and colons are search syntax.
        let words = "language:\"" + language.filter { $0 != "\"" && $0 != "\\" } + "\""
        var request = try api.request(
            ["search", "repositories"],
            query: [("q", words), ("sort", "stars"), ("order", "desc"), ("per_page", "\(Self.itemsMax)")])
        request.bodyBytesMax = Self.bodyBytesMax
        let last = lists.withLock { lists in lists.first { $0.language.utf8.elementsEqual(language.utf8) } }
        if let last { request.headers.append(("if-none-match", last.tag)) }
        let found = try await api.client.call(request) {
            (answer) async throws(CommandFailure) -> (tag: String?, items: [Repository])? in
            if answer.status == 304 { return nil }
            guard answer.status == 200 else { throw api.failure(answer) }
            let tag = answer.header("etag")
            return (tag, try Self.items(in: try await answer.bytes(), from: answer.address.host))
        }
        guard let items = found?.items ?? last?.items else {
            throw CommandFailure(
                "\(api.base.host) answered “not modified” to an unconditional request.", isPermanent: true)
        }
        if let found {
            lists.withLock { lists in
                lists.removeAll { $0.language.utf8.elementsEqual(language.utf8) }
                if let tag = found.tag { lists.append((language, tag, items)) }
                if lists.count > Self.languagesMax { lists.removeFirst() }
            }
        }
        return items
    }

    private static func items(in bytes: [UInt8], from host: String) throws(CommandFailure) -> [Repository] {
        let json: Value
        do {
            json = try Value(parsing: bytes, limits: JSONLimits(depthMax: 32, duplicateNames: .keep))
        } catch {
            throw CommandFailure("\(host) sent invalid JSON: \(error).", isPermanent: true)
        }
        guard let elements = json["items"]?.list else { throw unexpected(host) }
        var items: [Repository] = []
        for element in elements.prefix(itemsMax) {
            guard let id = element["id"]?.int, let number = UInt64(exactly: id), let name = element["full_name"]?.text else {
                throw unexpected(host)
            }
            let page = element["html_url"]?.text.flatMap { WebAddress($0) }
            items.append(
                Repository(
                    id: number, fullName: name.plain(bytesMax: Repositories.Limits.nameBytesMax),
                    description: (element["description"]?.text ?? "").plain(bytesMax: Repositories.Limits.descriptionBytesMax),
                    url: page?.text ?? "",
                    stars: min(max(element["stargazers_count"]?.int ?? 0, 0), Int64.exactMax)))
        }
        return items
    }

    private static func unexpected(_ host: String) -> CommandFailure {
        CommandFailure("\(host) sent an unexpected search result.", isPermanent: true)
    }
}
