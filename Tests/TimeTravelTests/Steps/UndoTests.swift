import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import FeatureCounter
import FeatureRepositories
import FeatureTodos
import Testing
import TimeTravel

@Suite struct UndoTests {
    let milk = App.Action.todos(.add([Todo(title: "Milk")]))

    @Test func `many steps are undone with one fold`() async throws {
        try await Desk.open { desk in
            for index in 0..<300 { try await desk.do(.todos(.add([.init(title: "Todo \(index)")]))) }
            let undone = try await desk.undo(.last(250))
            #expect(undone.steps == (51...300).reversed() && desk.state.todos.items.count == 50)
            #expect(desk.history.work.folded < 1_000)
            let folded = desk.history.work.folded
            #expect(try await desk.undo(.redo(1)).steps.count == 1)
            #expect(try await desk.undo(.steps((1...40).map { $0 })).steps.count == 40)
            #expect(desk.history.work.folded - folded < 2_000)
        }
    }

    @Test func `the last step is undone and redone, and the log only grows`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk, .counter(.increment))
            let done = desk.state
            let undone = try await desk.undo()
            #expect(undone.steps == [1] && undone.step == 3)
            #expect(desk.state.withoutNextIDs == App.State().withoutNextIDs)
            #expect(desk.state.todos.nextID == 2)
            let redone = try await desk.undo(.redo(1))
            #expect(redone.steps == [3])
            #expect(desk.state == done)
            try await desk.undo()
            #expect(desk.state.withoutNextIDs == App.State().withoutNextIDs)
            let records = try await desk.records()
            #expect(records.map(\.header.undoes) == [nil, nil, 1, 1, 3, 3, 5, 5])
            #expect(records.map(\.header.step) == [1, 1, 3, 3, 5, 5, 7, 7])
        }
    }

    @Test func `an undone removal restores the todo with its id, its times and its position`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk, milk, milk)
            try await desk.do(.todos(.complete(2)))
            let before = desk.state
            try await desk.do(.todos(.remove(2)))
            try await desk.undo()
            #expect(desk.state == before)
        }
    }

    @Test func `an undone removal restores the dependencies of a todo, even if they form a cycle now`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk, milk, milk)
            try await desk.do(.todos(.edit(1, TodoChanges(after: [2, 3]))))
            try await desk.do(.todos(.remove(1)))
            let removal = desk.head
            try await desk.do(.todos(.edit(2, TodoChanges(after: [1]))), .todos(.remove(3)))
            try await desk.undo(.steps([removal]))
            #expect(desk.state.todos.items[1]?.after == [2, 3] && desk.state.todos.items[2]?.after == [1])
            let back = try #require(desk.state.todos.items[1])
            try await desk.do(.todos(.remove(1)))
            let refused = await #expect(throws: StoreError.self) {
                try await desk.do(.todos(.putBack([PlacedTodo(back, at: 0)])))
            }
            guard case .refused(let refusal, 0)? = refused else { throw refused ?? .busy }
            #expect(refusal.name == "DependencyRing")
            try await desk.undo()
            try await desk.do(.todos(.complete(1)), .todos(.edit(2, TodoChanges(after: []))))
            #expect(desk.state.todos.items[1]?.after == [2, 3])
        }
    }

    @Test func `an increment before a reset can be undone only together with the reset`() async throws {
        try await Desk.open { desk in
            let increment = try await desk.do(.counter(.increment), .counter(.increment))
            let reset = try await desk.do(.counter(.reset), by: 1001)
            let conflict = StoreError.conflict([Conflict("counter.count", expected: .int(2), found: .int(0))])
            #expect(await desk.error() == conflict)
            #expect(await desk.error(.steps([increment])) == conflict)
            #expect(desk.state.counter.count == 0)
            try await desk.undo(.steps([reset, increment]), any: true)
            #expect(desk.state.counter.count == 0)
        }
    }

    @Test func `an increment before a reset can be undone alone only if the caller insists`() async throws {
        try await Desk.open { desk in
            let increment = try await desk.do(.counter(.increment))
            try await desk.do(.counter(.reset))
            #expect(await desk.error(.steps([increment])) != nil)
            try await desk.undo(.steps([increment]), insists: true)
            #expect(desk.state.counter.count == -1)
        }
    }

    @Test func `a reset that was undone, or that found a zero, is not a conflict for an undo`() async throws {
        try await Desk.open { desk in
            let nothing = try await desk.do(.counter(.increment), .counter(.decrement), .counter(.increment))
            let reset = try await desk.do(.counter(.reset))
            try await desk.undo(.steps([reset]))
            try await desk.do(.counter(.decrement))
            try await desk.do(.counter(.reset))
            try await desk.undo(.steps([nothing]))
            #expect(desk.state.counter.count == -1)
        }
    }

    @Test func `a redone reset is a conflict for an undo again`() async throws {
        try await Desk.open { desk in
            let increment = try await desk.do(.counter(.increment))
            try await desk.do(.counter(.reset))
            try await desk.undo()
            try await desk.undo(.redo(1))
            #expect(desk.state.counter.count == 0)
            #expect(await desk.error(.steps([increment])) != nil)
            #expect(try await desk.undo(.last(2)).steps.last == increment)
            #expect(desk.state.counter.count == 0)
        }
    }

    @Test func `an increment after a reset can be undone without a conflict`() async throws {
        try await Desk.open { desk in
            try await desk.do(.counter(.increment))
            try await desk.do(.counter(.reset))
            let later = try await desk.do(.counter(.increment))
            try await desk.do(.counter(.increment))
            try await desk.undo(.steps([later]))
            #expect(desk.state.counter.count == 1)
        }
    }

    @Test func `an undo skips typing, events, undos, and the steps of others`() async throws {
        try await Desk.open { desk in
            let step = try await desk.do(milk)
            try await desk.do(.todos(.updateText("br")))
            try await desk.do(.counter(.increment), by: 1001)
            try await desk.do(.repositories(.loadLanguages), by: 1001)
            try await desk.bringBack()
            let undone = try await desk.undo()
            #expect(undone.steps == [step])
            #expect(desk.state.counter.count == 1 && desk.state.todos.draft == "br" && desk.state.todos.items.isEmpty)
            #expect(await desk.error() == .nothingToUndo)
            #expect(await desk.error(.redo(1), by: 1001) == .nothingToRedo)
        }
    }

    @Test func `the last step of any user can be undone on explicit request`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            let theirs = try await desk.do(.counter(.increment), by: 1001)
            #expect(try await desk.undo(any: true).steps == [theirs])
            #expect(await desk.error(.steps([theirs + 1]), by: 1001) == .notYourStep(theirs + 1, uid: 1000))
            #expect(await desk.error(.steps([theirs]), by: 1001) == .alreadyUndone(theirs, by: theirs + 1))
        }
    }

    @Test func `a later change by another client is a conflict unless the caller insists`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            let step = try await desk.do(.todos(.edit(1, TodoChanges(title: "Oat milk"))))
            try await desk.do(.todos(.edit(1, TodoChanges(title: "Rice milk", note: "2 l"))), by: 1001)
            let head = desk.head
            #expect(
                await desk.error()
                    == .conflict([
                        Conflict("todos.items[1].title", expected: "Oat milk", found: "Rice milk")
                    ]))
            #expect(desk.head == head)
            #expect(try await desk.undo(insists: true).steps == [step])
            #expect(desk.state.todos.items[1]?.title == "Milk" && desk.state.todos.items[1]?.note == "2 l")
        }
    }

    @Test func `an undo of increments subtracts them and keeps the increments of others`() async throws {
        try await Desk.open { desk in
            try await desk.do(.counter(.increment), .counter(.increment), .counter(.increment))
            try await desk.do(.counter(.increment), by: 1001)
            try await desk.undo()
            #expect(desk.state.counter.count == 1)
        }
    }

    @Test func `several steps are undone at once, as one step that is redone as a whole`() async throws {
        try await Desk.open { desk in
            for _ in 0..<5 { try await desk.do(milk) }
            let done = desk.state
            #expect(try await desk.undo(.last(3)).steps == [5, 4, 3])
            #expect(desk.state.todos.items.elements.map(\.id) == [2, 1])
            let redone = try await desk.undo(.redo(1))
            #expect(desk.state == done)
            let undone = try await desk.undo(.steps([2, 4]))
            #expect(undone.steps == [4, 2])
            #expect(desk.state.todos.items.elements.map(\.id) == [5, 3, 1])
            #expect(await desk.error(.steps([2])) == .alreadyUndone(2, by: undone.step))
            #expect(await desk.error(.steps([6])) == .alreadyUndone(6, by: redone.step))
            #expect(redone.steps == [6])
        }
    }

    @Test func `a step can be named by any of its records, and an unknown step is an error`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk, milk, milk)
            #expect(await desk.error(.steps([4])) == .unknownStep(4))
            #expect(await desk.error(.steps([0])) == .unknownStep(0))
            #expect(try await desk.undo(.steps([3])).steps == [1])
        }
    }

    @Test func `undos are redone in reverse order until the user dispatches a new step`() async throws {
        try await Desk.open { desk in
            var states = [desk.state]
            for _ in 0..<4 {
                try await desk.do(milk)
                states.append(desk.state)
            }
            for count in [3, 2, 1] {
                try await desk.undo()
                #expect(desk.state.withoutNextIDs == states[count].withoutNextIDs)
            }
            try await desk.do(.counter(.increment), by: 1001)
            try await desk.do(.counter(.decrement), by: 1001)
            for count in [2, 3] {
                try await desk.undo(.redo(1))
                #expect(desk.state.withoutNextIDs == states[count].withoutNextIDs)
            }
            try await desk.do(.counter(.increment))
            #expect(await desk.error(.redo(1)) == .nothingToRedo)
        }
    }

    @Test func `an undo before a new step is not redone, however many redos are requested`() async throws {
        try await Desk.open { desk in
            try await desk.do(.counter(.increment))
            try await desk.undo()
            try await desk.do(milk)
            let done = desk.state
            let undone = try await desk.undo()
            let redone = try await desk.undo(.redo(5))
            #expect(redone.steps == [undone.step])
            #expect(desk.state == done && desk.state.counter.count == 0)
        }
    }

    @Test func `a step without remaining effects is skipped by an undo, and undoing it by number is an error`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            let second = try await desk.do(milk)
            try await desk.do(.todos(.remove(2)), by: 1001)
            #expect(await desk.error(.steps([second])) == .nothingLeft(second))
            #expect(try await desk.undo().steps == [1])
        }
    }

    @Test func `a dry run of an undo returns the changes and logs nothing`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            let trial = try await desk.undo(isDryRun: true)
            #expect(trial.answer.changes?.map(\.kind) == [.remove] && trial.answer.sequences.isEmpty && trial.steps == [1])
            #expect(desk.head == 1 && desk.state.todos.items.count == 1)
        }
    }

    @Test func `an undo that is repeated with the same key is executed once`() async throws {
        try await Desk.open { desk in
            for _ in 0..<3 { try await desk.do(milk) }
            let first = try await desk.undo(key: "u1")
            let again = try await desk.undo(key: "u1")
            #expect(again.answer.isDuplicate && again.steps == first.steps && again.step == first.step)
            #expect(again.answer.sequences == first.answer.sequences)
            #expect(desk.state.todos.items.count == 2)
            #expect(await desk.error(.last(2), key: "u1") == .keyReused)
            let verification = try await desk.history.verify()
            #expect(verification.damages.isEmpty)
        }
    }

    @Test func `concurrent undos never undo the same step`() async throws {
        try await Desk.open { desk in
            for _ in 0..<24 { try await desk.do(.counter(.increment)) }
            let steps = try await withThrowingTaskGroup(of: [UInt64].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var steps: [UInt64] = []
                        for _ in 0..<6 { steps += try await desk.undo().steps }
                        return steps
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(steps.sorted() == Array(1...24))
            #expect(desk.state.counter.count == 0)
        }
    }

    @Test func `undone steps can be redone after a restart`() async throws {
        let log = InMemoryActionLog()
        try await Desk.open(log) { desk in
            for _ in 0..<3 { try await desk.do(milk) }
            try await desk.undo(.last(2))
        }
        try await Desk.open(log) { desk in
            #expect(desk.state.todos.items.count == 1)
            try await desk.undo(.redo(1))
            #expect(desk.state.todos.items.count == 3)
            try await desk.undo()
            #expect(desk.state.todos.items.count == 1)
        }
    }

    @Test func `a step can be undone and redone several times, then undone with an earlier step`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            try await desk.do(.counter(.increment))
            for _ in 0..<4 {
                try await desk.undo()
                #expect(desk.state.counter.count == 0 && desk.state.todos.items.count == 1)
                try await desk.undo(.redo(1))
                #expect(desk.state.counter.count == 1)
                #expect(await desk.error(.redo(1)) == .nothingToRedo)
            }
            try await desk.undo(.last(2))
            #expect(desk.state.withoutNextIDs == App.State().withoutNextIDs)
            #expect(await desk.error() == .nothingToUndo)
            try await desk.undo(.redo(1))
            #expect(desk.state.counter.count == 1 && desk.state.todos.items.count == 1)
        }
    }

    @Test func `a continued step is undone as a whole`() async throws {
        try await Desk.open { desk in
            let step = try await desk.do(milk)
            try await desk.do(.counter(.increment), by: 1001)
            _ = try await desk.store.dispatch(Dispatch([milk], origin: 1000, step: step))
            #expect(try await desk.undo().steps == [step])
            #expect(desk.state.todos.items.isEmpty && desk.state.counter.count == 1)
        }
    }

    @Test func `after each of a hundred undos and redos, the next one finds the right step`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            try await desk.do(.counter(.increment))
            let (before, done) = (desk.state.counter.count - 1, desk.state.counter.count)
            for _ in 0..<100 {
                try await desk.undo()
                #expect(desk.state.counter.count == before)
                try await desk.undo(.redo(1))
                #expect(desk.state.counter.count == done)
            }
            #expect(await desk.error(.redo(1)) == .nothingToRedo)
            try await desk.undo(.last(2))
            #expect(desk.state.withoutNextIDs == App.State().withoutNextIDs)
            try await desk.undo(.redo(1))
            #expect(desk.state.counter.count == done && desk.state.todos.items.count == 1)
        }
    }

    @Test func `the total cost of actions that scan the whole list is limited, even if they log nothing`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add((0..<8_192).map { Todo(title: "Todo \($0)") })))
            let clears = { [App.Action](repeating: .todos(.clearCompleted([])), count: $0) }
            let fitting = Limits.batchCostMax / 8_192
            #expect(try await desk.store.dispatch(Dispatch(clears(fitting), origin: 1000)).sequences.isEmpty)
            await #expect(throws: StoreError.batchTooLarge) {
                try await desk.store.dispatch(Dispatch(clears(fitting + 1), origin: 1000))
            }
            let nothing = [App.Action](repeating: .todos(.reopen(1)), count: Limits.batchRecordsMax + 1)
            await #expect(throws: StoreError.batchTooLarge) {
                try await desk.store.dispatch(Dispatch(nothing, origin: 1000))
            }
        }
    }
}
