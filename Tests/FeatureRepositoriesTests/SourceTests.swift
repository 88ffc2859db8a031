import Chronicle
import FeatureRepositories
import Testing

/// The state stays within its limits for any response of an untrusted data source.
@Suite struct SourceTests {
    private func kept(_ items: [Repository]) throws -> [Repository] {
        let logged = try Repositories.prepare(.loaded(language: "Swift", items), .init(), .test)
        guard case .loaded(_, let kept) = logged.first else { return [] }
        return kept
    }

    @Test func `a duplicate repository, or one without an ID or name, is dropped`() throws {
        var again = swift
        again.description = "again"
        let nameless = Repository(id: 9, fullName: "")
        let long = Repository(id: 10, fullName: String(repeating: "a", count: 257))
        #expect(try kept([swift, again, Repository(id: 0, fullName: "zero"), nameless, long, vapor]) == [swift, vapor])
    }

    @Test func `only the first hundred of a long list are kept`() throws {
        let items = (1...150 as ClosedRange<UInt64>).map { Repository(id: $0, fullName: "a/\($0)") }
        #expect(try kept(items) == Array(items.prefix(100)))
    }

    @Test func `a long text is truncated and remains valid`() throws {
        let item = Repository(id: 1, fullName: "a/b", description: String(repeating: "€", count: 2_000))
        #expect(try kept([item]).first?.description == String(repeating: "€", count: 341))
        let reason = String(repeating: "x", count: 5_000)
        let logged = try Repositories.prepare(.loadFailed(language: "Swift", reason: reason), .init(), .test)
        #expect(logged == [.loadFailed(language: "Swift", reason: String(repeating: "x", count: 1_024))])
    }

    @Test(arguments: [
        ("https://github.com/a/b", true), ("http://example.org", true), ("HTTPS://EXAMPLE.ORG", true), ("", false),
        ("https://", false),
        ("javascript:alert(1)", false), ("file:///etc/passwd", false), ("https://a\nb", false), ("https://a b", false),
        ("//a.b", false),
    ])
    func `only web URLs are kept as pages`(url: String, isKept: Bool) throws {
        let item = try #require(try kept([Repository(id: 1, fullName: "a/b", url: url)]).first)
        #expect(item.url == (isKept ? url : ""))
    }

    @Test(arguments: [(-1, 0), (.min, 0), (.max, Int64.exactMax), (5, 5)] as [(Int64, Int64)])
    func `star counts are limited to exact integers of JSON clients`(stars: Int64, kept: Int64) throws {
        #expect(try self.kept([Repository(id: 1, fullName: "a/b", stars: stars)]).first?.stars == kept)
    }

    @Test func `duplicate, empty and long languages are dropped`() throws {
        let names = ["Rust", "", "Rust", String(repeating: "a", count: 101), "Go"]
        #expect(try Repositories.prepare(.languagesLoaded(names), .init(), .test) == [.languagesLoaded(["Rust", "Go"])])
        let many = (0..<2_000).map { "L\($0)" }
        #expect(try Repositories.prepare(.languagesLoaded(many), .init(), .test) == [.languagesLoaded(Array(many.prefix(1_000)))])
        #expect(try Repositories.prepare(.languagesLoaded([""]), .init(), .test) == [])
    }
}
