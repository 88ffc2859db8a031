import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import Fields
import PersistentCollections
import Records
import Reducing
import StoreRuntime
import TestSupport
import Testing
import TimeTravel

@Suite struct CulpritTests {
    private func culprit(_ text: String, from: Point? = nil, at desk: Desk) async throws -> Culprit {
        try await desk.history.culprit(where: try Expression(text, of: App.shape), from: from)
    }

    private func steps(_ culprit: Culprit) -> [UInt64]? {
        if case .found(let steps) = culprit.outcome { steps.map(\.step) } else { nil }
    }

    @Test func `the one step among many without which it would not hold is found`() async throws {
        try await Desk.open { desk in
            for index in 0..<200 {
                try await desk.do(index == 77 ? .todos(.add([Todo(title: "Milk")])) : .counter(.increment))
            }
            let found = try await culprit("count(todos.items) > 0", at: desk)
            #expect(steps(found) == [78] && found.isSmallest && found.candidates == 200 && found.tries < 60)
            // A range begins with its record.
            #expect(steps(try await culprit("count(todos.items) > 0", from: .sequence(78), at: desk)) == [78])
            #expect(try await culprit("count(todos.items) > 0", from: .sequence(79), at: desk).outcome == .notAmongThese)
            guard case .found(let summaries) = found.outcome else { return }
            #expect(summaries.first?.actions == ["todos.add"])
        }
    }

    @Test func `several steps are found where none alone does, and nothing where it does not hold`() async throws {
        try await Desk.open { desk in
            for _ in 0..<6 { try await desk.do(.counter(.increment)) }
            for _ in 0..<20 { try await desk.do(.todos(.updateText("x"))) }
            let found = try await culprit("counter.count > 3", at: desk)
            #expect(steps(found)?.count == 3 && !found.isSmallest)
            let pair = try await culprit("counter.count > 4", at: desk)
            #expect(steps(pair)?.count == 2 && pair.isSmallest)
            #expect(try await culprit("counter.count > 6", at: desk).outcome == .doesNotHold)
            #expect(try await culprit("counter.count >= 0", at: desk).outcome == .notAmongThese)
            #expect(try await culprit("counter.count > 3", from: .sequence(5), at: desk).outcome == .notAmongThese)
        }
    }

    @Test func `a step goes with its undos, and one that was undone is no culprit`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "Milk")])))
            try await desk.do(.counter(.increment))
            try await desk.undo()
            try await desk.do(.counter(.increment))
            #expect(steps(try await culprit("counter.count == 1", at: desk)) == [4])
            try await desk.undo()
            try await desk.undo(.redo(1))
            #expect(steps(try await culprit("counter.count == 1", at: desk)) == [4])
        }
    }

    @Test func `one step that took away what another brought is found though without both it would hold as well`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "Milk")])))
            try await desk.do(.todos(.add([Todo(title: "Bread")])))
            try await desk.do(.todos(.remove(2)))
            let found = try await culprit(#"not any(t in todos.items: t.title == "Bread")"#, at: desk)
            #expect(steps(found) == [3] && found.isSmallest && !found.isCut)
            let none = try await culprit("counter.count == 0", at: desk)
            #expect(none.outcome == .notAmongThese && none.tries == 5 && !none.isCut)
            let expression = try Expression("counter.count == 0", of: App.shape)
            let cut = try await desk.history.culprit(where: expression, within: 0)
            #expect(cut.outcome == .notAmongThese && cut.tries == 2 && cut.isCut)
        }
    }

    @Test func `when the time is over the smallest set of until then is told, and that it is not proven`() async throws {
        try await Desk.open { desk in
            for _ in 0..<9 { try await desk.do(.counter(.increment)) }
            func culprit(within nanoseconds: UInt64) async throws -> Culprit {
                let expression = try Expression("counter.count > 6", of: App.shape)
                return try await desk.history.culprit(where: expression, within: nanoseconds)
            }
            let cut = try await culprit(within: 0)
            #expect(steps(cut) == Array(1...9) && cut.isCut && !cut.isSmallest && cut.tries == 2)
            let whole = try await culprit(within: .max / 2)
            #expect(steps(whole)?.count == 3 && !whole.isCut)
        }
    }

    @Test func `it ends with whoever asked`() async throws {
        try await Desk.open { desk in
            for _ in 0..<50 { try await desk.do(.counter(.increment)) }
            let expression = try Expression("counter.count > 20", of: App.shape)
            let tries = Collected<UInt64>()
            await #expect(throws: StoreError.stopping) {
                try await desk.history.culprit(where: expression) { tried in
                    tries.add(tried)
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            #expect(tries.all.count == 1)
        }
    }

    /// All sets of steps are tried, the smallest first.
    @Test(arguments: 0..<12) func `what is found is what trying every set of steps finds`(seed: UInt64) async throws {
        var dice = SeededGenerator(seed)
        try await Desk.open { desk in
            var actions: [App.Action] = [
                .counter(.increment), .counter(.decrement), .counter(.reset), .todos(.add([Todo(title: "Milk")])),
                .todos(.remove(1)),
                .todos(.complete(1)),
            ]
            actions.shuffle(using: &dice)
            for _ in 0..<8 { _ = try? await desk.do(actions[Int.random(in: 0..<actions.count, using: &dice)]) }
            let sequences = Array(1...desk.head)
            for text in [
                "counter.count > 0", "counter.count < 1", "count(todos.items) < 2",
                "any(todo in todos.items: todo.completed == null)",
            ] {
                let expression = try Expression(text, of: App.shape)
                func holds(without steps: [UInt64]) async throws -> Bool {
                    let state = try await desk.history.whatIf(WhatIfQuery(steps.map { .skip($0...$0) })).state
                    return expression.holds(in: StateReading<App>(state))
                }
                var smallest: Int?
                for bits in 0..<1 << sequences.count where try await !holds(without: sequences.picked(bits)) {
                    smallest = min(smallest ?? .max, bits.nonzeroBitCount)
                }
                let found = try await culprit(text, at: desk)
                let isKnown = try await holds(without: [])
                guard isKnown else {
                    #expect(found.outcome == .doesNotHold)
                    continue
                }
                guard let steps = steps(found) else {
                    #expect(try await holds(without: sequences), "\(text)")
                    continue
                }
                #expect(try await !holds(without: steps), "\(text)")
                #expect(steps.count >= smallest ?? .max && (!found.isSmallest || steps.count == smallest), "\(text): \(steps)")
                for index in steps.indices where steps.count > 1 {
                    var fewer = steps
                    fewer.remove(at: index)
                    #expect(try await holds(without: fewer), "\(text): \(steps) without \(steps[index])")
                }
            }
        }
    }
}

extension [UInt64] {
    fileprivate func picked(_ bits: Int) -> [UInt64] { indices.filter { bits >> $0 & 1 == 1 }.map { self[$0] } }
}
