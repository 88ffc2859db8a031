import Chronicle
import ChronicleTesting
import FeaturePosts
import TestSupport
import Testing

/// Encodings, scopes, changes and view of posts.
@Suite struct PostsFormTests {
    let full = Post(id: 1, key: "k", title: "t", link: "l", summary: "s", published: 1)

    @Test(arguments: 0..<10 as Range<UInt64>) func `the laws of a feature hold`(seed: UInt64) {
        var random = SeededGenerator(seed)
        checkLaws(
            of: Posts.self, states: (0..<6).map { _ in random.state() }, actions: (0..<30).map { _ in random.action() })
    }

    // The order of hash tables differs per process and must not have any effect.
    @Test func `decisions and folds have the same bytes in every process`() {
        var random = SeededGenerator(7)
        var state = Posts.State()
        var digest: UInt64 = 14_695_981_039_346_656_037
        for _ in 0..<1_000 {
            for logged in (try? Posts.prepare(random.action(), state, .test)) ?? [] {
                state.reduce(logged)
                for byte in logged.canonicalBytes + state.canonicalBytes { digest = (digest ^ UInt64(byte)) &* 1_099_511_628_211 }
            }
        }
        #expect(digest == 17_704_345_550_361_109_921)
    }

    @Test func `the encoding is stable`() throws {
        let post: [UInt8] = [4, 1, 9, 1, 0x6B, 13, 1, 0x74, 17, 1, 0x6C, 21, 1, 0x73, 24, 2]
        let page: [UInt8] = [5, 16] + post + [8, 4]
        #expect(full.canonicalBytes == post)
        #expect(Posts.State().canonicalBytes.isEmpty)
        #expect(Posts.State(items: [full], nextPage: 2, loading: true).canonicalBytes == page + [12, 1, 16, 1])
        #expect(Posts.Action.fetch.canonicalBytes == [5, 0])
        #expect(Posts.Action.more.canonicalBytes == [9, 0])
        #expect(Posts.Action.add(300).canonicalBytes == [13, 3, 4, 0xAC, 2])
        #expect(Posts.Action.set([full], nextPage: 2).canonicalBytes == [17, 20] + page)
        #expect(Posts.Action.append([full], nextPage: 2).canonicalBytes == [21, 20] + page)
        #expect(Posts.Action.append([], nextPage: 0).canonicalBytes == [21, 0])
        #expect(Posts.Action.failed("no").canonicalBytes == [25, 4, 5, 2, 0x6E, 0x6F])
        #expect(Posts.Command.fetch(page: 1, into: .set).canonicalBytes == [5, 2, 4, 2])
        #expect(Posts.Command.fetch(page: 2, into: .append).canonicalBytes == [5, 4, 4, 4, 8, 1])
        let patch = TablePatch(placed: [.init(full, at: 1)])
        #expect(
            Posts.Action.restore(patch, nextPage: 2).canonicalBytes == [29, 26, 5, 22, 9, 20, 5, 16] + post + [8, 1, 8, 4])
        for bytes in [[], [33, 0], [13, 0], [5, 1, 0], [5, 0, 9, 0], [13, 2, 8, 1], [25, 2, 4, 1]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Posts.Action(canonical: bytes) }
        }
        for bytes in [[], [9, 0], [5, 2, 8, 2], [5, 2, 12, 1], [5, 0, 5, 0]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Posts.Command(canonical: bytes) }
        }
    }

    @Test func `a state with a duplicate ID or key, an invalid ID or a negative page is an error`() {
        let encoded = { (posts: [Post], page: Int64, highest: UInt64) in
            var writer = CanonicalWriter()
            for post in posts { writer.message(1, post) }
            writer.field(2, page)
            writer.field(4, highest)
            return writer.bytes
        }
        let (a, b) = (post("a", id: 1), post("b", id: 2))
        #expect(throws: Never.self) { try Posts.State(canonical: encoded([b, a], 3, 2)) }
        #expect(throws: CanonicalError.self) { try Posts.State(canonical: encoded([a, post("b", id: 1)], 0, 2)) }
        #expect(throws: CanonicalError.self) { try Posts.State(canonical: encoded([a, post("a", id: 2)], 0, 2)) }
        #expect(throws: CanonicalError.self) { try Posts.State(canonical: encoded([post("a")], 0, 2)) }
        #expect(throws: CanonicalError.self) { try Posts.State(canonical: encoded([a, b], 0, 1)) }
        #expect(throws: CanonicalError.self) { try Posts.State(canonical: encoded([a], -1, 1)) }
    }

    @Test func `actions and commands are encoded by name`() throws {
        let pairs: [(Posts.Action, Value)] = [
            (.fetch, ["fetch": [:]]), (.more, ["more": [:]]), (.add(1), ["add": ["id": 1]]),
            (
                .set([full], nextPage: 2),
                [
                    "set": [
                        "items": [["id": 1, "key": "k", "title": "t", "link": "l", "summary": "s", "published": 1]],
                        "nextPage": 2,
                    ]
                ]
            ),
            (
                .append([Post(key: "k", title: "t")], nextPage: 0),
                ["append": ["items": [["key": "k", "title": "t"]], "nextPage": 0]]
            ),
            (.failed("gone"), ["failed": ["reason": "gone"]]),
        ]
        for (action, value) in pairs {
            #expect(action.value == value)
            #expect(try Posts.Action(value) == action)
        }
        let command = Posts.Command.fetch(page: 2, into: .append)
        #expect(command.name == "posts.fetch" && command.version == 1 && !command.isPresentational)
        #expect(command.arguments == ["page": 2, "into": "append"])
        #expect(throws: ValueMismatch("set.items[0].key", "this field is missing")) {
            try Posts.Action(["set": ["items": [["title": "t"]]]])
        }
        #expect(throws: ValueMismatch("fetch.page", "there is no such field")) { try Posts.Action(["fetch": ["page": 1]]) }
        #expect(throws: ValueMismatch("read", "there is no such action")) { try Posts.Action(["read": [:]]) }
    }

    @Test func `a state may omit default values, and must be valid`() throws {
        let (a, b) = (post("a", id: 1), post("b", id: 2))
        #expect(try Posts.State([:]) == Posts.State())
        #expect(try Posts.State(["items": [a.value, b.value]]) == Posts.State(items: [a, b]))
        #expect(throws: ValueMismatch("items[1].id", "this field is missing")) {
            try Posts.State(["items": [a.value, post("b").value]])
        }
        #expect(throws: ValueMismatch("items", "posts with different ids and keys are expected")) {
            try Posts.State(["items": [a.value, post("a", id: 2).value]])
        }
        #expect(throws: ValueMismatch.self) { try Posts.State(["items": [b.value], "nextID": 2]) }
        #expect(throws: ValueMismatch.self) { try Posts.State(["nextPage": -1]) }
        #expect(throws: ValueMismatch("colour", "there is no such field")) { try Posts.State(["colour": 1]) }
    }

    @Test func `the view has a title, a row for each post and whether there are more`() {
        #expect(Posts.view(of: Posts.State()) == ["title": "Posts - (0)", "loading": false, "moreEnabled": false, "rows": []])
        #expect(
            Posts.view(of: Posts.State(items: [full], nextPage: 2, loading: true)) == [
                "title": "Posts - (1)", "loading": true, "moreEnabled": true,
                "rows": [["id": 1, "title": "t", "link": "l", "published": 1]],
            ])
    }

    @Test func `fetching changes only the flag and does not notify watchers of the posts`() throws {
        var state = Posts.State(items: [full], nextPage: 2)
        let before = state
        try state.dispatch(.more)
        #expect(Posts.changedScopes(from: before, to: state) == ScopeSet(index: 2))
        #expect(Posts.scopes(of: .more) == ScopeSet(index: 2))
        #expect(state.items.isIdentical(to: before.items))
        #expect(Posts.scopes(of: .append([], nextPage: 0)).contains(ScopeSet(index: 0)))
        #expect(Posts.scopes(of: .add(1)).isEmpty)
    }
}
