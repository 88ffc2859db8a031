import Chronicle
import ChronicleTesting
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import Testing

extension Question {
    /// The scope of a question within the flows.
    static func scope(_ id: UInt64) -> Scope<Flows, Question> {
        Scope(
            state: { State(flow: $0.items[id]) },
            modify: { flows, change in
                var state = State(flow: flows.items[id])
                change(&state)
                if let flow = state.flow { flows.items.update(id) { $0 = flow } } else { flows.items.remove(id) }
            },
            embed: { action in
                switch action {
                case .answer(let text): .answer(id, text)
                case .cancel: .cancel(id)
                case .ended(let result): .ended(id, result: result)
                }
            },
            extract: { action in
                switch action {
                case .answer(id, let text): .answer(text)
                case .cancel(id): .cancel
                case .ended(id, let result): .ended(result)
                default: nil
                }
            })
    }

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        guard state.flow != nil else { throw Refusal("UnknownFlow", "the question is not open") }
        return switch action {
        case .answer(let text): [.ended(text)]
        case .cancel: [.ended(nil)]
        case .ended: [action]
        }
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        if case .ended = action { state.flow = nil }
        return []
    }
}

@Suite struct QuestionTests {
    private let colour = Flow(id: 1, kind: "colour", options: ["red"])
    private let size = Flow(id: 2, kind: "size")

    @Test func `a feature two levels below the app sees only its slice`() {
        let path = App.flows.scope.appending(Question.scope(1))
        var state = App.State(flows: .init(items: [colour, size]))
        #expect(path.state(state) == Question.State(flow: colour))
        #expect(path.embed(.answer("red")) == .flows(.answer(1, "red")))
        #expect(path.extract(.flows(.cancel(1))) == .cancel)
        #expect(path.extract(.flows(.cancel(2))) == nil)
        #expect(path.extract(.counter(.reset)) == nil)
        path.modify(&state) { $0.flow = nil }
        #expect(state.flows.items.elements == [size])
    }

    @Test func `a question can be asked, answered and cancelled within the whole app`() {
        let store = appStore(App.State(flows: .init(items: [colour, size])))
        let (first, second) = (App.flows.scope.appending(Question.scope(1)), App.flows.scope.appending(Question.scope(2)))
        store.refuse(first.embed(.answer("blue")), name: "UnknownAnswer")
        store.send(first.embed(.answer("red")), logging: [first.embed(.ended("red"))]) { state in
            first.modify(&state) { $0.flow = nil }
        }
        store.refuse(first.embed(.answer("red")), name: "UnknownFlow")
        #expect(second.state(store.state).flow == size)
        store.send(second.embed(.cancel), logging: [second.embed(.ended(nil))]) { state in
            second.modify(&state) { $0.flow = nil }
        }
        #expect(store.state.flows == Flows.State(items: [], nextID: 3))
        store.finish()
    }

    @Test func `a feature two levels down behaves like the app`() throws {
        for action in [.answer("red"), .cancel] as [Question.Action] {
            var question = Question.State(flow: colour)
            for logged in try Question.prepare(action, question, .test) { _ = Question.reduce(&question, logged, .test) }
            var app = App.State(flows: .init(items: [colour]))
            try app.dispatch(App.flows.scope.appending(Question.scope(1)).embed(action))
            #expect(question.flow == app.flows.items[1])
        }
    }

    @Test func `a change of one slice does not notify watchers of another`() throws {
        let bits = Dictionary(uniqueKeysWithValues: App.scopes.enumerated().map { ($1, ScopeSet(index: $0)) })
        let watched = try #require(bits["repositories.items"])
        var state = liveApp
        var deliveries = 0
        for action in [
            .flows(.start(kind: "welcome")), .flows(.cancel(1)), .counter(.increment), .posts(.fetch), .stars(.press("a")),
            .repositories(.setLanguage("C")), .repositories(.loadFailed(language: "C", reason: "no network")),
        ] as [App.Action] {
            let before = state
            try state.dispatch(action)
            if !App.changedScopes(from: before, to: state).isDisjoint(with: watched) { deliveries += 1 }
        }
        #expect(deliveries == 0)
        let before = state
        try state.dispatch(.repositories(.loaded(language: "C", [linux])))
        #expect(App.changedScopes(from: before, to: state).isSuperset(of: watched))
    }
}
