import Chronicle
import ChronicleStore
import FeatureApp
import FeatureCounter
import FeatureTodos
import Testing
import TimeTravel

/// An undo with an expected outcome has the effect that its dry run showed, or is refused.
@Suite struct ExpectedOutcomeTests {
    private func add(_ title: String) -> App.Action { .todos(.add([Todo(title: title)])) }

    private func rename(_ id: UInt64, _ title: String) -> App.Action { .todos(.edit(id, TodoChanges(title: title))) }

    private func undo(
        _ choice: UndoChoice = .last(1), expecting outcome: UInt64?, insists: Bool = false, key: String? = nil,
        at desk: Desk
    ) async throws -> Undone<App.Command> {
        try await desk.undoer.undo(choice, UndoCall(origin: 1000, insists: insists, key: key, expectedOutcome: outcome))
    }

    private func titles(_ desk: Desk) -> [String] { desk.state.todos.items.elements.map(\.title) }

    @Test func `unrelated changes since a dry run do not prevent the undo that it showed`() async throws {
        try await Desk.open { desk in
            try await desk.do(add("Milk"))
            try await desk.do(rename(1, "Oat milk"))
            let shown = try await desk.undo(isDryRun: true).answer.outcome
            #expect(shown != nil)
            try await desk.do(.counter(.increment), by: 1001)
            try await desk.do(.todos(.updateText("b")), by: 1001)
            let done = try await undo(expecting: shown, at: desk)
            #expect(done.steps == [2] && titles(desk) == ["Milk"] && done.answer.outcome == nil)
        }
    }

    @Test func `added todos do not prevent the undo of a removal or a move`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add(["Milk", "Bread", "Soap"].map { Todo(title: $0) })))
            for action in [Todos.Action.remove(2), .move(3, to: 0)] {
                let step = try await desk.do(.todos(action))
                let shown = try await desk.undo(.steps([step]), isDryRun: true).answer.outcome
                try await desk.do(add("Tea"), by: 1001)
                #expect(try await undo(.steps([step]), expecting: shown, at: desk).steps == [step])
            }
            #expect(titles(desk).filter { $0 != "Tea" } == ["Milk", "Bread", "Soap"])
        }
    }

    @Test func `an expected outcome works even if the dry run had too many changes to list`() async throws {
        try await Desk.open { desk in
            let many = Limits.changesMax + 1
            let step = try await desk.do(.todos(.add((1...many).map { Todo(title: "Todo \($0)") })))
            let shown = try await desk.undo(.steps([step]), isDryRun: true).answer
            #expect(shown.changes == nil)
            try await desk.do(add("Tea"), by: 1001)
            _ = try await undo(.steps([step]), expecting: shown.outcome, at: desk)
            #expect(titles(desk) == ["Tea"])
        }
    }

    @Test func `an undo of another step than the dry run showed is refused`() async throws {
        try await Desk.open { desk in
            try await desk.do(add("Milk"))
            let shown = try await desk.undo(isDryRun: true).answer.outcome
            try await desk.do(.counter(.increment))
            await #expect(throws: StoreError.stale(current: 2)) { try await undo(expecting: shown, at: desk) }
            #expect(desk.head == 2 && titles(desk) == ["Milk"])
            #expect(try await undo(.steps([1]), expecting: shown, at: desk).steps == [1])
        }
    }

    @Test func `an undo that would overwrite another value than the dry run showed is refused`() async throws {
        try await Desk.open { desk in
            try await desk.do(add("Milk"))
            try await desk.do(rename(1, "Oat milk"))
            try await desk.do(rename(1, "Rice milk"), by: 1001)
            let shown = try await desk.undo(.steps([2]), insists: true, isDryRun: true).answer.outcome
            try await desk.do(rename(1, "Soy milk"), by: 1001)
            await #expect(throws: StoreError.stale(current: 4)) {
                try await undo(.steps([2]), expecting: shown, insists: true, at: desk)
            }
            #expect(titles(desk) == ["Soy milk"])
            let seen = try await desk.undo(.steps([2]), insists: true, isDryRun: true).answer.outcome
            _ = try await undo(.steps([2]), expecting: seen, insists: true, at: desk)
            #expect(titles(desk) == ["Milk"])
        }
    }

    @Test func `a revert that would undo more than the dry run showed is refused`() async throws {
        try await Desk.open { desk in
            try await desk.do(.counter(.increment))
            try await desk.do(.counter(.increment))
            func revert(expecting outcome: UInt64?) async throws {
                _ = try await desk.undoer.revert(to: .sequence(1), UndoCall(origin: 1000, expectedOutcome: outcome))
            }
            let shown = try await desk.undoer.revert(to: .sequence(1), UndoCall(origin: 1000, isDryRun: true)).undone.answer
                .outcome
            try await desk.do(.counter(.increment), by: 1001)
            await #expect(throws: StoreError.stale(current: 3)) { try await revert(expecting: shown) }
            #expect(desk.state.counter.count == 3)
            let seen = try await desk.undoer.revert(to: .sequence(1), UndoCall(origin: 1000, isDryRun: true)).undone.answer
                .outcome
            try await revert(expecting: seen)
            #expect(desk.state.counter.count == 1)
        }
    }

    @Test func `an altered history is not applied if its outcome differs from the dry run`() async throws {
        try await Desk.open { desk in
            try await desk.do(add("Milk"))
            try await desk.do(rename(1, "Oat milk"))
            let question = WhatIfQuery<App>([.skip(2...2)], origin: 1000)
            let shown = try await desk.undoer.apply(question, UndoCall(origin: 1000, isDryRun: true)).answer.outcome
            try await desk.do(rename(1, "Rice milk"), by: 1001)
            await #expect(throws: StoreError.stale(current: 3)) {
                try await desk.undoer.apply(question, UndoCall(origin: 1000, expectedOutcome: shown))
            }
            #expect(desk.head == 3)
        }
    }

    @Test func `an undo is refused if a command of the step has begun since the dry run`() async throws {
        try await Desk.open { desk in
            let step = try await desk.do(.todos(.load))
            let shown = try await desk.undo(.steps([step]), isDryRun: true).answer.outcome
            let command = try #require(try await desk.store.commands().first)
            try await desk.store.submit(.begin(command.id, attempt: 1))
            await #expect(throws: StoreError.stale(current: desk.head)) {
                try await undo(.steps([step]), expecting: shown, at: desk)
            }
        }
    }

    @Test func `an undo that is repeated with its key returns the first answer, whatever its outcome would be now`() async throws
    {
        try await Desk.open { desk in
            try await desk.do(add("Milk"))
            let shown = try await desk.undo(isDryRun: true).answer.outcome
            let first = try await undo(expecting: shown, key: "once", at: desk)
            try await desk.do(add("Bread"))
            let again = try await undo(expecting: shown, key: "once", at: desk)
            #expect(again.answer.isDuplicate && again.steps == first.steps && titles(desk) == ["Bread"])
        }
    }
}
