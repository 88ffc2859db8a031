import Chronicle
import DataSources
import FeaturePosts
import NIOHTTP1
import Testing

@testable import HTTPSources

@Suite(.timeLimit(.minutes(15))) struct `Posts of a feed` {
    static func feed(_ titles: [String], next: String? = nil) -> String {
        let link = next.map { "<link rel='next' href='\($0)'/>" } ?? ""
        let entries = titles.map { "<entry><id>\($0)</id><title>Post \($0)</title></entry>" }.joined()
        return "<feed xmlns='http://www.w3.org/2005/Atom'>\(link)\(entries)</feed>"
    }

    func posts(_ titles: [String]) -> [Post] { titles.map { Post(key: $0, title: "Post \($0)") } }

    @Test func `posts are fetched page by page along the links of the feed`() async throws {
        try await LoopbackServer.run { request in
            switch request.target {
            case "/feed": .answer(200, body: Self.feed(["1", "2"], next: "/feed?p=2"))
            case "/feed?p=2": .answer(200, body: Self.feed(["2", "3"], next: "/feed?p=3"))
            default: .answer(200, body: Self.feed(["4"]))
            }
        } _: { server in
            let client = WebClient()
            let source = FeedPosts(client, try server.web("/feed"), setting: "TODOD_POST_SOURCE")
            #expect(try await source.page(1, ticket) == PostPage(posts: posts(["1", "2"]), nextPage: 2))
            #expect(try await source.page(2, ticket) == PostPage(posts: posts(["2", "3"]), nextPage: 3))
            #expect(try await source.page(3, ticket) == PostPage(posts: posts(["4"]), nextPage: 0))
            #expect(try await source.page(4, ticket) == PostPage(posts: [], nextPage: 0))
            #expect(server.requests.value.map(\.target) == ["/feed", "/feed?p=2", "/feed?p=3", "/feed?p=3"])
        }
    }

    @Test func `later pages are found after a restart, when only the first page is known`() async throws {
        try await LoopbackServer.run { request in
            .answer(200, body: request.target == "/1" ? Self.feed(["1"], next: "/2") : Self.feed(["2"]))
        } _: { server in
            let client = WebClient()
            let source = FeedPosts(client, try server.web("/1"), setting: "TODOD_POST_SOURCE")
            #expect(try await source.page(2, ticket).posts == posts(["2"]))
            #expect(try await source.page(9, ticket) == PostPage(posts: [], nextPage: 0))
            #expect(try await source.page(FeedPosts.pagesMax + 1, ticket) == PostPage(posts: [], nextPage: 0))
            #expect(try await source.page(0, ticket) == PostPage(posts: [], nextPage: 0))
        }
    }

    @Test func `an unchanged feed is not sent again`() async throws {
        try await LoopbackServer.run { request in
            if request.headers.first(name: "if-none-match") == "\"v1\"" { return .answer(304) }
            return .answer(200, headers: [("etag", "\"v1\"")], body: Self.feed(["1"], next: "/2"))
        } _: { server in
            let client = WebClient()
            let source = FeedPosts(client, try server.web(), setting: "TODOD_POST_SOURCE")
            let first = try await source.page(1, ticket)
            #expect(first.posts == posts(["1"]))
            #expect(try await source.page(1, ticket) == first)
            #expect(server.requests.value.map { $0.headers.first(name: "if-none-match") } == [nil, "\"v1\""])
        }
    }

    @Test func `an unchanged answer to the first request is an error`() async throws {
        try await LoopbackServer.run { _ in
            .answer(304)
        } _: { server in
            let client = WebClient()
            let source = FeedPosts(client, try server.web(), setting: "TODOD_POST_SOURCE")
            let error = try await failure { try await source.page(1, ticket) }
            #expect(error.isPermanent)
            #expect(error.reason.contains("“not modified”"))
        }
    }

    @Test(arguments: [
        ("<rss version='2.0'><channel><item>", "can't be read: line 1: no element found."),
        ("<rss></channel>", "can't be read: line 1: mismatched tag."),
        ("<html/>", "neither RSS 2.0 nor Atom. Check TODOD_POST_SOURCE."),
        ("<!DOCTYPE a [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><rss>&b;</rss>", "it declares entities, and no feed needs them."),
        (String(repeating: "<a>", count: 65), "nested deeper than 64."),
        ("<?xml version='1.0' encoding='EBCDIC-XY'?><rss/>", "can't be read: line 1: unknown encoding."),
    ])
    func `a document that is not a feed is refused`(body: String, sentence: String) async throws {
        try await LoopbackServer.run { _ in
            .answer(200, body: body)
        } _: { server in
            let client = WebClient()
            let source = FeedPosts(client, try server.web(), setting: "TODOD_POST_SOURCE")
            let error = try await failure { try await source.page(1, ticket) }
            #expect(error.reason.hasSuffix(sentence))
            #expect(error.isPermanent)
        }
    }

    @Test func `external entities and document types of a feed are not fetched`() async throws {
        try await LoopbackServer.run { request in
            let place = "http://\(request.headers.first(name: "host") ?? "")/stolen"
            return .answer(
                200,
                body: request.target == "/entity"
                    ? "<!DOCTYPE rss [<!ENTITY x SYSTEM '\(place)'>]><rss><channel>&x;</channel></rss>"
                    : "<!DOCTYPE rss SYSTEM '\(place)'><rss version='2.0'><channel><item><title>One</title></item></channel></rss>"
            )
        } _: { server in
            let client = WebClient()
            let entity = FeedPosts(client, try server.web("/entity"), setting: "TODOD_POST_SOURCE")
            _ = try await failure { try await entity.page(1, ticket) }
            let type = FeedPosts(client, try server.web("/type"), setting: "TODOD_POST_SOURCE")
            #expect(try await type.page(1, ticket).posts.count == 1)
            #expect(server.requests.value.map(\.target) == ["/entity", "/type"])
        }
    }

    @Test func `an endless feed is read up to the limit`() async throws {
        let items = String(repeating: "<item><title>Again and again</title></item>", count: 100)
        try await LoopbackServer.run { _ in
            .chunks("<rss version='2.0'><channel>" + items, count: nil)
        } _: { server in
            let client = WebClient()
            // Each chunk opens a channel within the previous one, so only the first has items at the right depth.
            let error = try await failure {
                try await FeedPosts(client, try server.web(), setting: "TODOD_POST_SOURCE").page(1, ticket)
            }
            #expect(error.reason.contains("nested deeper"))
            await server.closed.wait { $0 == 1 }
        }
    }

    @Test func `a feed with 10,000 items yields the first 500`() async throws {
        let items = (1...10_000).map { "<item><title>Post \($0)</title></item>" }.joined()
        try await LoopbackServer.run { _ in
            .answer(200, body: "<rss version='2.0'><channel>\(items)</channel></rss>")
        } _: { server in
            let client = WebClient()
            let page = try await FeedPosts(client, try server.web(), setting: "TODOD_POST_SOURCE").page(1, ticket)
            #expect(page.posts.count == FeedReader.entriesMax)
            #expect(page.nextPage == 0)
        }
    }
}
