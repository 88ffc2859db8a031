import FeatureApp
import FeatureCounter
import FeatureTodos
import Fields
import Testing

/// A root above the app: the app and a counter of its own.
private enum House: Feature {
    struct State: Fielded {
        var app = App.State()
        var doors = Counter.State()

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.child(1, "app", App.self, &app)
            try visitor.child(2, "doors", Counter.self, &doors)
        }
    }

    enum Action: Sendable, Equatable {
        case app(App.Action)
        case doors(Counter.Action)
    }

    typealias Command = Never

    static let app = Embedding<House, App>(
        "app",
        Scope(
            state: { $0.app }, modify: { $1(&$0.app) }, embed: Action.app,
            extract: { if case .app(let action) = $0 { action } else { nil } }))
    static let doors = Embedding<House, Counter>(
        "doors",
        Scope(
            state: { $0.doors }, modify: { $1(&$0.doors) }, embed: Action.doors,
            extract: { if case .doors(let action) = $0 { action } else { nil } }))

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        if let actions = try app.prepare(action, state, context) { return actions }
        return try doors.prepare(action, state, context) ?? []
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        _ = app.reduce(&state, action, context)
        return doors.reduce(&state, action, context) ?? []
    }

    static func created(by action: Action) -> [UInt64] { app.created(by: action) ?? doors.created(by: action) ?? [] }

    static func scopes(of action: Action) -> ScopeSet { app.scopes(of: action).union(doors.scopes(of: action)) }

    static func indexedScope(of action: Action) -> ScopeSet { app.indexedScope(of: action).union(doors.indexedScope(of: action)) }
}

@Suite struct NestingTests {
    private func bits(_ names: String...) -> ScopeSet {
        names.reduce(into: []) { $0.insert(ScopeSet(index: House.scopes.firstIndex(of: $1) ?? 63)) }
    }

    @Test func `scopes nest, and a grandchild is reached through both`() throws {
        let counter = House.app.scope.appending(App.counter.scope)
        var state = House.State()
        counter.modify(&state) { $0.count = 5 }
        #expect(state.app.counter.count == 5)
        #expect(counter.state(state) == Counter.State(count: 5))
        #expect(counter.embed(.reset) == .app(.counter(.reset)))
        #expect(counter.extract(.app(.counter(.increment))) == .increment)
        #expect(counter.extract(.app(.todos(.submit))) == nil)
        #expect(counter.extract(.doors(.increment)) == nil)
    }

    @Test func `an app works inside another as it does alone`() throws {
        var state = House.State()
        for action in [.app(.todos(.add([Todo(title: "Buy the milk")]))), .doors(.increment), .app(.counter(.decrement))]
            as [House.Action]
        {
            for logged in try House.prepare(action, state, .test) { #expect(House.reduce(&state, logged, .test).isEmpty) }
        }
        #expect(state.doors.count == 1 && state.app.counter.count == -1)
        #expect(House.view(of: state)["app"]?["todos"]?["title"] == "TODO - (1)")
        #expect(House.created(by: .app(.todos(.add([Todo(id: 1, title: "abc")])))) == [1])
        #expect(House.lists(of: state).map(\.path).contains("app.todos.items"))
        #expect(House.summary(of: state)["app"]?["counter"] == ["count": -1])
        #expect(House.view(of: state)["doors"] == ["count": 1, "sign": "positive"])
    }

    @Test func `a change two levels down is seen there, above it, and nowhere else`() throws {
        let old = House.State()
        var new = old
        _ = House.reduce(&new, .app(.counter(.increment)), .test)
        #expect(House.changedScopes(from: old, to: new) == bits("app", "app.counter", "app.counter.count"))
        #expect(House.scopes(of: .app(.counter(.reset))) == bits("app", "app.counter", "app.counter.count"))
        #expect(House.changes(from: old, to: new, limit: 9)?.map(\.path) == ["app.counter"])
        #expect(House.indexedScope(of: .app(.todos(.removeAt(index: 0)))) == bits("app.todos.items"))
    }
}
