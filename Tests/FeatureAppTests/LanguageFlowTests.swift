import Chronicle
import ChronicleTesting
import FeatureApp
import FeatureFlows
import FeatureRepositories
import Testing

@Suite struct LanguageFlowTests {
    private let question = Flow(id: 1, kind: "language", options: sevenLanguages)

    /// An app with an open language question.
    private func asking(_ state: App.State = .init()) -> App.State {
        var state = state
        state.flows = .init(items: [question])
        return state
    }

    @Test func `choosing a language offers the known ones and requests others`() {
        let store = appStore()
        store.send(
            .flows(.start(kind: "language")), logging: [.flows(.started(question)), .repositories(.loadLanguages)]
        ) { $0 = asking() }
        store.expect(.repositories(.languages))
        store.receive(
            .repositories(.languagesLoaded(["Rust", "Swift"])),
            logging: [.repositories(.languagesLoaded(["Rust", "Swift"])), .flows(.offered(1, options: ["Rust", "Swift"]))]
        ) {
            $0.repositories.languages = ["Rust", "Swift"]
            $0.flows = .init(items: [Flow(id: 1, kind: "language", options: ["Rust", "Swift"])])
        }
        store.send(.flows(.answer(1, "Rust")), logging: answered("Rust", thenReload: true)) {
            $0.flows = .init(items: [], nextID: 2)
            $0.repositories.language = "Rust"
            $0.repositories.isLive = true
            $0.repositories.loading = true
        }
        store.expect(.repositories(.fetch(language: "Rust")))
        store.close(.repositories(.fetch(language: "Rust")))
        store.finish()
    }

    private func answered(_ name: String, thenReload isFirst: Bool = false) -> [App.Action] {
        [.flows(.ended(1, result: name)), .repositories(.setLanguage(name))] + (isFirst ? [.repositories(.reload)] : [])
    }

    @Test func `an answer ends the flow, sets the language and loads its list`() {
        let store = appStore(asking(liveApp))
        store.send(.flows(.answer(1, "C++")), logging: answered("C++")) {
            $0.flows = .init(items: [], nextID: 2)
            $0.repositories.language = "C++"
            $0.repositories.loading = true
        }
        store.expect(.repositories(.fetch(language: "C++")))
        store.receive(.repositories(.loaded(language: "C++", [linux]))) {
            $0.repositories = .init(language: "C++", items: [linux], isLive: true)
        }
        store.finish()
    }

    @Test func `cancelling ends the flow and changes nothing else`() {
        let store = appStore(asking(liveApp))
        store.send(.flows(.cancel(1)), logging: [.flows(.ended(1, result: nil))]) { $0.flows = .init(items: [], nextID: 2) }
        store.expect(.repositories(.cancelLanguages))
        store.expectNoCommands()
        store.finish()
    }

    @Test func `a flow has exactly one result`() {
        let store = appStore(asking(liveApp))
        store.exhaustivity = .off
        store.origin = 1001
        store.send(.flows(.answer(1, "Java")))
        store.expect(.repositories(.fetch(language: "Java")))
        store.close(.repositories(.fetch(language: "Java")))
        store.origin = 1000
        store.refuse(.flows(.answer(1, "C")), name: "UnknownFlow")
        store.refuse(.flows(.cancel(1)), name: "UnknownFlow")
        #expect(store.state.repositories.language == "Java")
        #expect(store.state.flows.items.isEmpty)
        store.finish()
    }

    @Test func `a language that was not offered is refused, and the question remains`() {
        let store = appStore(asking())
        store.refuse(.flows(.answer(1, "Cobol")), name: "UnknownAnswer")
        store.refuse(.flows(.answer(1, "")), name: "UnknownAnswer")
        #expect(store.state == asking())
        store.finish()
    }

    @Test func `choosing again keeps the open question`() {
        let store = appStore(asking())
        store.send(.flows(.start(kind: "language")), logging: [])
        #expect(store.state.flows.flow(of: "language") == question)
        store.expectNoCommands()
        store.finish()
    }

    @Test func `a question survives a restart and is answered once`() throws {
        var state = App.State()
        try state.dispatch(.flows(.start(kind: "language")))
        var restarted = try App.State(canonical: state.canonicalBytes)
        #expect(restarted.flows.items[1] == question)
        try restarted.dispatch(.flows(.answer(1, "C#")))
        #expect(restarted.repositories.language == "C#")
        #expect(refusal(of: .flows(.answer(1, "C#")), in: restarted) == "UnknownFlow")
        #expect(try App.State(canonical: restarted.canonicalBytes) == restarted)
    }

    @Test func `a client can't dispatch the end of a flow`() {
        for fact in [.started(question), .ended(1, result: "C"), .offered(1, options: [])] as [Flows.Action] {
            #expect(refusal(of: .flows(fact), in: asking()) == "FactNotAllowed")
            #expect(App.kind(of: .flows(fact)) == .event)
        }
    }

    @Test func `loaded languages change nothing if there is no question or they are the same`() throws {
        #expect(
            try App.prepare(.repositories(.languagesLoaded(["Go"])), App.State(), .test) == [
                .repositories(.languagesLoaded(["Go"]))
            ])
        #expect(try App.prepare(.repositories(.languagesLoaded(sevenLanguages)), asking(), .test) == [])
    }
}
