import Chronicle
import ChronicleTesting
import FeatureApp
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import Testing

@Suite struct CoordinatorTests {
    private let welcome = Flow(id: 1, kind: "welcome", options: ["repositories", "posts"])
    private let language = Flow(id: 2, kind: "language", parent: 1, options: sevenLanguages, input: "Swift")

    private func app(_ flows: Flow..., from state: App.State = .init()) -> App.State {
        var state = state
        state.flows = .init(items: flows)
        return state
    }

    @Test func `the root starts with the welcome for a new user, and with the repositories otherwise`() throws {
        let held = Flow(id: 2, kind: "welcome", parent: 1, options: welcome.options)
        #expect(
            try App.prepare(.flows(.start(kind: "root")), App.State(), .test) == [
                .flows(.started(Flow(id: 1, kind: "root"))), .flows(.started(held)),
            ])
        #expect(try App.prepare(.flows(.start(kind: "root")), liveApp, .test) == [.repositories(.reload)])
    }

    @Test func `the repositories flow shows them, is not stored and never returns`() {
        let store = appStore()
        store.send(.flows(.start(kind: "repositories")), logging: [.repositories(.reload)]) {
            $0.repositories.isLive = true
            $0.repositories.loading = true
        }
        store.expect(.repositories(.fetch(language: "Swift")))
        store.close(.repositories(.fetch(language: "Swift")))
        #expect(store.state.flows.items.isEmpty)
        store.finish()
    }

    @Test func `a flow starts a child, waits for its result and ends with it`() {
        let store = appStore(app(welcome))
        store.send(
            .flows(.answer(1, "repositories")), logging: [.flows(.started(language)), .repositories(.loadLanguages)]
        ) { $0 = app(welcome, language) }
        store.expect(.repositories(.languages))
        store.close(.repositories(.languages))
        store.refuse(.flows(.answer(1, "posts")), name: "FlowWaits")
        store.send(
            .flows(.answer(2, "C")),
            logging: [
                .flows(.ended(2, result: "C")), .repositories(.setLanguage("C")), .repositories(.reload),
                .flows(.ended(1, result: "repositories")),
            ]
        ) {
            $0.flows = .init(items: [], nextID: 3)
            $0.repositories = .init(language: "C", loading: true, isLive: true)
        }
        store.expect(.repositories(.fetch(language: "C")))
        store.close(.repositories(.fetch(language: "C")))
        store.finish()
    }

    @Test func `cancelling a child keeps its parent's question`() {
        let store = appStore(app(welcome, language))
        store.send(.flows(.cancel(2)), logging: [.flows(.ended(2, result: nil))]) {
            $0.flows = .init(items: [welcome], nextID: 3)
        }
        store.expect(.repositories(.cancelLanguages))
        store.send(.flows(.answer(1, "posts")), logging: [.flows(.ended(1, result: "posts")), .posts(.fetch)]) {
            $0.flows = .init(items: [], nextID: 3)
            $0.posts.loading = true
        }
        store.expect(.posts(.fetch(page: 1, into: .set)))
        store.close(.posts(.fetch(page: 1, into: .set)))
        store.finish()
    }

    @Test func `cancelling a parent cancels its child and changes nothing else`() {
        let store = appStore(app(welcome, language))
        store.send(.flows(.cancel(1)), logging: [.flows(.ended(2, result: nil)), .flows(.ended(1, result: nil))]) {
            $0.flows = .init(items: [], nextID: 3)
        }
        store.expect(.repositories(.cancelLanguages))
        store.expectNoCommands()
        store.finish()
    }

    @Test func `a flow that is already open becomes the child that the parent waits for`() throws {
        let running = Flow(id: 1, kind: "language", options: sevenLanguages)
        let later = Flow(id: 2, kind: "welcome", options: welcome.options)
        var state = app(running, later)
        let adopted = Flow(id: 1, kind: "language", parent: 2, options: sevenLanguages)
        #expect(
            try state.dispatch(.flows(.answer(2, "repositories"))) == [
                .flows(.started(adopted)), .repositories(.loadLanguages),
            ])
        #expect(state.flows.items.elements == [adopted, later])
        try state.dispatch(.flows(.answer(1, "Java")))
        #expect(state.flows.items.isEmpty && state.repositories.language == "Java")
    }

    @Test func `an answer that is not an option is refused`() {
        #expect(refusal(of: .flows(.answer(1, "stars")), in: app(welcome)) == "UnknownAnswer")
        #expect(refusal(of: .flows(.answer(1, "cancel")), in: app(Flow(id: 1, kind: "welcome"))) == "UnknownAnswer")
    }

    @Test func `a flow without a coordinator can't be started`() {
        for kind in ["weather", "", "LANGUAGE"] { #expect(refusal(of: .flows(.start(kind: kind)), in: .init()) == "UnknownKind") }
    }

    @Test func `an open flow of another release can be answered and cancelled`() throws {
        let old = Flow(id: 1, kind: "colour", options: ["red"])
        let below = Flow(id: 2, kind: "shade", parent: 1)
        #expect(try App.prepare(.flows(.answer(1, "red")), app(old), .test) == [.flows(.ended(1, result: "red"))])
        #expect(refusal(of: .flows(.answer(1, "blue")), in: app(old)) == "UnknownAnswer")
        #expect(try App.prepare(.flows(.answer(2, "dark")), app(old, below), .test) == [.flows(.ended(2, result: "dark"))])
        #expect(try App.prepare(.flows(.cancel(2)), app(old, below), .test) == [.flows(.ended(2, result: nil))])
    }
}
