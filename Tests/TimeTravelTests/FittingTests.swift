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
        RecordFilter(), RecordFilter(feature: "todos"), RecordFilter(actions: ["add", "counter.increment"]),
        RecordFilter(feature: "todos", actions: ["remove"]), RecordFilter(feature: "todos", actions: ["counter.increment"]),
        RecordFilter(origin: 1001), RecordFilter(feature: "counter", origin: 1002), RecordFilter(actions: ["Add"]),
    ]

    /// The matching records from 4 to the third from the last, in pages.
    private func found(
        _ filter: RecordFilter, in sample: SampleLog, by history: History<App>? = nil, stepsMax: Int = .max,
        page: () -> Void = {}
    ) async throws -> [UInt64] {
        let (history, last) = (history ?? sample.history(), sample.head - 2)
        var (found, reached): ([UInt64], UInt64) = ([], 3)
        var cursor = try FilterCursor<App>(filter, after: reached, stepsMax: stepsMax)
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
        #expect(try await found(RecordFilter(feature: feature, condition: text), in: sample) == wanted)
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
        let (history, filter) = (sample.history(), RecordFilter(condition: Self.costly))
        #expect(try await found(filter, in: sample).isEmpty)
        var pages = 0
        let all = try await found(filter, in: sample, by: history, stepsMax: 1) { pages += 1 }
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
            RecordFilter(condition: Self.costly), in: sample, by: history, stepsMax: evaluation.steps + 1)
        #expect(found.isEmpty)
        #expect(history.work.folded == sample.head - 2 && history.work.steps == 2 * evaluation.steps)
    }

    @Test func `a condition that can't be parsed is refused as a filter`() {
        #expect(throws: ExpressionError.self) { try FilterCursor<App>(RecordFilter(condition: "counter.coun > 1"), after: 0) }
    }

    @Test(arguments: filters) func `the pages of a filter contain the same records as a selection by hand`(filter: RecordFilter)
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
            RecordFilter(feature: feature, actions: actions).unknownActions(among: App.actionNames)
        }
        #expect(unknown([]).isEmpty && unknown(["add", "todos.add", "counter.shift", "set"]).isEmpty)
        #expect(unknown(["ad", "add", "todos.ad", "Add", "todos", "", "."]) == ["ad", "todos.ad", "Add", "todos", "", "."])
        #expect(unknown(["add", "increment"], of: "counter") == ["add"])
        // The name of another feature's action is known and may be combined with others.
        #expect(unknown(["todos.add", "increment"], of: "counter").isEmpty)
        #expect(unknown(["todos.add", "todos.remove"], of: "counter") == ["todos.add", "todos.remove"])
        #expect(unknown([], of: "counter").isEmpty && unknown(["todos.add"], of: "todos").isEmpty)
    }

    @Test func `an invalid subscription is refused with a reason`() {
        func why(_ name: String, _ actions: [String] = [], of feature: String? = nil, where condition: String? = nil) -> String? {
            SubscriptionRow.objection(
                to: name, wanting: RecordFilter(feature: feature, actions: actions, condition: condition))
        }
        let long = String(repeating: " ", count: 513)
        #expect(why("a", where: long)?.contains("512 bytes") == true && why("a", where: String(long.dropLast())) == nil)
        #expect(why("mail-2.x_y", ["add"]) == nil && why("now") == nil)
        #expect(why("")?.contains("1 to 64 bytes") == true && why(String(repeating: "n", count: 65)) != nil)
        #expect(why("2nd")?.contains("letter") == true && why("a b")?.contains("letters, digits") == true)
        #expect(why("a\u{1B}[2J") != nil && why("a\"b") != nil)
        #expect(why("a", Array(repeating: "add", count: 65)) != nil && why("a", [""]) != nil)
        #expect(why("a", [String(repeating: "x", count: 129)]) != nil)
    }
}
