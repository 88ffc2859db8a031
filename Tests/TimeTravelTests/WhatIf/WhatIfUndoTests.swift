import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import FeatureCounter
import FeatureTodos
import Testing
import TimeTravel

@Suite struct WhatIfUndoTests {
    private func add(_ titles: String...) -> App.Action { .todos(.add(titles.map { Todo(title: $0) })) }

    private func titles(_ state: App.State) -> [String] { todos(state).map(\.title) }

    private func todos(_ state: App.State) -> [Todo] { state.todos.items.elements }

    private func undo(_ story: Story, _ choice: UndoChoice) async throws {
        _ = try await Undoer(story.store, story.history).undo(choice, UndoCall(origin: 1000))
    }

    @Test func `if one of two steps that were undone and redone together is skipped, the other one remains`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(add("Milk"))
            try await story.dispatch(add("Bread"))
            try await undo(story, .last(2))
            try await undo(story, .redo(1))
        }
        #expect(Set(titles(story.store.present.state)) == ["Milk", "Bread"])
        let without = try await story.history.whatIf(WhatIfQuery([.skip(1...1)]))
        #expect(titles(without.state) == ["Bread"])
        #expect(todos(without.state).map(\.id) == [2])
        #expect(titles(try await story.history.whatIf(WhatIfQuery([.skip(2...2)])).state) == ["Milk"])
        #expect(titles(try await story.history.whatIf(WhatIfQuery([.skip(1...2)])).state) == [])
    }

    @Test func `an undo of a removal restores nothing if the todo was never added`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(add("Milk"))
            try await story.dispatch(.todos(.remove(1)))
            try await undo(story, .last(1))
        }
        #expect(titles(story.store.present.state) == ["Milk"])
        let answer = try await story.history.whatIf(WhatIfQuery([.skip(1...1)]))
        #expect(titles(answer.state) == [])
        #expect(answer.events.map(\.kind) == [.skipped, .anew])
        #expect(!answer.changes.isEmpty)
    }

    @Test func `an undo of a reset restores the count of the altered history`() async throws {
        let story = try await Story.tell { story in
            for action in [Counter.Action.increment, .increment, .reset] { try await story.dispatch(.counter(action)) }
            try await undo(story, .last(1))
        }
        #expect(story.store.present.state.counter.count == 2)
        #expect(try await story.history.whatIf(WhatIfQuery([.skip(1...1)])).state.counter.count == 1)
    }

    @Test func `undos with the logged outcome are not reported, even if they have several records`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(add("Coffee"))
            try await story.dispatch(add("Milk", "Bread"))
            try await story.dispatch(.counter(.increment), .todos(.complete(2)), .counter(.increment))
            try await story.dispatch(.todos(.remove(3)))
            try await undo(story, .last(3))
            try await undo(story, .redo(1))
            try await undo(story, .last(1))
            try await story.dispatch(.counter(.increment))
        }
        let real = story.store.present.state
        let answer = try await story.history.whatIf(WhatIfQuery([.skip(1...1)]))
        #expect(answer.events.map(\.kind) == [.skipped])
        #expect(titles(answer.state) == titles(real).filter { $0 != "Coffee" })
        #expect(answer.state.counter.count == real.counter.count)
    }

    @Test func `an undo of an edited step undoes the edited action`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(add("Milk"))
            try await story.dispatch(.counter(.increment))
            try await undo(story, .last(1))
        }
        // In the log the undo decrements the counter. In the altered history it removes a todo.
        let answer = try await story.history.whatIf(WhatIfQuery([.edit(2, add("Bread"))]))
        #expect(titles(answer.state) == ["Milk"])
        #expect(answer.state.counter.count == 0)
        #expect(answer.events.map(\.kind) == [.edited, .anew])
    }

    @Test func `a redo of an edited step redoes the edited action`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(add("Milk"))
            try await undo(story, .last(1))
            try await undo(story, .redo(1))
            try await story.dispatch(.todos(.complete(1)))
        }
        let answer = try await story.history.whatIf(WhatIfQuery([.edit(1, add("Bread"))]))
        #expect(titles(answer.state) == ["Bread"])
        #expect(todos(answer.state).map { $0.completed != nil } == [true])
    }

    @Test func `an edit of a record replaces its whole dispatch`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(.counter(.increment))
            try await story.dispatch(add("Milk"), add("Bread"), .counter(.increment))
            try await story.dispatch(.todos(.complete(1)))
        }
        let edit = Edit<App.Action>.edit(3, add("Oats", "Rye"))
        let answer = try await story.history.whatIf(WhatIfQuery([edit]))
        #expect(Set(titles(answer.state)) == ["Oats", "Rye"])
        #expect(answer.state.counter.count == 1)
        // They have the ids of the two todos that they replace, so later records refer to them.
        #expect(Set(todos(answer.state).map(\.id)) == [1, 2])
        #expect(todos(answer.state).count { $0.completed != nil } == 1)
        #expect(answer.events.map(\.kind) == [.replaced, .edited, .replaced])
        let only = try await story.history.whatIf(WhatIfQuery([.edit(3, add("Oats"))], recordsOnly: true))
        #expect(Set(titles(only.state)) == ["Milk", "Oats"])
        #expect(only.state.counter.count == 2)
    }

    @Test func `an edited action keeps its ids even if earlier records are skipped`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(add("Milk"))
            try await story.dispatch(add("Bread"))
            try await story.dispatch(.todos(.complete(2)))
        }
        let answer = try await story.history.whatIf(WhatIfQuery([.skip(1...1), .edit(2, add("Oats"))]))
        #expect(todos(answer.state).map(\.id) == [2])
        #expect(todos(answer.state).map { $0.completed != nil } == [true])
    }
}
