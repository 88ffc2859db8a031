import Chronicle
import ChronicleStore
import FeatureApp
import FeatureTodos
import Testing
import TimeTravel

/// Tests of forks that contain merges of another fork or of the log itself.
@Suite struct NestedForkTests {
    private func add(_ titles: String...) -> App.Action { .todos(.add(titles.map { Todo(title: $0) })) }

    private func titles(_ desk: Desk) -> [String] { desk.state.todos.items.elements.map(\.title).sorted() }

    /// Checks that a merge is refused with a message even if the caller insists, and changes nothing.
    private func refuses(_ fork: Fork, into desk: Desk, because part: String) async throws {
        let head = desk.head
        do {
            try await fork.merge(into: desk, insists: true)
            Issue.record("it was merged: \(titles(desk))")
        } catch StoreError.badFork(let why) {
            #expect(why.contains(part), "\(why)")
        }
        #expect(desk.head == head)
    }

    /// A log with milk, and three forks from its end.
    private func open(_ body: (Desk, Fork, Fork, Fork) async throws -> Void) async throws {
        try await Fork.open(after: { try await $0.do(add("Milk")) }) { desk, one in
            try await one.copy(epoch: 78) { two in
                try await one.copy(epoch: 79) { three in
                    try await one.desk.do(add("One"))
                    try await two.desk.do(add("Two"))
                    try await three.desk.do(add("Three"))
                    try await body(desk, one, two, three)
                }
            }
        }
    }

    @Test func `a fork that was merged within another is refused until that merge is undone`() async throws {
        try await open { desk, one, two, _ in
            try await two.merge(into: one.desk)
            let brought = try await one.merge(into: desk)
            #expect(titles(desk) == ["Milk", "One", "Two"])
            try await refuses(two, into: desk, because: "or undo step \(brought.step).")
            #expect(try await one.merge(into: desk).step == 0)

            try await two.desk.do(add("Salt"))
            try await refuses(two, into: desk, because: "merge what it did since into that one")
            try await two.merge(into: one.desk)
            let again = try await one.merge(into: desk)
            #expect(titles(desk) == ["Milk", "One", "Salt", "Two"])

            try await desk.undo(.steps([again.step]))
            try await refuses(two, into: desk, because: "or undo step \(brought.step).")
            try await desk.undo(.steps([brought.step]))
            try await two.merge(into: desk)
            #expect(titles(desk) == ["Milk", "Salt", "Two"])
        }
    }

    @Test func `a fork that contains a fork that was merged directly is refused until either merge is undone`() async throws {
        try await open { desk, one, two, _ in
            let direct = try await two.merge(into: desk)
            let within = try await two.merge(into: one.desk)
            try await refuses(one, into: desk, because: "undo its step \(within.step) there, or step \(direct.step) here.")
            let taken = try await desk.undo(.steps([direct.step]))
            try await one.merge(into: desk, isDryRun: true)
            try await desk.undo(.steps([taken.step]))
            try await refuses(one, into: desk, because: "or step \(direct.step) here.")
            try await one.desk.undo(.steps([within.step]))
            try await one.merge(into: desk)
            #expect(titles(desk) == ["Milk", "One", "Two"])
            // A fork does not contain a merge that was undone in it.
            try await two.desk.do(add("Salt"))
            try await two.merge(into: desk)
            #expect(titles(desk) == ["Milk", "One", "Salt", "Two"])
        }
    }

    @Test func `a fork that was merged within another can't be merged within a second one, at any depth`() async throws {
        try await open { desk, one, two, three in
            try await three.merge(into: two.desk)
            try await two.merge(into: one.desk)
            try await one.merge(into: desk)
            #expect(titles(desk) == ["Milk", "One", "Three", "Two"])
            try await refuses(two, into: desk, because: "It came with another fork")
            try await refuses(three, into: desk, because: "It came with another fork")
            try await desk.do(add("Bread"))
            try await Fork(desk: three.desk, point: 1).copy(through: 1, epoch: 80) { fourth in
                try await fourth.desk.do(add("Four"))
                try await three.merge(into: fourth.desk)
                try await refuses(fourth, into: desk, because: "A fork that was merged into it")
            }
            #expect(titles(desk) == ["Bread", "Milk", "One", "Three", "Two"])
        }
    }

    @Test func `a fork into which the log itself was merged is refused until that merge is undone there`() async throws {
        try await open { desk, one, two, _ in
            try await desk.do(add("Bread"))
            let brought = try await Fork(desk: desk, point: 1).merge(into: one.desk)
            #expect(titles(one.desk) == ["Bread", "Milk", "One"])
            let part = "merged records of this log, which would be merged twice: undo its step "
            try await refuses(one, into: desk, because: part + "\(brought.step)")
            let deeper = try await one.merge(into: two.desk)
            try await refuses(two, into: desk, because: part + "\(deeper.step)")
            try await desk.do(add("Butter"))
            try await refuses(one, into: desk, because: part + "\(brought.step)")
            try await one.desk.undo(.steps([brought.step]))
            try await one.merge(into: desk)
            #expect(titles(desk) == ["Bread", "Butter", "Milk", "One"])
        }
    }

    @Test func `a redo of a merge is refused if another fork has merged the same records since`() async throws {
        try await open { desk, one, two, _ in
            try await two.merge(into: one.desk)
            let direct = try await two.merge(into: desk)
            let taken = try await desk.undo(.steps([direct.step]))
            let within = try await one.merge(into: desk)
            #expect(titles(desk) == ["Milk", "One", "Two"])
            let again: [UndoChoice] = [.steps([taken.step]), .redo(1)]
            for choice in again {
                let head = desk.head
                do {
                    try await desk.undo(choice)
                    #expect(choice == .redo(1), "it came back: \(titles(desk))")
                } catch StoreError.mergedMeanwhile(let step, let other, _) {
                    #expect(step == direct.step && other == within.step, "\(step), \(other)")
                } catch StoreError.nothingToRedo {
                    #expect(choice == .redo(1))
                }
                #expect(desk.head == head)
            }
            // The other way round: a merge that was undone, redone, and undone again.
            let gone = try await desk.undo(.steps([within.step]))
            let back = try await desk.undo(.steps([taken.step]))
            #expect(titles(desk) == ["Milk", "Two"])
            try await refuses(one, into: desk, because: "or step ")
            await #expect(throws: StoreError.self) { try await desk.undo(.steps([gone.step])) }
            try await desk.undo(.steps([back.step]))
            try await desk.undo(.steps([gone.step]))
            #expect(titles(desk) == ["Milk", "One", "Two"])
        }
    }

    @Test func `a fork of a fork refuses a fork that contains its origin's later records`() async throws {
        try await open { desk, one, two, _ in
            try await Fork(desk: one.desk, point: 1).copy(epoch: 80) { inner in
                try await one.desk.do(add("More"))
                let brought = try await one.merge(into: two.desk)
                try await inner.desk.do(add("Inner"))
                try await refuses(
                    two, into: inner.desk, because: "in its step \(brought.step), is one that this log was made of")
                #expect(titles(inner.desk) == ["Inner", "Milk", "One"])
                try await two.desk.undo(.steps([brought.step]))
                try await two.merge(into: inner.desk)
                #expect(titles(inner.desk) == ["Inner", "Milk", "One", "Two"])
            }
            try await two.merge(into: desk)
        }
    }
}
