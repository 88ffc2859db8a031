import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import Testing
import TimeTravel

/// Tests of reverts of a single path, which keep all other changes.
@Suite struct RestoreTests {
    private let milk = App.Action.todos(.add([Todo(title: "Milk"), Todo(title: "Bread")]))

    private func rename(_ id: UInt64, _ title: String, at desk: Desk) async throws {
        try await desk.do(.todos(.edit(id, TodoChanges(title: title))))
    }

    private func restore(_ place: String, from sequence: UInt64, at desk: Desk) async throws {
        _ = try await desk.undoer.revert(try Path(place, of: App.shape), to: .sequence(sequence), UndoCall(origin: 1000))
    }

    private func undo(_ place: String, by uid: UInt32 = 1000, any: Bool = false, at desk: Desk) async throws -> [UInt64] {
        try await desk.undoer.undoLastChange(of: try Path(place, of: App.shape), UndoCall(origin: uid, isForAnyone: any)).steps
    }

    private func titles(_ desk: Desk) -> [String] { desk.state.todos.items.elements.map(\.title) }

    @Test func `a field is reverted, and other changes are kept`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            try await rename(1, "Oat milk", at: desk)
            try await desk.do(.todos(.complete(1)), .counter(.increment))
            try await restore("todos.items[1].title", from: 1, at: desk)
            #expect(titles(desk) == ["Milk", "Bread"])
            #expect(desk.state.todos.items[1]?.completed != nil && desk.state.counter.count == 1)
            #expect(try await desk.records(from: 5).map(\.header.restores) == [1])
            try await desk.undo()
            #expect(titles(desk) == ["Oat milk", "Bread"])
        }
    }

    @Test func `a removed element is restored with its id and position, and an element added since is removed`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            try await desk.do(.todos(.remove(1)))
            try await desk.do(.todos(.add([Todo(title: "Eggs")])))
            try await restore("todos.items[1]", from: 1, at: desk)
            #expect(desk.state.todos.items.elements.map(\.id) == [1, 3, 2])
            try await restore("todos.items[3]", from: 1, at: desk)
            #expect(desk.state.todos.items.elements.map(\.id) == [1, 2])
            #expect(desk.state.todos.nextID == 4)
        }
    }

    @Test
    func `a revert into the middle of a dispatch is refused, and the error names the moments before and after it`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "Water the plants", every: "every day")])))
            // Three records: the completion, the next occurrence, and an increment.
            try await desk.do(.todos(.complete(1)), .counter(.increment))
            try await desk.do(.counter(.increment))
            for middle in [UInt64(2), 3] {
                let refused = StoreError.withinChange(before: 1, after: 4)
                for place in [nil, "todos", "todos.items[1]", "counter.count"] {
                    let place = try place.map { try Path($0, of: App.shape) }
                    await #expect(throws: refused) {
                        try await desk.undoer.revert(place, to: .sequence(middle), UndoCall(origin: 1000))
                    }
                }
                await #expect(throws: refused) {
                    try await desk.undoer.revert(to: .back(5 - middle), UndoCall(origin: 1000, isDryRun: true))
                }
            }
            #expect(desk.head == 5)
            // At both boundaries the series continues: with the next occurrence, or with the first one.
            _ = try await desk.undoer.revert(to: .sequence(4), UndoCall(origin: 1000))
            #expect(desk.state.todos.items.elements.filter { !$0.every.isEmpty }.map(\.id) == [2])
            _ = try await desk.undoer.revert(to: .sequence(1), UndoCall(origin: 1000))
            #expect(desk.state.todos.items.elements.filter { !$0.every.isEmpty }.map(\.id) == [1])
        }
    }

    @Test func `a revert can go to a moment between a command and its result, or between steps`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.load))
            try await desk.bringBack()
            let loaded = desk.head
            for _ in 0..<2 { try await desk.do(.counter(.increment)) }
            for sequence in [loaded + 1, loaded, 1, 0] {
                let target = try await desk.undoer.revert(to: .sequence(sequence), UndoCall(origin: 1000, isDryRun: true)).target
                #expect(target == sequence)
            }
        }
    }

    @Test func `a repeated key returns the first answer, even if its moment lies within a dispatch now`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            try await desk.do(.todos(.remove(1)), .todos(.remove(2)), .counter(.increment))
            // Three records back is record 1 at first, and a record within the dispatch after the two records of the revert.
            let first = try await desk.undoer.revert(to: .back(3), UndoCall(origin: 1000, key: "k")).undone
            #expect(first.answer.sequences == 5..<7)
            let again = try await desk.undoer.revert(to: .back(3), UndoCall(origin: 1000, key: "k")).undone
            #expect(again.answer.isDuplicate && again.step == 5 && desk.head == 6)
        }
    }

    @Test func `a position in a path means the element that is there now`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            try await rename(2, "Rye", at: desk)
            try await desk.do(.todos(.remove(1)))
            try await restore("todos.items[@0].title", from: 1, at: desk)
            #expect(titles(desk) == ["Bread"])
        }
    }

    @Test func `a whole feature can be reverted alone`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk, .counter(.increment))
            try await desk.do(.todos(.remove(2)), .counter(.increment))
            try await restore("todos", from: 2, at: desk)
            #expect(titles(desk) == ["Milk", "Bread"] && desk.state.counter.count == 2)
            try await restore("counter.count", from: 0, at: desk)
            #expect(titles(desk) == ["Milk", "Bread"] && desk.state.counter.count == 0)
        }
    }

    @Test(arguments: ["todos.nextID", "todos.items[9]", "todos.items[2].title", "todos.items[@7]", "todos.items[1].reminded"])
    func `a path that can't be reverted alone is refused, and nothing is logged`(place: String) async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "Milk")])))
            try await desk.do(.todos(.add([Todo(title: "Bread")])))
            await #expect(throws: StoreError.noSuchPlace(place)) { try await restore(place, from: 1, at: desk) }
            #expect(desk.head == 2)
        }
    }

    @Test func `the changes of a path are undone one after another, and unrelated changes between them are skipped`() async throws
    {
        try await Desk.open { desk in
            try await desk.do(milk)
            try await rename(1, "Oat milk", at: desk)
            try await desk.do(.counter(.increment))
            try await rename(1, "Soy milk", at: desk)
            try await rename(2, "Rye", at: desk)
            #expect(try await undo("todos.items[1].title", at: desk) == [4])
            #expect(titles(desk) == ["Oat milk", "Rye"])
            #expect(try await undo("todos.items[1].title", at: desk) == [2])
            #expect(titles(desk) == ["Milk", "Rye"])
            // Only this todo is removed. The other todo of the same step is kept.
            #expect(try await undo("todos.items[1]", at: desk) == [1])
            #expect(titles(desk) == ["Rye"])
            await #expect(throws: StoreError.nothingToUndo) { try await undo("todos.items[1]", at: desk) }
        }
    }

    @Test func `an undone change of a path is skipped, and a redone one is not`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            try await rename(1, "Oat milk", at: desk)
            try await rename(1, "Soy milk", at: desk)
            try await desk.undo()
            #expect(try await undo("todos.items[1].title", at: desk) == [2])
            #expect(titles(desk)[0] == "Milk")
        }
        try await Desk.open { desk in
            try await desk.do(milk)
            try await rename(1, "Oat milk", at: desk)
            try await desk.undo()
            try await desk.undo(.redo(1))
            #expect(try await undo("todos.items[1].title", at: desk) == [2])
            #expect(titles(desk)[0] == "Milk")
        }
    }

    @Test func `a revert of a part, or an undo of an older step, is the last change of the whole`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "Base")])))
            let anton = try await desk.do(.todos(.add([Todo(title: "Anton")])))
            try await desk.do(.todos(.add([Todo(title: "Berta")])))
            let undo = try await desk.undo(.steps([anton])).step
            #expect(try await self.undo("todos.items", at: desk) == [undo])
            #expect(titles(desk) == ["Berta", "Anton", "Base"])
            try await rename(1, "Ground", at: desk)
            try await restore("todos.items[1].title", from: 1, at: desk)
            try await desk.do(.todos(.complete(2)))
            #expect(try await self.undo("todos.items", at: desk) == [desk.head - 1])
            #expect(titles(desk) == ["Berta", "Anton", "Base"])
        }
    }

    @Test func `an undone completion of a recurring todo does not restore its rule, and is not undone again`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "Water the plants", every: "every day")])))
            // The next occurrence has the rule.
            try await desk.do(.todos(.complete(1)))
            let done = desk.head
            #expect(try await undo("todos.items[1]", at: desk) == [2])
            #expect(desk.state.todos.items[1]?.completed == nil && desk.state.todos.items[1]?.every == "")
            #expect(desk.head == done + 1)
            // The undo itself is not a change to undo.
            #expect(try await undo("todos.items[1]", at: desk) == [1])
            #expect(titles(desk) == ["Water the plants"] && desk.state.todos.items[2] != nil)
            await #expect(throws: StoreError.nothingToUndo) { try await undo("todos.items[1]", at: desk) }
        }
    }

    @Test func `an undo skips only a limited number of changes of which nothing can be reverted`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "Water the plants", every: "every day")])))
            for week in 1...20 {
                try await desk.do(.todos(.edit(1, TodoChanges(every: week.isMultiple(of: 2) ? "every day" : "every week"))))
            }
            try await desk.do(.todos(.complete(1)))
            #expect(try await undo("todos.items[1]", at: desk) == [22])
            await #expect(throws: StoreError.nothingLeft(6)) { try await undo("todos.items[1]", at: desk) }
        }
    }

    @Test func `an undo of a change that was already reverted is a conflict`() async throws {
        try await Desk.open { desk in
            for _ in 0..<5 { try await desk.do(.counter(.increment)) }
            try await restore("counter.count", from: 3, at: desk)
            #expect(await desk.error(.steps([5])) == .conflict([Conflict("counter.count", expected: .int(5), found: .int(3))]))
            try await desk.undo(.steps([2]))
            #expect(desk.state.counter.count == 2)
        }
    }

    @Test func `the change of another user is undone only on explicit request`() async throws {
        try await Desk.open { desk in
            try await desk.do(.counter(.increment), by: 1001)
            await #expect(throws: StoreError.notYourStep(1, uid: 1001)) { try await undo("counter.count", at: desk) }
            #expect(try await undo("counter.count", any: true, at: desk) == [1])
            #expect(desk.state.counter.count == 0)
        }
    }

    @Test func `the changes that one step made to a path in several records are undone together`() async throws {
        try await Desk.open { desk in
            try await desk.do(.counter(.increment))
            try await desk.do(.counter(.increment), .counter(.increment), .counter(.increment))
            #expect(try await undo("counter.count", at: desk) == [2])
            #expect(desk.state.counter.count == 1)
        }
    }
}
