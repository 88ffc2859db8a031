import Chronicle
import ChronicleTesting
import FeaturePosts
import Testing

@Suite struct PostsTests {
    @Test func `fetch loads the first page, and more the next ones`() {
        let store = TestStore(Posts.State(), of: Posts.self)
        store.send(.fetch) { $0.loading = true }
        store.expect(.fetch(page: 1, into: .set))
        let (a, b, c) = (post("a", id: 1), post("b", id: 2), post("c", id: 3))
        store.receive(.set([post("a"), post("b")], nextPage: 2), logging: [.set([a, b], nextPage: 2)]) {
            $0 = Posts.State(items: [a, b], nextPage: 2)
        }
        store.send(.more) { $0.loading = true }
        store.expect(.fetch(page: 2, into: .append))
        store.receive(.append([post("b"), post("c")], nextPage: 0), logging: [.append([c], nextPage: 0)]) {
            $0 = Posts.State(items: [a, b, c])
        }
        store.refuse(.more, name: "NoMorePosts")
        store.finish()
    }

    @Test func `a failed fetch keeps the posts, and the next request works`() {
        let store = TestStore(Posts.State(items: [post("a", id: 1)], nextPage: 2), of: Posts.self)
        store.send(.more) { $0.loading = true }
        store.expect(.fetch(page: 2, into: .append))
        store.receive(.failed("no answer")) { $0.loading = false }
        store.send(.more) { $0.loading = true }
        store.expect(.fetch(page: 2, into: .append))
        store.receive(.append([], nextPage: 0)) {
            $0.loading = false
            $0.nextPage = 0
        }
        store.finish()
    }

    @Test func `setting replaces all posts, and the first one of a duplicate key applies`() throws {
        var state = Posts.State(items: [post("z", id: 1)])
        try state.dispatch(.set([post("b"), post("a"), Post(key: "b", title: "again")], nextPage: 0))
        #expect(state.keys == ["b", "a"])
        #expect(state.items.elements.first?.title == "About b")
    }

    @Test func `appending adds new posts at the end, and known ones keep their index`() throws {
        var state = Posts.State(items: [post("a", id: 1), post("b", id: 2)])
        try state.dispatch(.append([post("c"), post("a"), post("d"), post("c")], nextPage: 0))
        #expect(state.keys == ["a", "b", "c", "d"])
    }

    @Test func `appending to an empty list keeps the posts`() throws {
        var state = Posts.State()
        try state.dispatch(.append([post("a"), post("b")], nextPage: 7))
        #expect(state.keys == ["a", "b"])
        #expect(state.nextPage == 7)
    }

    @Test func `the fold never creates duplicate posts`() {
        var state = Posts.State()
        state.reduce(.set([post("a", id: 1), post("a", id: 2), post("b", id: 1), post("c", id: 3)], nextPage: -4))
        #expect(state.keys == ["a", "c"])
        #expect(state.nextPage == 0)
        state.reduce(.append([post("c", id: 4), post("d", id: 3), post("e", id: 5), post("f")], nextPage: 2))
        #expect(state.keys == ["a", "c", "e"])
        #expect(state.nextID == 6)
    }

    @Test func `a post keeps its ID while it is in the list`() throws {
        var state = Posts.State()
        try state.dispatch(.set([post("a"), post("b")], nextPage: 0))
        try state.dispatch(.set([post("c"), post("b"), post("a")], nextPage: 0))
        #expect(state.items.elements.map(\.id) == [3, 2, 1])
        try state.dispatch(.set([post("b")], nextPage: 0))
        try state.dispatch(.append([post("a")], nextPage: 0))
        #expect(state.items.elements.map(\.id) == [2, 4])
    }

    @Test func `posts with Unicode-equivalent keys of different bytes are different`() throws {
        var state = Posts.State()
        try state.dispatch(.set([post("\u{E9}"), post("e\u{301}")], nextPage: 0))
        #expect(state.items.count == 2)
        try state.dispatch(.append([post("e\u{301}"), post("\u{E9}")], nextPage: 0))
        #expect(state.items.count == 2)
    }

    @Test func `setting the same posts again changes nothing and shares storage`() throws {
        var state = Posts.State()
        try state.dispatch(.set([post("a"), post("b")], nextPage: 2))
        let before = state
        try state.dispatch(.set([post("a"), post("b")], nextPage: 2))
        #expect(Posts.changedScopes(from: before, to: state).isEmpty)
        #expect(state.items.isIdentical(to: before.items))
    }

    @Test func `the latest request wins`() throws {
        let state = Posts.State(items: [], nextPage: 2, loading: true)
        #expect(try Posts.prepare(.fetch, state, .test) == [.fetch])
        #expect(try Posts.prepare(.more, state, .test) == [.more])
        #expect(Posts.Command.fetch(page: 1, into: .set).policy == CommandPolicy(cancelID: "fetch"))
        #expect(Posts.Command.fetch(page: 2, into: .append).policy.cancelID == "fetch")
    }

    @Test func `every end without a result reports a failed fetch, unless fetching continues`() {
        let command = Posts.Command.fetch(page: 1, into: .set)
        #expect(Posts.ended(command, .failed("gone")) == .failed("gone"))
        #expect(Posts.ended(command, .skipped) == .failed("it was skipped"))
        #expect(Posts.ended(command, .cancelled) == .failed("it was cancelled"))
        #expect(Posts.ended(command, .superseded) == nil)
        #expect(Posts.ended(command, .parked("why")) == nil)
    }

    @Test func `adding a post as a todo does not change the posts`() throws {
        let state = Posts.State(items: [post("a", id: 1)])
        #expect(try Posts.post(1, in: state) == post("a", id: 1))
        #expect(try Posts.prepare(.add(1), state, .test) == [])
        #expect(refusal(of: .add(2), in: state) == "UnknownID")
    }

    @Test func `large posts are truncated and posts without a key are dropped`() throws {
        let long = { (count: Int) in String(repeating: "x", count: count) }
        let posts = [
            Post(key: "", title: "none"), Post(key: long(2049), title: "none"),
            Post(key: "a", title: long(5000), link: long(2049), summary: long(5000), published: .max),
            Post(key: long(2048), title: "fine", link: long(2048)),
        ]
        #expect(
            try Posts.prepare(.set(posts, nextPage: -1), Posts.State(), .test) == [
                .set(
                    [
                        Post(id: 1, key: "a", title: long(4096), summary: long(4096)),
                        Post(id: 2, key: long(2048), title: "fine", link: long(2048)),
                    ], nextPage: 0)
            ])
        #expect(try Posts.prepare(.failed(long(5000)), Posts.State(), .test) == [.failed(long(4096))])
    }

    @Test func `a page and the list have a maximum size`() throws {
        var state = Posts.State()
        for page in 0..<6 as Range<Int64> {
            let posts = (0..<1001).map { post("\(page) \($0)") }
            try state.dispatch(.append(posts, nextPage: page + 2))
            #expect(state.items.count == min(1000 * (Int(page) + 1), 5000))
            #expect(state.nextPage == (page < 5 ? page + 2 : 0))
        }
        let last = Posts.State(items: [post("last", id: ElementID.range.upperBound)])
        #expect(refusal(of: .append([post("a")], nextPage: 0), in: last) == "IDsExhausted")
        #expect(refusal(of: .set([post("last")], nextPage: 0), in: last) == nil)
    }
}
