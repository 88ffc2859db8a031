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

    @Test func `of two steps that were undone and redone together the one that is not skipped is there`() async throws {
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

    @Test func `an undo puts back nothing that never was`() async throws {
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

    @Test func `an undo of a reset puts back the count of the altered history`() async throws {
        let story = try await Story.tell { story in
            for action in [Counter.Action.increment, .increment, .reset] { try await story.dispatch(.counter(action)) }
            try await undo(story, .last(1))
        }
        #expect(story.store.present.state.counter.count == 2)
        #expect(try await story.history.whatIf(WhatIfQuery([.skip(1...1)])).state.counter.count == 1)
    }

    @Test func `of undos that come to what was logged nothing is said, also where they are several records`() async throws {
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

    @Test func `an undo of what is edited takes back what that did`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(add("Milk"))
            try await story.dispatch(.counter(.increment))
            try await undo(story, .last(1))
        }
        // In the log the undo counts down; in the altered history there is a todo to take back.
        let answer = try await story.history.whatIf(WhatIfQuery([.edit(2, add("Bread"))]))
        #expect(titles(answer.state) == ["Milk"])
        #expect(answer.state.counter.count == 0)
        #expect(answer.events.map(\.kind) == [.edited, .anew])
    }

    @Test func `a redo of what is edited does the edited again`() async throws {
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

    @Test func `an edited record stands for all that was dispatched with it`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(.counter(.increment))
            try await story.dispatch(add("Milk"), add("Bread"), .counter(.increment))
            try await story.dispatch(.todos(.complete(1)))
        }
        let edit = Edit<App.Action>.edit(3, add("Oats", "Rye"))
        let answer = try await story.history.whatIf(WhatIfQuery([edit]))
        #expect(Set(titles(answer.state)) == ["Oats", "Rye"])
        #expect(answer.state.counter.count == 1)
        // They have the ids of the two that they stand for, so what came later finds them.
        #expect(Set(todos(answer.state).map(\.id)) == [1, 2])
        #expect(todos(answer.state).count { $0.completed != nil } == 1)
        #expect(answer.events.map(\.kind) == [.replaced, .edited, .replaced])
        let only = try await story.history.whatIf(WhatIfQuery([.edit(3, add("Oats"))], recordsOnly: true))
        #expect(Set(titles(only.state)) == ["Milk", "Oats"])
        #expect(only.state.counter.count == 2)
    }

    @Test func `an edited action keeps its ids also where those before it are skipped`() async throws {
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
