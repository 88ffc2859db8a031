import Chronicle
import FeatureApp
import FeatureCounter
import FeatureTodos
import Testing

@Suite struct NestingTests {
    private func bits(_ names: String...) -> ScopeSet {
        names.reduce(into: []) { $0.insert(ScopeSet(index: House.scopes.firstIndex(of: $1) ?? 63)) }
    }

    @Test func `scopes nest over two levels`() throws {
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

    @Test func `an app behaves the same inside another app`() throws {
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

    @Test func `a change two levels down is visible in its ancestors only`() throws {
        let old = House.State()
        var new = old
        _ = House.reduce(&new, .app(.counter(.increment)), .test)
        #expect(House.changedScopes(from: old, to: new) == bits("app", "app.counter", "app.counter.count"))
        #expect(House.scopes(of: .app(.counter(.reset))) == bits("app", "app.counter", "app.counter.count"))
        #expect(House.changes(from: old, to: new, limit: 9)?.map(\.path) == ["app.counter"])
        #expect(House.indexedScope(of: .app(.todos(.removeAt(index: 0)))) == bits("app.todos.items"))
    }
}
