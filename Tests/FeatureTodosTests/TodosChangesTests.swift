import Chronicle
import ChronicleTesting
import FeatureTodos
import TestSupport
import Testing

@Suite struct TodosChangesTests {
    @Test func `changes lead from an empty list to a full one and back`() throws {
        let empty = Todos.State()
        let full = Todos.State(items: [milk, dog, car], draft: "abc")
        var screen = Screen(empty, of: Todos.self)
        for change in try #require(Todos.changes(from: empty, to: full, limit: 10)) {
            let fits = screen.apply(change)
            #expect(fits)
        }
        #expect(screen == Screen(full, of: Todos.self))
        for change in try #require(Todos.changes(from: full, to: empty, limit: 10)) {
            let fits = screen.apply(change)
            #expect(fits)
        }
        #expect(screen == Screen(empty, of: Todos.self))
    }

    @Test func `typing changes only the draft`() throws {
        var state = Todos.State(items: [milk, dog])
        let before = state
        try state.dispatch(.updateText("Hello"))
        #expect(
            Todos.changes(from: before, to: state, limit: 10) == [
                Change(path: "", kind: .set, old: ["draft": ""], new: ["draft": "Hello"])
            ])
        #expect(Todos.changedScopes(from: before, to: state) == ScopeSet(index: 1))
        #expect(state.items.isIdentical(to: before.items))
    }

    @Test func `a change of the list is a change of rows`() throws {
        var state = Todos.State(items: [milk, dog, car])
        let before = state
        try state.dispatch(.remove(2))
        #expect(
            Todos.changes(from: before, to: state, limit: 10) == [
                Change(path: "items", kind: .remove, id: 2, at: 1, old: dog.value)
            ])
        state = before
        try state.dispatch(.move(3, to: 0))
        #expect(Todos.changes(from: before, to: state, limit: 10) == [Change(path: "items", kind: .move, id: 3, at: 0, from: 2)])
    }

    @Test func `a reverted change is not a change`() throws {
        var state = Todos.State(items: [milk, dog, car])
        let before = state
        try state.dispatch(.complete(1))
        try state.dispatch(.remove(2))
        try state.dispatch(.reopen(1))
        try state.dispatch(.putBack([PlacedTodo(dog, at: 1)]))
        #expect(Todos.changedScopes(from: before, to: state).isEmpty)
        #expect(Todos.changes(from: before, to: state, limit: 0) == [])
    }
}
