import Chronicle
import ChronicleStore
import ChronicleTesting
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

/// Incremental evaluation of loops, compared with evaluations of whole states.
@Suite struct CountingTests {
    private static let atoms = [
        "t.completed", "t.title == 'Milk'", "t.note", "t.priority == 3", "count(t.tags) > 0", "any(g in t.tags: g == 'home')",
        "t.id > counter.count", "t.title == todos.draft", "not t.note", "t.id == todos.items[2].id",
        "todos.items[@0].title == t.title",
        "any(u in todos.items: u.title == t.title and u.id != t.id)", "t.created > 3000",
        "contains(t.title, 'MI')", "any(g in t.tags: contains(g, 'o'))",
    ]

    private static func expression(_ dice: inout SeededGenerator) throws -> String {
        func body() -> String {
            let atoms = (0..<Int.random(in: 1...2, using: &dice)).map { _ in Self.atoms.randomElement(using: &dice) ?? "" }
            return atoms.joined(separator: Bool.random(using: &dice) ? " and " : " or ")
        }
        func loop() -> String {
            switch Int.random(in: 0...4, using: &dice) {
            case 0: "any(t in todos.items: \(body()))"
            case 1: "all(t in todos.items: \(body()))"
            case 2: "count(t in todos.items: \(body())) > \(Int.random(in: 0...3, using: &dice))"
            case 3: "not any(t in todos.items: \(body())) and counter.count >= 0"
            default: "counter.count > 1 or count(t in todos.items: \(body())) == count(t in todos.items: \(body()))"
            }
        }
        return (0..<Int.random(in: 1...2, using: &dice)).map { _ in "(\(loop()))" }
            .joined(separator: Bool.random(using: &dice) ? " and " : " or ")
    }

    @Test func `incremental evaluation equals a full evaluation after each record of random histories`() async throws {
        let queries = QueryThread()
        var changed = 0
        for seed in 0..<130 as Range<UInt64> {
            let sample = try SampleLog.random(seed, records: 40)
            var dice = SeededGenerator(~seed)
            let text = try Self.expression(&dice)
            let expression = try Expression(text)
            let truths = (0...sample.head).map { sample.holds(expression, at: $0) }
            changed += zip(truths, truths.dropFirst()).count { $0 != $1 }
            let violations = try await sample.history(queries: queries).check(where: expression, .all)
            #expect(violations.ranges.flatMap { Array($0) } == truths.indices.filter { !truths[$0] }.map(UInt64.init), "\(text)")
        }
        #expect(changed > 130)
    }

    @Test func `a record costs as much as the elements that it changed, however long the list is`() throws {
        let expression = try Expression("any(t in todos.items: t.title == 'Bread')")
        var sample = SampleLog()
        try sample.dispatch([.todos(.add(Array(repeating: .init(title: "Milk"), count: 2_000)))])
        try sample.dispatch([.todos(.complete(7))])
        try sample.dispatch([.todos(.edit(1_500, TodoChanges(title: "Bread")))])
        let states = sample.states.suffix(3).map(\.self)
        var evaluation = expression.evaluation(in: StateReading<App>(states[0]), after: try #require(expression.tallies), [])
        #expect(evaluation.advance(steps: .max) == false)
        #expect(evaluation.steps > 2_000)
        for (index, holds) in [(1, false), (2, true)] {
            let tallies = try #require(evaluation.tallies)
            let changes = App.changes(from: states[index - 1], to: states[index], limit: 99)
            evaluation = expression.evaluation(in: StateReading<App>(states[index]), after: tallies, changes)
            #expect(evaluation.advance(steps: .max) == holds)
            #expect(evaluation.steps < 50)
        }
    }

    @Test func `incremental evaluation can be paused after any step`() throws {
        let expression = try Expression(
            "count(t in todos.items: any(g in t.tags: g == 'home')) > 3 and all(t in todos.items: t.title)")
        let sample = try SampleLog.random(5, records: 60)
        let start = StateReading<App>(sample.states[0])
        var evaluation = expression.evaluation(in: start, after: try #require(expression.tallies), [])
        while evaluation.advance(steps: 1) == nil {}
        for (before, after) in zip(sample.states, sample.states.dropFirst()) {
            let tallies = try #require(evaluation.tallies)
            let changes = App.changes(from: before, to: after, limit: 99)
            evaluation = expression.evaluation(in: StateReading<App>(after), after: tallies, changes)
            var holds: Bool?
            repeat { holds = evaluation.advance(steps: 1) } while holds == nil
            #expect(holds == expression.holds(in: StateReading<App>(after)))
        }
    }

    @Test func `a check reports its progress up to its end`() async throws {
        var sample = SampleLog()
        for _ in 0..<100 { try sample.dispatch([.counter(.increment)]) }
        let reached = Collected<UInt64>()
        let expression = try Expression("counter.count >= 0")
        let violations = try await sample.history().check(where: expression, .all) { reached.add($0) }
        #expect(violations.ranges.isEmpty)
        #expect(reached.all.first == 0 && reached.all.last == sample.head && reached.all == reached.all.sorted())
    }

    @Test func `a check that exceeds its steps reports how far it came`() async throws {
        var sample = SampleLog()
        try sample.dispatch([.counter(.increment)])
        try sample.dispatch([.todos(.add(Array(repeating: .init(title: "Milk"), count: 300)))])
        let history = sample.history()
        let nested = try Expression("all(t in todos.items: all(u in todos.items: u.title == t.title))")
        await #expect(throws: StoreError.tooManySteps(reached: 2)) {
            try await history.check(where: nested, stepsMax: 100_000)
        }
        #expect(try await history.check(where: nested).ranges.isEmpty)
    }
}
