import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import FeatureCounter
import FeatureStars
import FeatureTodos
import Testing
import TimeTravel

/// Tests of applying the outcome of an altered history to the present.
@Suite struct ApplyTests {
    private func add(_ titles: String...) -> App.Action { .todos(.add(titles.map { Todo(title: $0) })) }

    private func titles(_ desk: Desk) -> [String] { desk.state.todos.items.elements.map(\.title) }

    private func apply(
        _ edits: Edit<App.Action>..., key: String? = nil, isDryRun: Bool = false, at desk: Desk
    ) async throws -> Undone<App.Command> {
        try await desk.undoer.apply(WhatIfQuery(edits), UndoCall(origin: 1000, key: key, isDryRun: isDryRun))
    }

    @Test func `the outcome of an altered history is applied as one step, which can be undone as one`() async throws {
        try await Desk.open { desk in
            try await desk.do(add("Milk"))
            try await desk.do(.todos(.edit(1, TodoChanges(title: "Oat milk"))))
            try await desk.do(add("Bread"), .counter(.increment))
            let before = desk.state
            let tried = try await apply(.skip(2...2), .edit(3, add("Rye")), isDryRun: true, at: desk)
            #expect(desk.state == before && tried.answer.changes?.isEmpty == false)
            let done = try await apply(.skip(2...2), .insert(after: 4, add("Eggs")), at: desk)
            #expect(titles(desk) == ["Eggs", "Bread", "Milk"] && desk.state.counter.count == 1)
            #expect(done.step == 5)
            try await desk.undo()
            #expect(titles(desk) == ["Bread", "Oat milk"])
        }
    }

    @Test func `the applied state equals the state that a what-if query returns`() async throws {
        try await Desk.open { desk in
            try await desk.do(add("Milk", "Bread"))
            try await desk.do(.todos(.complete(1)))
            try await desk.do(.todos(.remove(2)))
            let queried = try await desk.history.whatIf(WhatIfQuery([.skip(3...3)]))
            _ = try await apply(.skip(3...3), at: desk)
            #expect(desk.state.withoutNextIDs == queried.state.withoutNextIDs)
        }
    }

    @Test func `an open command that the altered history would not have requested is cancelled`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.load))
            try await desk.do(add("Milk"))
            #expect(try await desk.store.commands().count == 1)
            _ = try await apply(.skip(1...1), at: desk)
            #expect(try await desk.store.commands().isEmpty)
            #expect(titles(desk) == ["Milk"])
        }
    }

    @Test func `external effects of commands that have already run are reported`() async throws {
        try await Desk.open { desk in
            try await desk.do(.stars(.press("apple/swift")))
            try await desk.bringBack()
            let applied = try await apply(.skip(1...1), isDryRun: true, at: desk)
            #expect(applied.effects.map(\.isCertain) == [true])
        }
    }

    @Test func `an event can't be used as an edit or an insertion`() async throws {
        try await Desk.open { desk in
            try await desk.do(add("Milk"))
            let fact = App.Action.todos(.loaded([Todo(title: "Never loaded")]))
            for edit in [Edit.edit(1, fact), .insert(after: 1, fact)] {
                await #expect(throws: StoreError.factNotAllowed(action: 0)) { try await apply(edit, at: desk) }
            }
            #expect(desk.head == 1)
        }
    }

    @Test func `an apply that is repeated with the same key is executed once`() async throws {
        try await Desk.open { desk in
            try await desk.do(.counter(.increment))
            let first = try await apply(.insert(after: 1, .counter(.increment)), key: "once", at: desk)
            let again = try await apply(.insert(after: 1, .counter(.increment)), key: "once", at: desk)
            #expect(again.answer.isDuplicate && again.step == first.step && desk.state.counter.count == 2)
            await #expect(throws: StoreError.keyReused) { try await apply(.skip(1...1), key: "once", at: desk) }
        }
    }
}
