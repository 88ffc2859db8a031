import Chronicle
import ChronicleTesting
import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import Testing

/// Nested flows: their input, their results and what ends together.
@Suite struct FlowTreeTests {
    private let root = Flow(id: 1, kind: "root")
    private let welcome = Flow(id: 2, kind: "welcome", parent: 1, options: ["repositories", "posts"])
    private let question = Flow(id: 3, kind: "language", parent: 1, options: sevenLanguages)

    private func app(_ flows: Flow..., from state: App.State = .init()) -> App.State {
        var state = state
        state.flows = .init(items: flows)
        return state
    }

    @Test func `an open root holds the flows that are started`() {
        let store = appStore()
        store.send(.flows(.start(kind: "root")), logging: [.flows(.started(root)), .flows(.started(welcome))]) {
            $0 = app(root, welcome)
        }
        store.send(.flows(.start(kind: "language")), logging: [.flows(.started(question)), .repositories(.loadLanguages)]) {
            $0 = app(root, welcome, question)
        }
        store.expect(.repositories(.languages))
        store.close(.repositories(.languages))
        store.refuse(.flows(.answer(1, "posts")), name: "FlowWaits")
        // One of them ends, and the others continue.
        store.send(.flows(.answer(2, "posts")), logging: [.flows(.ended(2, result: "posts")), .posts(.fetch)]) {
            $0.flows = .init(items: [root, question])
            $0.posts.loading = true
        }
        store.expect(.posts(.fetch(page: 1, into: .set)))
        store.close(.posts(.fetch(page: 1, into: .set)))
        // The root ends with its last child.
        store.send(
            .flows(.answer(3, "C")),
            logging: [
                .flows(.ended(3, result: "C")), .repositories(.setLanguage("C")), .repositories(.reload),
                .flows(.ended(1, result: nil)),
            ]
        ) {
            $0.flows = .init(items: [], nextID: 4)
            $0.repositories = .init(language: "C", loading: true, isLive: true)
        }
        store.expect(.repositories(.fetch(language: "C")))
        store.close(.repositories(.fetch(language: "C")))
        store.finish()
    }

    @Test func `input passes down to a child, and its result passes up to the root`() throws {
        var state = app(root, welcome)
        state.repositories.language = "Java"
        try state.dispatch(.flows(.answer(2, "repositories")))
        let child = try #require(state.flows.flow(of: "language"))
        #expect(child.parent == 2 && child.input == "Java")
        #expect(child.options.first == "Java" && Set(child.options) == Set(sevenLanguages))
        // Languages that are loaded later are offered in the same order.
        try state.dispatch(.repositories(.languagesLoaded(["Go", "Java"])))
        #expect(state.flows.flow(of: "language")?.options == ["Java", "Go"])
        let restarted = try App.State(canonical: state.canonicalBytes)
        #expect(restarted == state)
        try state.dispatch(.flows(.answer(child.id, "Go")))
        #expect(state.flows.items.isEmpty && state.repositories.language == "Go")
    }

    @Test func `a flow held by the root can become the child of another flow`() throws {
        var state = app(root, welcome, question)
        try state.dispatch(.flows(.answer(2, "repositories")))
        #expect(state.flows.flow(of: "language")?.parent == 2)
        #expect(refusal(of: .flows(.answer(2, "posts")), in: state) == "FlowWaits")
        try state.dispatch(.flows(.answer(3, "C++")))
        #expect(state.flows.items.isEmpty && state.repositories.language == "C++")
    }

    @Test func `cancelling a flow cancels its requests without an alert`() {
        let store = appStore(App.State())
        store.exhaustivity = .off
        store.send(.flows(.start(kind: "language")))
        store.expect(.repositories(.languages))
        store.send(.flows(.cancel(1)))
        // The cancellation supersedes the request, which no longer returns a result.
        store.expect(.repositories(.cancelLanguages))
        store.expectNoCommands()
        store.finish()
        #expect(store.state.flows.items.isEmpty && store.state.alerts.items.isEmpty)
        #expect(store.logged.last?.action == .flows(.ended(1, result: nil)))
    }

    @Test func `cancelling the root cancels all descendants, the innermost first, and their requests`() {
        let inner = Flow(id: 3, kind: "language", parent: 2, options: sevenLanguages, input: "Swift")
        let store = appStore(app(root, welcome, inner))
        store.send(
            .flows(.cancel(1)),
            logging: [.flows(.ended(3, result: nil)), .flows(.ended(2, result: nil)), .flows(.ended(1, result: nil))]
        ) { $0.flows = .init(items: [], nextID: 4) }
        store.expect(.repositories(.cancelLanguages))
        store.expectNoCommands()
        store.finish()
    }

    @Test func `answering a flow cancels no request`() {
        let store = appStore(app(Flow(id: 1, kind: "language", options: sevenLanguages), from: liveApp))
        store.exhaustivity = .off
        store.send(.flows(.answer(1, "C")))
        store.expect(.repositories(.fetch(language: "C")))
        store.expectNoCommands()
        store.close(.repositories(.fetch(language: "C")))
        store.finish()
    }

    @Test func `starting an open flow returns its ID`() throws {
        let state = app(root, welcome, question)
        for (kind, id) in [("root", 1), ("welcome", 2), ("language", 3)] as [(String, UInt64)] {
            #expect(try App.prepare(.flows(.start(kind: kind)), state, .test) == [])
            #expect(App.existing(for: .flows(.start(kind: kind)), in: state) == [id])
        }
        #expect(App.existing(for: .flows(.start(kind: "repositories")), in: state) == [])
        #expect(App.existing(for: .flows(.cancel(1)), in: state) == [])
        #expect(App.existing(for: .counter(.reset), in: state) == [])
    }
}
