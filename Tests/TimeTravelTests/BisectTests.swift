import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

@Suite struct BisectTests {
    static let texts = [
        "counter.count > 1", "counter.count < 0", "count(todos.items) >= 3", "count(todos.items) == 2", "todos.draft == 'Milk'",
        "any(t in todos.items: t.completed)", "todos.items[2].title == 'Bread'", "todos.items[3]", "todos.nextID > 4",
        "all(t in todos.items: t.priority or t.note) and count(todos.items) > 1", "todos.items[@0].id == 3", "not todos.items[1]",
        "true", "false", "missing", "count(todos) == 4 and counter",
    ]

    @Test func `both methods agree with a linear walk through a thousand histories`() async throws {
        let queries = QueryThread()
        var (found, repeated) = (0, 0)
        for seed in 0..<1_000 as Range<UInt64> {
            // The long histories have more moments than a binary search checks at first.
            let sample = try SampleLog.random(seed, records: seed % 5 == 0 ? 120 : 24)
            let history = sample.history(queries: queries)
            var dice = SeededGenerator(~seed)
            let expression = try Expression(Self.texts.randomElement(using: &dice) ?? "")
            let good = UInt64.random(in: 0...sample.head / 2, using: &dice)
            let bad = UInt64.random(in: good...sample.head, using: &dice)
            let truths = (good...bad).map { sample.holds(expression, at: $0) }
            let flips = zip(truths, truths.dropFirst()).count { $0 != $1 }
            let first = truths.firstIndex(of: true).map { good + UInt64($0) }

            let linear = try await history.bisect(where: expression, good: .sequence(good), bad: .sequence(bad), by: .linear)
            let quick = try await history.bisect(
                where: expression, good: .sequence(good), bad: .sequence(bad), by: .halving)
            let expected: Bisection.Outcome = truths[0] ? .heldAtStart : first.map { .found($0) } ?? .neverHeld
            #expect(linear.outcome == expected, "\(seed)")
            if case .found(let sequence) = quick.outcome {
                found += 1
                #expect(sample.holds(expression, at: sequence) && !sample.holds(expression, at: sequence - 1), "\(seed)")
                #expect(
                    quick.changes
                        == App.changes(from: sample.states[Int(sequence) - 1], to: sample.states[Int(sequence)], limit: 99))
                if flips == 1 { #expect(quick.outcome == expected, "\(seed)") }
            } else if flips == 0 || truths[0] {
                #expect(quick.outcome == expected, "\(seed)")
            }
            for look in quick.looks { #expect(look.holds == truths[Int(look.sequence - good)]) }
            #expect(quick.flips <= flips)
            if quick.flips > 1 { repeated += 1 }
        }
        #expect(found > 100 && repeated > 20)
    }

    @Test func `a condition on a state that is read in pages gives the same result as on its whole value`() throws {
        let sample = try SampleLog.random(3, records: 60)
        for text in Self.texts {
            let expression = try Expression(text)
            for state in sample.states {
                #expect(
                    expression.holds(in: StateReading<App>(state)) == expression.holds(in: ValueReader(state.value)), "\(text)")
            }
        }
    }

    @Test func `a binary search folds only from snapshots and then a few further states`() async throws {
        try await withTemporaryDirectory { directory in
            var sample = SampleLog(try LMDBActionLog.open(directory: directory, configuration: .small))
            for _ in 0..<40 { try sample.dispatch(Array(repeating: .counter(.increment), count: 50)) }
            for sequence in stride(from: 100, to: 2_000, by: 100) as StrideTo<UInt64> {
                try sample.leaveSnapshot(at: sequence, in: directory)
            }
            let bisection = try await sample.history(directory).bisect(where: Expression("counter.count >= 1234"), by: .halving)
            #expect(bisection.outcome == .found(1234))
            #expect(bisection.flips == 1)
            #expect(bisection.looks.count <= 21 + 7)
            #expect(bisection.range == 0...2_000)
            #expect(bisection.changes?.map(\.path) == ["counter"])
        }
    }

    @Test func `a binary search reports several changes of the condition and finds the first visible one`() async throws {
        var sample = SampleLog()
        for _ in 0..<10 {
            try sample.dispatch(Array(repeating: .counter(.increment), count: 50))
            try sample.dispatch(Array(repeating: .counter(.decrement), count: 50))
        }
        let history = sample.history()
        let expression = try Expression("counter.count >= 10")
        let bisection = try await history.bisect(where: expression, by: .halving)
        #expect(bisection.outcome == .found(10) && bisection.method == .halving)
        #expect(bisection.flips > 5)
        let once = try await history.bisect(where: expression, bad: .sequence(60), by: .halving)
        #expect(once.outcome == .found(10) && once.flips == 1)
    }

    @Test func `the default method finds the first time, even if a binary search sees no change there`()
        async throws
    {
        var sample = SampleLog()
        try sample.dispatch([.counter(.increment), .counter(.decrement)])
        for _ in 0..<20 { try sample.dispatch(Array(repeating: .todos(.updateText("Milk")), count: 50)) }
        try sample.dispatch([.counter(.increment)])
        let history = sample.history()
        let expression = try Expression("counter.count == 1")
        let halves = try await history.bisect(where: expression, by: .halving)
        #expect(halves.outcome == .found(sample.head) && halves.flips == 1)
        let right = try await history.bisect(where: expression)
        #expect(right.outcome == .found(1) && right.method == .linear)
    }

    @Test func `an invalid range or one outside of the log is refused`() async throws {
        let sample = try SampleLog.random(1, records: 20)
        let history = sample.history()
        let expression = try Expression("true")
        await #expect(throws: StoreError.emptyRange(from: 9, to: 8)) {
            try await history.bisect(where: expression, good: .sequence(9), bad: .sequence(8))
        }
        await #expect(throws: StoreError.futureSequence(head: sample.head)) {
            try await history.bisect(where: expression, bad: .sequence(sample.head + 1))
        }
    }

    @Test func `a check lists every range in which an invariant does not hold`() async throws {
        let queries = QueryThread()
        for seed in 0..<200 as Range<UInt64> {
            let sample = try SampleLog.random(seed, records: 24)
            let history = sample.history(queries: queries)
            var dice = SeededGenerator(~seed)
            let expression = try Expression(Self.texts.randomElement(using: &dice) ?? "")
            let wrong = (0...sample.head).filter { !sample.holds(expression, at: $0) }
            let all = try await history.check(where: expression, .all)
            #expect(all.ranges.flatMap { Array($0) } == wrong, "\(seed)")
            #expect(zip(all.ranges, all.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
            #expect(!all.isCut)
            let first = try await history.check(where: expression)
            #expect(first.ranges == wrong.first.map { [$0...$0] } ?? [])
        }
    }

    @Test func `a slow expression lets other queries run and ends when it is cancelled`() async throws {
        var sample = SampleLog()
        for _ in 0..<20 { try sample.dispatch([.todos(.add(Array(repeating: .init(title: "Milk"), count: 20)))]) }
        let history = sample.history()
        let slow = try Expression("any(a in todos.items: any(b in todos.items: any(c in todos.items: c.id < 0)))")
        let task = Task { try await history.check(where: slow, .all) }
        // The short query is answered although the slow one has hours to go.
        for _ in 0..<5 { #expect(try await history.state(at: .sequence(3)).state == sample.states[3]) }
        task.cancel()
        await #expect(throws: StoreError.stopping) { try await task.value }
    }
}
