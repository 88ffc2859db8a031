import Chronicle
import Expressions
import Testing

@Suite struct ChangeTests {
    private static let old: Value = [
        "counter": ["count": 5], "todos": ["items": [["id": 1, "title": "Milk"]], "loading": false],
    ]
    private static let new: Value = [
        "counter": ["count": 3],
        "todos": ["items": [["id": 1, "title": "Bread", "completed": 7], ["id": 2, "title": "Tea"]], "loading": true],
    ]
    private static let facts = RecordFacts(
        sequence: 12, uid: 1000, action: "todos.add", time: 20_777 * 86_400_000_000, step: 11, kind: "action")

    private func holds(_ text: String, facts: RecordFacts = Self.facts) throws -> Bool {
        try Expression(text, of: ShapeTests.shape, on: .change)
            .holds(in: ValueReader(Self.new), after: ValueReader(Self.old), facts: facts)
    }

    @Test(arguments: [
        "new.counter.count < old.counter.count", "counter.count == new.counter.count", "old.counter.count - counter.count == 2",
        "count(todos.items) > count(old.todos.items)", "old.todos.items[2] == null and todos.items[2].title == 'Tea'",
        "any(t in todos.items: all(o in old.todos.items: o.id != t.id))", "sum(t in old.todos.items: t.id) == 1",
        "old.todos.items[1].title != new.todos.items[1].title", "not old.todos.loading and todos.loading",
        "record.sequence == 12 and record.uid == 1000 and record.action == 'todos.add'", "record.step < record.sequence",
        "record.kind == 'action' and startsWith(record.action, 'todos.')", "now == record.time and day(now) == day('2026-11-20')",
        "any(old in todos.items: old.id == 2)", "any(record in todos.items: record.title == 'Tea')",
        "any(now in todos.items: now.completed == 7)", "now - days(1) < record.time",
    ]) func `a condition on a record holds`(text: String) throws {
        #expect(try holds(text))
    }

    @Test func `a missing fact and a missing state are null`() throws {
        #expect(try holds("record.action == null and now == null and record.sequence == null", facts: RecordFacts()))
        let condition = try Expression("old.counter == null and counter != null", of: ShapeTests.shape, on: .change)
        #expect(condition.holds(in: ValueReader(Self.new)))
    }

    @Test(arguments: [
        ("old.counter.cuont > 1", 13, "there is no field cuont here; did you mean count?"),
        ("old > 1", 5, "old is followed by a path, like old.counter.count"),
        ("count(new)", 10, "new is followed by a path, like new.counter.count"),
        ("old.[1]", 5, "expected a name after the dot"),
        ("old.record.uid", 5, "there is no field record here, only counter, todos, stars and buttons"),
        ("record", 7, "record is followed by a fact: sequence, uid, action, time, step, kind"),
        ("record.user == 3", 8, "a fact of the record is expected: sequence, uid, action, time, step, kind"),
        ("record.uid == 'root'", 15, "a number and a text have no order and are never equal"),
        ("record.action + 1 > 2", 1, "a number is expected, and this is a text"),
        ("1 + todos.items > 2", 5, "a number is expected, and this is a list: count(LIST) is how many elements it has"),
        ("-todos.loading", 2, "a number is expected, and this is a truth value"),
        ("sum(t in todos.items: t.title) > 1", 23, "a number is expected, and this is a text"),
        ("length(counter.count) > 1", 8, "a text is expected, and this is a number"),
        ("day(todos.loading) == 1", 5, "a time or a date is expected, and this is a truth value"),
        ("days(record.kind) == 1", 6, "a number is expected, and this is a text"),
        ("lower(todos.items[1].title) == 1", 32, "a text and a number have no order and are never equal"),
    ]) func `an invalid condition on a record is refused with its column`(text: String, column: Int, message: String) {
        #expect(throws: ExpressionError(message, column: column)) { try Expression(text, of: ShapeTests.shape, on: .change) }
    }

    @Test(arguments: [
        ("old.counter.count", Subject.state, "old is a state beside a record, and no record is judged here"),
        ("new.counter.count", .state, "new is a state beside a record, and no record is judged here"),
        ("record.uid == 3", .state, "no record is judged here, so there are no facts of one"),
        ("record.uid == 3", .value, "no record is judged here, so there are no facts of one"),
        ("old.counter.count", .value, "old is a state beside a record, and no record is judged here"),
        ("now > 3", .value, "now is the time of a record, and none is judged here"),
    ]) func `only a condition on a record has old, new and facts`(text: String, subject: Subject, message: String) {
        #expect(throws: ExpressionError(message, column: 1)) { try Expression(text, of: ShapeTests.shape, on: subject) }
    }

    @Test func `a state has the time of its record`() throws {
        let condition = try Expression("now - days(1) == 0 and day(now) == counter.count - 2", of: ShapeTests.shape, on: .state)
        #expect(condition.holds(in: ValueReader(Self.new), facts: RecordFacts(time: 86_400_000_000)))
        #expect(condition.reads.facts == [.time])
    }

    @Test func `an expression that is not a number is refused as a number`() throws {
        let number = try Expression(number: "count(todos.items) * 10 + counter.count", of: ShapeTests.shape, on: .state)
        var evaluation = number.evaluation(in: ValueReader(Self.new))
        #expect(evaluation.advance(steps: .max) != nil)
        #expect(evaluation.number == 23)
        #expect(throws: ExpressionError("a number is expected, and this is a truth value", column: 1)) {
            try Expression(number: "counter.count > 3", of: ShapeTests.shape, on: .state)
        }
        #expect(throws: ExpressionError.self) { try Expression(number: "todos.items", of: ShapeTests.shape, on: .state) }
    }

    @Test func `an expression lists the places it reads in each state and the facts it reads`() throws {
        let reads = try Expression(
            "new.counter.count < old.counter.count or record.uid == count(todos.items) and now > 3", of: ShapeTests.shape,
            on: .change
        ).reads
        #expect(reads.paths.map(\.description) == ["counter.count", "todos.items"])
        #expect(reads.oldPaths.map(\.description) == ["counter.count"])
        #expect(reads.facts == [.uid, .time])
    }

    @Test(arguments: [
        ("record.uid == 3", [true]), ("record.uid == 3 and counter.count > 1", [true, false]),
        ("(record.uid == 3 and counter.count > 1) and record.kind == 'end'", [false, true]),
        ("record.uid == 3 or counter.count > 1 and record.uid == 4", [false]),
        ("true and old.counter.count == 1 and now > 1", [true, false, true]),
        ("any(t in todos.items: t.id == 1 and t.title == 'x') and record.step == 1", [false, true]),
    ]) func `a condition splits at its top-level ands`(text: String, isOfRecord: [Bool]) throws {
        let whole = try Expression(text, of: ShapeTests.shape, on: .change)
        #expect(whole.conjuncts.map(\.reads.isOfRecordAlone) == isOfRecord)
        for uid in [3, 4, 1000] as [UInt32] {
            var facts = Self.facts
            facts.uid = uid
            let parts = whole.conjuncts.map { $0.holds(in: ValueReader(Self.new), after: ValueReader(Self.old), facts: facts) }
            let holds = whole.holds(in: ValueReader(Self.new), after: ValueReader(Self.old), facts: facts)
            #expect(holds == !parts.contains(false))
        }
    }
}
