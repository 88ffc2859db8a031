import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import Testing
import TimeTravel

@Suite struct FittingTests {
    private static let filters = [
        LogQuery(), LogQuery(feature: "todos"), LogQuery(actions: ["add", "counter.increment"]),
        LogQuery(feature: "todos", actions: ["remove"]), LogQuery(feature: "todos", actions: ["counter.increment"]),
        LogQuery(origin: 1001), LogQuery(feature: "counter", origin: 1002), LogQuery(actions: ["Add"]),
    ]

    /// The matching records from 4 to the third from the last, in pages.
    private func found(
        _ query: LogQuery, in sample: SampleLog, by history: History<App>? = nil, stepsMax: Int = .max,
        page: () -> Void = {}
    ) async throws -> [UInt64] {
        let (history, last) = (history ?? sample.history(), sample.head - 2)
        var (found, reached): ([UInt64], UInt64) = ([], 3)
        var cursor = FilterCursor<App>(query, after: reached, stepsMax: stepsMax)
        while cursor.reached < last {
            let records = try await history.records(of: &cursor, through: last)
            #expect(records.count <= Limits.pageRecordsMax && cursor.reached > reached)
            #expect(records.allSatisfy { (reached + 1...cursor.reached).contains($0.header.sequence) })
            found += records.map(\.header.sequence)
            reached = cursor.reached
            page()
        }
        #expect(reached == last)
        return found
    }

    private static let conditions = [
        "new.counter.count > old.counter.count", "record.uid == 1001", "record.action == 'todos.edit' or counter.count > 2",
        "count(todos.items) != count(old.todos.items)", "record.sequence % 7 == 0 and count(todos.items) > 0", "false", "true",
        "any(t in todos.items: t.priority > 1)",
    ]

    @Test(arguments: conditions, [nil, "todos"])
    func `a filter with a condition finds the same records as a linear walk through all states`(text: String, feature: String?)
        async throws
    {
        let sample = try SampleLog.random(6, records: 700)
        let condition = try Expression(text, of: App.shape, on: .change)
        let wanted = (4...sample.head - 2).filter { sequence in
            let header = sample.headers[Int(sequence) - 1]
            let action = sample.actions[Int(sequence) - 1]?.value.record?.first
            guard feature == nil || action?.name == feature else { return false }
            let facts = RecordFacts(
                sequence: sequence, uid: header.origin,
                action: action.map { "\($0.name).\($0.value.record?.first?.name ?? "")" }, time: header.time, step: header.step,
                kind: header.kind.name)
            return condition.holds(
                in: StateReading<App>(sample.states[Int(sequence)]), after: StateReading<App>(sample.states[Int(sequence) - 1]),
                facts: facts)
        }
        #expect(try await found(LogQuery(feature: feature, condition: condition), in: sample) == wanted)
    }

    /// A condition that takes steps for each pair of todos and never holds.
    private static let costly = "any(t in todos.items: any(u in todos.items: t.id > u.id and u.title == 'Bread'))"

    // Skipping a record would be worse.
    @Test func `a record whose condition takes too many steps matches, as do later ones that do not change its inputs`()
        async throws
    {
        var sample = SampleLog()
        try sample.dispatch([.todos(.add((1...120).map { Todo(title: "Milk \($0)") }))])
        for _ in 0..<100 { try sample.dispatch([.counter(.increment)]) }
        let (history, query) = (sample.history(), LogQuery(condition: try Expression(Self.costly, of: App.shape, on: .change)))
        #expect(try await found(query, in: sample).isEmpty)
        var pages = 0
        let all = try await found(query, in: sample, by: history, stepsMax: 1) { pages += 1 }
        #expect(all == Array(4...sample.head - 2))
        #expect(history.work.steps <= pages * 3 * HistoryLimits.expressionSteps)
    }

    // The time of a page ends with its first record.
    @Test func `a condition that nearly reaches its limit of steps is evaluated once for each record`() async throws {
        var sample = SampleLog()
        try sample.dispatch([.todos(.add((1...120).map { Todo(title: "Milk \($0)") }))])
        for number in 1...6 { try sample.dispatch([.todos(.edit(1, TodoChanges(title: "Oats \(number)")))]) }
        let condition = try Expression(Self.costly, of: App.shape, on: .change)
        var evaluation = condition.evaluation(in: StateReading<App>(sample.state))
        while evaluation.advance() == nil {}
        let history = sample.history()
        let found = try await found(
            LogQuery(condition: condition), in: sample, by: history, stepsMax: evaluation.steps + 1)
        #expect(found.isEmpty)
        #expect(history.work.folded == sample.head - 2 && history.work.steps == 2 * evaluation.steps)
    }

    @Test(arguments: filters) func `the pages of a filter contain the same records as a selection by hand`(filter: LogQuery)
        async throws
    {
        let sample = try SampleLog.random(5, records: 700)
        let found = try await found(filter, in: sample)
        let wanted = (4...sample.head - 2).filter { sequence in
            guard case .record(let features)? = sample.actions[Int(sequence) - 1]?.value, let feature = features.first,
                case .record(let actions) = feature.value, let action = actions.first
            else { return filter.feature == nil && filter.actions.isEmpty }
            let names = [action.name, feature.name + "." + action.name]
            return filter.feature.map { $0 == feature.name } ?? true
                && (filter.actions.isEmpty || filter.actions.contains { names.contains($0) })
                && filter.origin.map { $0 == sample.headers[Int(sequence) - 1].origin } ?? true
        }
        #expect(found == wanted)
    }

    @Test func `an action name that is misspelt or belongs to another feature is reported`() {
        func unknown(_ actions: [String], of feature: String? = nil) -> [String] {
            LogQuery(feature: feature, actions: actions).unknownActions(among: App.actionNames)
        }
        #expect(unknown([]).isEmpty && unknown(["add", "todos.add", "counter.shift", "set"]).isEmpty)
        #expect(unknown(["ad", "add", "todos.ad", "Add", "todos", "", "."]) == ["ad", "todos.ad", "Add", "todos", "", "."])
        #expect(unknown(["add", "increment"], of: "counter") == ["add"])
        // The name of another feature's action is known and may be combined with others.
        #expect(unknown(["todos.add", "increment"], of: "counter").isEmpty)
        #expect(unknown(["todos.add", "todos.remove"], of: "counter") == ["todos.add", "todos.remove"])
        #expect(unknown([], of: "counter").isEmpty && unknown(["todos.add"], of: "todos").isEmpty)
    }
}
