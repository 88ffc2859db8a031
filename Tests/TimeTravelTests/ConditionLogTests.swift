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

@Suite struct ConditionLogTests {
    private static let conditions = [
        "new.counter.count < old.counter.count", "counter.count == 0", "old.counter.count == 1 and counter.count != 1",
        "count(todos.items) > count(old.todos.items)", "record.uid == 1001 and count(todos.items) == 2",
        "record.action == 'todos.edit' or counter.count > 2", "startsWith(record.action, 'counter.')", "record.kind == 'action'",
        "record.sequence % 7 == 0", "record.sequence == record.step and todos.draft != old.todos.draft",
        "any(t in todos.items: not any(o in old.todos.items: o.id == t.id and o.title == t.title))",
        "sum(t in todos.items: t.priority) > sum(t in old.todos.items: t.priority)", "false", "true",
        "old.todos.items[1] and not todos.items[1]",
        "now - days(0) > 5000 and todos.items[2].title != old.todos.items[2].title", "count(todos) == 4",
        "record.time > 3000 and record.uid != 1000 and (record.sequence > 9 or todos.items[1])",
    ]
    private static let paths = [
        "todos.items[1]", "todos.items[2].title", "todos.items[@0]", "todos.items", "todos.draft", "todos", "counter",
        "counter.count", "todos.items[3].tags", "todos.items[99]", "todos.nextID", "alerts.items",
    ]

    private func all(_ query: LogQuery, of history: History<App>) async throws -> [UInt64] {
        var cursor = try await history.log(query)
        var found: [UInt64] = []
        while cursor.hasMore {
            let page = try await history.page(of: &cursor)
            #expect(page.count <= 257)
            found += page.map(\.last)
        }
        return found
    }

    private func matches(_ expression: Expression, _ sequence: UInt64, of sample: SampleLog) -> Bool {
        let header = sample.headers[Int(sequence) - 1]
        let action = sample.actions[Int(sequence) - 1]?.value.record?.first
        let facts = RecordFacts(
            sequence: sequence, uid: header.origin,
            action: action.map { "\($0.name).\($0.value.record?.first?.name ?? "")" }, time: header.time, step: header.step,
            kind: "action")
        return expression.holds(
            in: StateReading<App>(sample.states[Int(sequence)]), after: StateReading<App>(sample.states[Int(sequence) - 1]),
            facts: facts)
    }

    @Test func `a condition finds the same records in both orders as a linear walk through all states`() async throws {
        let queries = QueryThread()
        var found = 0
        for seed in 0..<50 as Range<UInt64> {
            try await withTemporaryDirectory { directory in
                let sample = try SampleLog.random(seed, records: seed % 5 == 0 ? 300 : 40)
                for sequence in stride(from: 9, to: sample.head, by: 17) { try sample.leaveSnapshot(at: sequence, in: directory) }
                let history = sample.history(seed % 2 == 0 ? directory : nil, queries: queries)
                var dice = SeededGenerator(~seed)
                let text = Self.conditions.randomElement(using: &dice) ?? ""
                let condition = try Expression(text, of: App.shape, on: .change)
                let from = UInt64.random(in: 1...sample.head / 2, using: &dice)
                let to = UInt64.random(in: from...sample.head, using: &dice)
                let expected = (from...to).filter { matches(condition, $0, of: sample) }
                found += expected.count
                var query = LogQuery(
                    from: .sequence(from), to: .sequence(to), condition: condition, showsChanges: false, groupsTyping: false)
                #expect(try await all(query, of: history) == expected, "\(seed): \(text)")
                query.order = .reverse
                #expect(try await all(query, of: history) == expected.reversed(), "\(seed): \(text)")
                query.limit = 3
                #expect(try await all(query, of: history) == expected.suffix(3).reversed(), "\(seed): \(text)")
            }
        }
        #expect(found > 150)
    }

    @Test func `a path finds the same records in both orders as a linear walk through all states`() async throws {
        let queries = QueryThread()
        var found = 0
        for seed in 0..<50 as Range<UInt64> {
            try await withTemporaryDirectory { directory in
                let sample = try SampleLog.random(seed, records: seed % 5 == 0 ? 300 : 40)
                for sequence in stride(from: 5, to: sample.head, by: 23) { try sample.leaveSnapshot(at: sequence, in: directory) }
                let history = sample.history(seed % 2 == 0 ? directory : nil, queries: queries)
                var dice = SeededGenerator(~seed)
                let path = try Path(Self.paths.randomElement(using: &dice) ?? "", of: App.shape)
                let to = UInt64.random(in: 1...sample.head, using: &dice)
                let place = try sample.resolved(path, at: to)
                let expected = (1...to).filter { sample.value(place, at: $0) != sample.value(place, at: $0 - 1) }
                found += expected.count
                var query = LogQuery(to: .sequence(to), path: path, groupsTyping: false)
                #expect(try await all(query, of: history) == expected, "\(seed): \(path)")
                query.order = .reverse
                #expect(try await all(query, of: history) == expected.reversed(), "\(seed): \(path)")
                query.limit = 2
                query.origin = 1001
                let own = expected.filter { sample.headers[Int($0) - 1].origin == 1001 }
                #expect(try await all(query, of: history) == own.suffix(2).reversed(), "\(seed): \(path)")
            }
        }
        #expect(found > 150)
    }

    @Test func `a condition on the record alone is evaluated without a state`() async throws {
        let sample = try SampleLog.random(11, records: 500)
        let history = sample.history()
        for text in ["record.uid == 1002 and record.sequence > 30", "record.action == 'counter.increment' and day(now) == 0"] {
            let condition = try Expression(text, of: App.shape, on: .change)
            let found = try await all(LogQuery(condition: condition, groupsTyping: false), of: history)
            #expect(found == (1...sample.head).filter { matches(condition, $0, of: sample) })
        }
        #expect(history.work.folded == 0)
    }

    @Test func `backwards, records of other features are skipped, and the search ends at its limit`() async throws {
        try await withTemporaryDirectory { directory in
            var sample = SampleLog(try LMDBActionLog.open(directory: directory, configuration: .small))
            func count(_ times: Int) throws {
                for _ in 0..<times / 100 { try sample.dispatch(Array(repeating: .counter(.increment), count: 100)) }
            }
            try sample.dispatch([.todos(.add([Todo(title: "Milk")]))])
            try count(1_000)
            try sample.dispatch([.todos(.edit(1, TodoChanges(title: "Bread")))])
            try count(3_000)
            for sequence in stride(from: 500, to: sample.head, by: 500) { try sample.leaveSnapshot(at: sequence, in: directory) }
            let history = sample.history(directory)
            let path = try Path("todos.items[1].title", of: App.shape)
            let found = try await all(LogQuery(limit: 1, path: path, order: .reverse, groupsTyping: false), of: history)
            #expect(found == [1_002])
            #expect(history.work.folded <= 500 && history.work.decoded == 1)
        }
    }

    @Test func `a query for a path returns only the changes of that path`() async throws {
        var sample = SampleLog()
        try sample.dispatch([.todos(.add([Todo(title: "Milk"), Todo(title: "Tea")]))])
        try sample.dispatch([.todos(.edit(1, TodoChanges(title: "Bread", note: "Rye")))])
        try sample.dispatch([.todos(.edit(2, TodoChanges(title: "Coffee")))])
        let path = try Path("todos.items[1].title", of: App.shape)
        var cursor = try await sample.history().log(LogQuery(path: path, showsChanges: true))
        var entries: [LogEntry<App>] = []
        while cursor.hasMore { entries += try await sample.history().page(of: &cursor) }
        #expect(entries.map(\.last) == [1, 2])
        #expect(entries[1].changes?.map(\.new) == [["id": 1, "title": "Bread"]])
        #expect(entries[0].changes?.map(\.id) == [1])
    }

    @Test func `a condition on states has the time of each record and is evaluated again if only the time changed`() async throws
    {
        var sample = SampleLog()
        for _ in 0..<20 { try sample.dispatch([.counter(.increment), .counter(.decrement)]) }
        let expression = try Expression("now > 25000", of: App.shape, on: .state)
        let bisection = try await sample.history().bisect(where: expression, by: .linear)
        #expect(bisection.outcome == .found(26))
        let held = try await sample.history().check(
            where: Expression("now <= 25000", of: App.shape, on: .state), from: .sequence(1))
        #expect(held.ranges == [26...26])
        // Counts that depend on the time of the record are computed again for each record.
        try sample.dispatch([.todos(.add([Todo(title: "Milk")]))])
        for _ in 0..<20 { try sample.dispatch([.counter(.increment)]) }
        let old = try Expression("count(t in todos.items: t.created < now - 9000) == 1", of: App.shape, on: .state)
        #expect(try await sample.history().bisect(where: old, by: .linear).outcome == .found(51))
    }
}
