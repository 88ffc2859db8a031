import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeatureTodos
import Testing
import TimeTravel

/// A merge copies the actions of a fork into the log from which the fork was made.
@Suite struct MergeTests {
    private func add(_ titles: String...) -> App.Action { .todos(.add(titles.map { Todo(title: $0) })) }

    private func titles(_ desk: Desk) -> [String] { desk.state.todos.items.elements.map(\.title) }

    private func error(_ body: () async throws -> Void) async -> StoreError? {
        do { try await body() } catch { return error as? StoreError }
        return nil
    }

    @Test func `a merge adds the actions of a fork as one step beside newer ones, and can be undone as one`() async throws {
        try await Fork.open(after: { try await $0.do(add("Milk", "Bread")) }) { desk, fork in
            try await fork.desk.do(add("Eggs"))
            try await fork.desk.do(.todos(.complete(1)))
            try await fork.desk.do(.counter(.increment), .counter(.increment))
            try await desk.do(add("Rye"))
            try await desk.do(.counter(.increment))
            let before = desk.state
            let tried = try await fork.merge(into: desk, isDryRun: true)
            #expect(desk.state == before && tried.answer.changes?.isEmpty == false)
            let done = try await fork.merge(into: desk)
            #expect(titles(desk) == ["Eggs", "Rye", "Milk", "Bread"] || titles(desk) == ["Rye", "Eggs", "Milk", "Bread"])
            // Both logs have assigned the id 3.
            #expect(desk.state.todos.items[3]?.title == "Rye" && desk.state.todos.items[4]?.title == "Eggs")
            #expect(desk.state.todos.items[1]?.isCompleted == true && desk.state.counter.count == 3)
            let marks = try await desk.records(from: done.step).map(\.header.merges)
            let mark = ForkMark(
                epoch: 77, from: fork.point, through: fork.desk.head, chain: try fork.desk.log.checksum(of: fork.desk.head) ?? 0,
                firstChain: try fork.desk.log.checksum(of: fork.point + 1) ?? 0)
            #expect(!marks.isEmpty && marks.allSatisfy { $0 == mark })
            try await desk.undo(.steps([done.step]))
            #expect(desk.state.withoutNextIDs == before.withoutNextIDs)
        }
    }

    @Test func `dependencies of merged todos are renumbered`() async throws {
        try await Fork.open(after: { try await $0.do(add("Milk")) }) { desk, fork in
            try await fork.desk.do(add("Buy paint"))
            try await fork.desk.do(.todos(.add([Todo(title: "Paint the wall", after: [2, 1])])))
            try await desk.do(add("Rye"))
            try await fork.merge(into: desk)
            #expect(desk.state.todos.items[3]?.title == "Buy paint" && desk.state.todos.items[4]?.after == [3, 1])
            try await fork.desk.do(.todos(.edit(1, TodoChanges(after: [2]))))
            try await fork.merge(into: desk)
            #expect(desk.state.todos.items[1]?.after == [3])
        }
    }

    @Test func `nothing is merged twice, and later actions of a fork refer to the new ids of its todos`() async throws {
        try await Fork.open(after: { try await $0.do(add("Milk")) }) { desk, fork in
            try await fork.desk.do(add("Eggs", "Gone"))
            try await fork.desk.do(.todos(.remove(3)))
            try await desk.do(add("Rye"))
            try await fork.merge(into: desk)
            let again = try await fork.merge(into: desk)
            #expect(again.step == 0 && titles(desk).count == 3)
            try await fork.desk.do(.todos(.edit(2, TodoChanges(title: "Six eggs"))))
            try await fork.desk.do(add("Salt"))
            try await desk.do(add("Oil"))
            try await fork.merge(into: desk)
            #expect(Set(titles(desk)) == ["Milk", "Six eggs", "Rye", "Salt", "Oil"] && titles(desk).count == 5)
            #expect(desk.state.todos.items[2]?.title == "Rye" && desk.state.todos.items[3]?.title == "Six eggs")
            // The removed one was never merged, and its id belongs to oil by now. It is merged as a new todo.
            try await fork.desk.do(.todos(.putBack([PlacedTodo(Todo(id: 3, title: "Back"), at: 0)])))
            try await fork.desk.do(.todos(.edit(4, TodoChanges(title: "Sea salt"))))
            #expect(desk.state.todos.items[4]?.title == "Oil")
            try await fork.merge(into: desk)
            #expect(Set(titles(desk)) == ["Milk", "Six eggs", "Rye", "Sea salt", "Oil", "Back"] && titles(desk).count == 6)
            #expect(desk.state.todos.items[4]?.title == "Oil" && desk.state.todos.items[6]?.title == "Back")
        }
    }

    @Test func `an undone merge is repeated by the next merge, and the next one continues after an active one`() async throws {
        try await Fork.open { desk, fork in
            try await fork.desk.do(add("Eggs"))
            try await fork.merge(into: desk)
            try await fork.desk.do(add("Salt"))
            let second = try await fork.merge(into: desk)
            try await desk.undo(.steps([second.step]))
            #expect(titles(desk) == ["Eggs"])
            try await fork.merge(into: desk)
            #expect(titles(desk) == ["Salt", "Eggs"])
            // Ids are not reused: todos that exist keep theirs, and repeated ones get new ids.
            #expect(desk.state.todos.items[1]?.title == "Eggs" && desk.state.todos.items[3]?.title == "Salt")
        }
    }

    @Test func `a redo of a merge restores the todos under their ids`() async throws {
        try await Fork.open { desk, fork in
            try await fork.desk.do(add("Eggs"))
            let merge = try await fork.merge(into: desk)
            try await desk.undo(.steps([merge.step]))
            try await desk.undo(.redo(1))
            #expect(titles(desk) == ["Eggs"] && desk.state.todos.items[1]?.title == "Eggs")
            #expect(try await fork.merge(into: desk).step == 0)
        }
    }

    @Test func `a redo of a merge is refused if the same fork was merged again since, and works if another part of it was`()
        async throws
    {
        try await Fork.open { desk, fork in
            try await fork.desk.do(.counter(.increment))
            let first = try await fork.merge(into: desk)
            let taken = try await desk.undo(.steps([first.step]))
            let second = try await fork.merge(into: desk)
            let refused = await error { try await desk.undo(.steps([taken.step])) }
            #expect(refused == .mergedMeanwhile(first.step, in: second.step))
            #expect(desk.state.counter.count == 1)
            // The remedy in the error works.
            let gone = try await desk.undo(.steps([second.step]))
            try await desk.undo(.steps([taken.step]))
            #expect(desk.state.counter.count == 1)
            #expect(await error { try await desk.undo(.steps([gone.step])) } != nil)
            // The following records are another part of the fork.
            try await fork.desk.do(.counter(.increment))
            let later = try await fork.merge(into: desk)
            let laterUndo = try await desk.undo(.steps([later.step]))
            try await desk.undo(.steps([laterUndo.step]))
            #expect(desk.state.counter.count == 2)
        }
    }

    @Test func `concurrent changes of both logs are a named conflict unless the caller insists`() async throws {
        try await Fork.open(after: { try await $0.do(add("Milk", "Bread")) }) { desk, fork in
            try await fork.desk.do(.todos(.edit(1, TodoChanges(title: "Oat milk"))))
            try await fork.desk.do(.todos(.edit(2, TodoChanges(title: "Rye"))))
            try await desk.do(.todos(.edit(1, TodoChanges(title: "Soy milk"))))
            let head = desk.head
            let refused = await error { try await fork.merge(into: desk) }
            #expect(
                refused
                    == .conflict([Conflict("todos.items[1].title", expected: .text("Milk"), found: .text("Soy milk"))]))
            #expect(desk.head == head)
            try await fork.merge(into: desk, insists: true)
            #expect(titles(desk) == ["Oat milk", "Rye"])
        }
    }

    @Test func `a fork can be merged up to a record, and the next merge includes the rest`() async throws {
        try await Fork.open { desk, fork in
            let first = try await fork.desk.do(add("Eggs"))
            try await fork.desk.do(add("Salt"))
            try await fork.merge(into: desk, through: first)
            #expect(titles(desk) == ["Eggs"])
            try await fork.merge(into: desk)
            #expect(titles(desk) == ["Salt", "Eggs"])
            let shorter = await error { try await fork.merge(into: desk, through: first) }
            guard case .badFork(let why)? = shorter else {
                Issue.record("it was merged further: \(String(describing: shorter))")
                return
            }
            #expect(why.contains("through record 2"))
        }
    }

    @Test func `a dispatch of a fork is merged as a whole or not at all, and the error names its records`() async throws {
        try await Fork.open(after: { try await $0.do(add("Milk")) }) { desk, fork in
            try await fork.desk.do(add("Eggs"), key: "one")
            try await fork.desk.do(add("Salt"), add("Rye"), add("Tea"), key: "two")
            try await fork.desk.do(add("Oats"), add("Jam"))
            func merged(through last: UInt64) async -> StoreError? {
                await error {
                    let records = try fork.records(of: last)
                    _ = try await desk.undoer.merge(records, UndoCall(origin: 1000))
                }
            }
            let words = "with one dispatch, which is merged as a whole or not at all"
            for last: UInt64 in [3, 4] {
                let refused = await merged(through: last)
                #expect(refused == .badFork("Records 3 to 5 came \(words): merge through 5, or through 2."), "\(last)")
            }
            #expect(await merged(through: 6) == .badFork("Records 6 to 7 may have come \(words): merge through 7, or through 5."))
            #expect(titles(desk) == ["Milk"])
            #expect(await merged(through: 2) == nil)
            #expect(await merged(through: 5) == nil)
            #expect(titles(desk).count == 5)
            #expect(await merged(through: 7) == nil)
            #expect(titles(desk).count == 7)
        }
        try await Fork.open { desk, fork in
            try await fork.desk.do(add("Eggs"), add("Salt"))
            let records = try fork.records(of: 1)
            let refused = await error { _ = try await desk.undoer.merge(records, UndoCall(origin: 1000)) }
            #expect(
                refused
                    == .badFork(
                        "Records 1 to 2 may have come with one dispatch, which is merged as a whole or not at all: merge through 2."
                    ))
        }
    }

    @Test func `a command that a fork requested is requested by the merge, and its result is merged`() async throws {
        try await Fork.open { desk, fork in
            try await fork.desk.do(.todos(.load))
            let asked = try await fork.merge(into: desk, isDryRun: true)
            #expect(asked.answer.commands == [.todos(.load)])
            try await fork.desk.store.submit(.release(by: 0))
            try await fork.desk.bringBack()
            try await fork.merge(into: desk)
            #expect(titles(desk) == ["Loaded one", "Loaded two"])
            #expect(try await desk.store.commands().isEmpty)
            #expect(try await desk.records().allSatisfy { record in record.action.map { App.kind(of: $0) != .event } ?? true })
        }
    }

    @Test func `a fork of another log, the log itself, and a gap are refused with a message`() async throws {
        try await Fork.open(after: { try await $0.do(add("Milk")) }) { desk, fork in
            try await fork.desk.do(add("Eggs"))
            try await Desk.open { stranger in
                try await stranger.do(add("Tea"))
                let refused = await error { try await fork.merge(into: stranger) }
                guard case .badFork(let why)? = refused else {
                    Issue.record("\(String(describing: refused))")
                    return
                }
                #expect(why.contains("another history up to record 1"))
            }
            let itself = await error { try await fork.merge(into: fork.desk) }
            #expect(itself == .badFork("It is this log itself, and no fork of it."))
            try await fork.desk.do(add("Salt"))
            var records = ForkRecords<App>(
                epoch: 77, point: 1, chain: try fork.desk.log.checksum(of: 1) ?? 0, now: StoreClock.system.wall())
            #expect(throws: StoreError.badFork("Record 3 does not follow the one before it.")) {
                try records.add(try fork.desk.log.sealed(3))
            }
            var missing = ForkRecords<App>(epoch: 77, point: 9, chain: 0, now: StoreClock.system.wall())
            #expect(throws: StoreError.self) { try missing.add(try fork.desk.log.sealed(2)) }
        }
    }

    @Test func `a key makes a repeated merge harmless, and a locked log refuses it`() async throws {
        try await Fork.open { desk, fork in
            try await fork.desk.do(add("Eggs"))
            let first = try await fork.merge(into: desk, key: "one")
            let second = try await fork.merge(into: desk, key: "one")
            #expect(second.answer.isDuplicate && second.step == first.step && titles(desk) == ["Eggs"])
            try await fork.desk.do(add("Salt"))
            _ = try await desk.store.lock("moving", by: 0)
            let refused = await error { try await fork.merge(into: desk) }
            guard case .locked? = refused else {
                Issue.record("\(String(describing: refused))")
                return
            }
        }
    }

    @Test func `two concurrent merges have the same result as sequential ones`() async throws {
        for _ in 0..<100 {
            try await Fork.open { desk, fork in
                let first = try await fork.desk.do(.counter(.increment))
                try await fork.desk.do(.counter(.decrement))
                try await fork.desk.do(add("Eggs"))
                let parts = try [fork.records(through: first), fork.records(), fork.records()]
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for part in parts {
                        group.addTask {
                            do throws(StoreError) { _ = try await desk.undoer.merge(part, UndoCall(origin: 1000)) } catch {
                                // The smaller part is refused if a larger one was merged before it.
                                guard case .badFork = error, part.last == first else { throw error }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                // The merge of everything would not change the counter and would therefore not notice its value at the beginning.
                #expect(desk.state.counter.count == 0 && titles(desk) == ["Eggs"])
            }
        }
    }

    @Test func `dispatches during a merge are kept, and so is the merge`() async throws {
        try await Fork.open { desk, fork in
            try await fork.desk.do(add("Eggs"))
            let records = try fork.records()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await desk.undoer.merge(records, UndoCall(origin: 1000)) }
                group.addTask { for number in 1...5 { try await desk.do(.todos(.add([Todo(title: "Number \(number)")]))) } }
                try await group.waitForAll()
            }
            #expect(desk.state.todos.items.count == 6 && titles(desk).count { $0 == "Eggs" } == 1)
        }
    }

    @Test func `a flow that a merge left out is not confused with a later one that has its id`() async throws {
        try await Fork.open { desk, fork in
            try await fork.desk.do(.flows(.start(kind: "language")))
            try await desk.do(.flows(.start(kind: "language")))
            let refused = await error { try await fork.merge(into: desk) }
            guard case .conflict? = refused else {
                Issue.record("\(String(describing: refused))")
                return
            }
            try await fork.desk.do(.counter(.increment))
            try await fork.merge(into: desk, insists: true)
            try await desk.do(.flows(.start(kind: "welcome")))
            #expect(desk.state.flows.items.elements.map(\.id) == [1, 2])
            try await fork.desk.do(.flows(.cancel(1)), .counter(.increment))
            try await fork.merge(into: desk)
            #expect(desk.state.flows.items.elements.map(\.kind) == ["language", "welcome"] && desk.state.counter.count == 2)
        }
    }

    @Test func `a merge that would break an invariant is refused`() async throws {
        try await Fork.open { desk, fork in
            try await fork.desk.do(add("Eggs", "Salt"))
            _ = try await desk.store.setInvariant("few", try Expression("count(todos.items) < 2", of: App.shape), by: 0)
            let head = desk.head
            let refused = await error { try await fork.merge(into: desk, insists: true) }
            guard case .invariantBroken("few", _, _)? = refused else {
                Issue.record("\(String(describing: refused))")
                return
            }
            #expect(desk.head == head && titles(desk).isEmpty)
        }
    }

    @Test func `records with a future time, too many, or common to both logs are refused with a message`() async throws {
        try await Fork.open(after: { try await $0.do(add("Milk")) }) { desk, fork in
            try await fork.desk.do(add("Eggs"))
            let (milk, eggs) = try (fork.desk.log.sealed(1), fork.desk.log.sealed(2))
            var early = ForkRecords<App>(epoch: 77, point: 1, chain: milk.checksum, now: 0)
            #expect(throws: StoreError.badFork("Record 2 has a time more than a day ahead of this machine's clock.")) {
                try early.add(eggs)
            }
            var whole = ForkRecords<App>(epoch: 77, point: 0, chain: 0, now: StoreClock.system.wall())
            try whole.add(milk)
            try whole.add(eggs)
            let shared = await error { [whole] in _ = try await desk.undoer.merge(whole, UndoCall(origin: 1000)) }
            #expect(shared == .badFork("This log has record 1 of it, too: give the records after the last one that both have."))
            #expect(titles(desk) == ["Milk"])

            for _ in 0..<HistoryLimits.forkRecordsMax / 256 {
                _ = try await fork.desk.store.dispatch(Dispatch(Array(repeating: .counter(.increment), count: 256), origin: 1000))
            }
            #expect(throws: StoreError.badFork("At most 16384 records of a fork, of 16 MiB, can be merged.")) {
                _ = try fork.records()
            }
            try await fork.merge(into: desk, through: 1 + UInt64(HistoryLimits.forkRecordsMax))
            #expect(desk.state.counter.count == Int64(HistoryLimits.forkRecordsMax) - 1)
        }
    }

    @Test func `the number of merges of a fork is limited`() async throws {
        try await Fork.open { desk, fork in
            for _ in 0..<HistoryLimits.mergesMax {
                try await fork.desk.do(add("Eggs"))
                try await desk.do(add("Rye"))
                try await fork.merge(into: desk)
            }
            #expect(titles(desk).count == 2 * HistoryLimits.mergesMax)
            #expect(titles(desk).count { $0 == "Eggs" } == HistoryLimits.mergesMax)
            try await fork.desk.do(add("Salt"))
            let refused = await error { try await fork.merge(into: desk) }
            #expect(refused == .badFork("It was merged 64 times, which is as often as a fork can be."))
        }
    }
}
