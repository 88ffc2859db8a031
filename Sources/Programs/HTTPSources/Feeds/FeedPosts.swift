public import Chronicle
public import DataSources
import FeaturePosts
import Synchronization

/// Posts of an RSS 2.0 or Atom feed, including the pages linked with `rel="next"` (RFC 5005).
///
/// The first page is requested conditionally (ETag, Last-Modified), and its content is cached.
public final class FeedPosts: PostSource {
    public static let pagesMax: Int64 = 100

    private let client: WebClient
    private let address: WebAddress
    private let setting: String
    private let known = Mutex(Known())

    private struct Known {
        var addresses: [Int64: WebAddress] = [:]
        var first: (page: Page, marks: [(name: String, value: String)])?
    }

    private struct Page: Sendable {
        var posts: [Post]
        var next: WebAddress?
    }

    /// `setting` is the setting of the address, for errors.
    public init(_ client: WebClient, _ address: WebAddress, setting: String) {
        self.client = client
        self.address = address
        self.setting = setting
    }

    /// Fetches a page; after a restart it also fetches the previous pages, because each page names the address of the next.
    public func page(_ page: Int64, _ ticket: CommandTicket) async throws(CommandFailure) -> PostPage {
        guard page >= 1, page <= Self.pagesMax else { return PostPage(posts: [], nextPage: 0) }
        var number = known.withLock { $0.addresses.keys.filter { $0 <= page }.max() } ?? 1
        while true {
            let found = try await fetch(number)
            if number == page {
                return PostPage(posts: found.posts, nextPage: found.next != nil && page < Self.pagesMax ? page + 1 : 0)
            }
            guard found.next != nil else { return PostPage(posts: [], nextPage: 0) }
            number += 1
        }
    }

    private func fetch(_ number: Int64) async throws(CommandFailure) -> Page {
        let (place, last) = known.withLock { ($0.addresses[number], number == 1 ? $0.first : nil) }
        let accept = "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1"
        var request = WebRequest(place ?? address, setting: setting)
        request.configured = address
        request.headers = [("accept", accept)] + (last?.marks ?? [])
        let found = try await client.call(request) {
            (answer) async throws(CommandFailure) -> (page: Page, marks: [(name: String, value: String)])? in
            if answer.status == 304 { return nil }
            guard answer.status == 200 else { throw CommandFailure(answer, setting: setting) }
            var marks: [(name: String, value: String)] = []
            if let tag = answer.header("etag") { marks.append(("if-none-match", tag)) }
            if let date = answer.header("last-modified") { marks.append(("if-modified-since", date)) }
            return (try await Self.read(answer, setting: setting), marks)
        }
        guard let page = found?.page ?? last?.page else {
            throw CommandFailure(
                "\(address.host) answered “not modified” to an unconditional request.", isPermanent: true)
        }
        known.withLock { known in
            if number == 1, let found { known.first = found.marks.isEmpty ? nil : found }
            known.addresses[number + 1] = page.next
        }
        return page
    }

    private static func read(_ answer: WebAnswer, setting: String) async throws(CommandFailure) -> Page {
        let host = answer.address.host
        let scanner = XMLScanner()
        var reader = FeedReader(from: answer.address)
        var block: [UInt8]?
        repeat {
            block = try await answer.block()
            do throws(XMLFailure) {
                for event in try scanner.events(in: block) { reader.take(event) }
            } catch {
                let reason =
                    switch error {
                    case .malformed(let words, let line): "line \(line): \(words)"
                    case .entities: "it declares entities, and no feed needs them"
                    case .tooDeep: "it is nested deeper than \(XMLScanner.depthMax)"
                    }
                throw CommandFailure("The feed of \(host) can't be read: \(reason).", isPermanent: true)
            }
        } while block != nil && !reader.isFull
        guard reader.isFeed else {
            throw CommandFailure(
                "\(host) sent something that is neither RSS 2.0 nor Atom. Check \(setting).", isPermanent: true)
        }
        return Page(posts: reader.entries, next: reader.next)
    }
}
