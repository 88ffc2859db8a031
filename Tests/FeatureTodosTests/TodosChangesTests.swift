import FeatureTodos
import Fields
import TestSupport
import Testing

@Suite struct TodosChangesTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `drawing the changes ends in the same screen as drawing everything`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let first = random.state()
        var second = seed % 2 == 0 ? first : random.state()
        for _ in 0..<random.number(0..<20) { second.reduce(random.action()) }
        for (old, new) in [(first, second), (second, first)] {
            var screen = Screen(old, of: Todos.self)
            let changes = try #require(Todos.changes(from: old, to: new, limit: .max))
            for change in changes {
                let fits = screen.apply(change)
                #expect(fits)
            }
            #expect(screen == Screen(new, of: Todos.self))
            #expect(changes.isEmpty == (old == new))
            if !changes.isEmpty { #expect(Todos.changes(from: old, to: new, limit: changes.count - 1) == nil) }
        }
    }

    @Test func `from empty to full and back ends where it began`() throws {
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

    @Test func `typing changes the draft alone`() throws {
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

    @Test func `a change of the list is shown by row, not as a new list`() throws {
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

    @Test func `what ends as it began is no change`() throws {
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
