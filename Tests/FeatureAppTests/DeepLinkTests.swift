import Chronicle
import FeatureApp
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import Testing

@Suite struct DeepLinkTests {
    static let links: [(String, App.Action)] = [
        ("todod:/", .flows(.start(kind: "root"))),
        ("todod:/repos", .flows(.start(kind: "repositories"))),
        ("todod:/repos/", .flows(.start(kind: "repositories"))),
        ("todod:/repos/Swift", .repositories(.browse("Swift"))),
        ("TODOD:/repos/Objective-C", .repositories(.browse("Objective-C"))),
        ("todod:/repos/C%2B%2B", .repositories(.browse("C++"))),
        ("todod:/repos/C++", .repositories(.browse("C++"))),
        ("todod:/repos/C%23", .repositories(.browse("C#"))),
        ("todod:/repos/a%2fb", .repositories(.browse("a/b"))),
        ("todod:/repos/caf%C3%A9", .repositories(.browse("caf\u{E9}"))),
        ("todod:/posts", .posts(.fetch)),
        ("todod:/flows/language", .flows(.start(kind: "language"))),
    ]

    @Test(arguments: links) func `a valid link has an action`(link: String, action: App.Action) throws {
        #expect(try DeepLink(link).action == action)
    }

    @Test(arguments: ["todod:/weather", "todod:/repos/Swift/stars", "todod:/todos/clear", "todod:/flows", "todod:/posts/1"])
    func `a link with an unknown path is refused`(link: String) {
        #expect(refusal(of: link) == "UnknownLink")
    }

    @Test(arguments: [
        "", "todod:", "repos/Swift", "http://example.org", "todod://repos/Swift", "todod:repos", "todod:/repos/C#",
        "todod:/repos?x",
        "todod:/repos/%", "todod:/repos/%4", "todod:/repos/%zz", "todod:/repos/%FF", "todod:/repos/a b", "todod:/repos/é",
        "todod:/repos/\u{1B}[2J", "todod:/" + String(repeating: "a", count: 2_042),
    ])
    func `an invalid link is refused`(link: String) {
        #expect(refusal(of: link) == "BadLink")
    }

    private func refusal(of link: String) -> String? {
        do {
            _ = try DeepLink(link)
            return nil
        } catch { return error.name }
    }

    @Test func `a link to a language shows its list, even before the first reload`() throws {
        let link = try DeepLink("todod:/repos/Java").action
        for var state in [App.State(), liveApp] {
            let logged = try state.dispatch(link)
            #expect(logged.first == .repositories(.setLanguage("Java")))
            #expect(state.repositories.language == "Java" && state.repositories.loading && state.repositories.isLive)
        }
        let unknown = try DeepLink("todod:/repos/Cobol").action
        #expect(FeatureAppTests.refusal(of: unknown, in: .init()) == "UnknownLanguage")
    }

    @Test func `a link only dispatches a command or a query`() throws {
        for (link, _) in Self.links {
            let kind = App.kind(of: try DeepLink(link).action)
            #expect(kind == .command || kind == .query, "\(link)")
        }
    }
}
