import Chronicle
import Expressions
import Synchronization
import TestSupport
import Testing

@Suite struct EvaluationTests {
    @Test(arguments: [
        "counter.count == 3", "counter.count > 2 and counter.count < 4", "not counter.count > 3",
        "todos.items[12].title == 'Milk'", #"todos.items[@1].title == "Bread""#, "todos.items[@-1].id == 9",
        #"stars["apple/swift"].starCount == 5"#, #"stars["b\"q"].starCount == 0"#, "count(todos.items) == 3", "count(stars) == 2",
        "count(todos.items[12].tags) == 2", "any(todo in todos.items: todo.completed)",
        "all(todo in todos.items: todo.title != '')", "count(todo in todos.items: todo.priority > 0) == 2",
        "any(todo in todos.items: any(tag in todo.tags: tag == 'home'))", "todos.items[9].title == '\\u{C9}t\\u{E9}'",
        "todos.items[12].tags[@0] == 'shop'", "false or true", "not (false and true)", "true and not false or false",
        "any(star in stars: star.phase == 'unstar')", "todos.items", "-5 < 0", "'a' < 'b' and 'B' < 'a' and 'a' < 'aa'",
        "any(a in todos.items: any(b in todos.items: a.id < b.id and a.title == 'Bread'))",
        "any(counter in todos.items: counter.id == 12)", "any(x in todos.items: any(x in x.tags: x == 'shop'))",
        " \n\tcounter.count\t==\n3 ", "counter[\"count\"] == 3", "count.count == null", "all.any == null",
        "9223372036854775807 > -9223372036854775808", "contains(todos.items[12].title, 'IL')", "contains('', '')",
        "contains(todos.items[9].title, '\\u{E9}T')", "any(t in todos.items: contains(t.title, 'read') and t.completed)",
        "count(t in todos.items: contains(t.title, '')) == 3", "any(t in todos.items: any(g in t.tags: contains(g, 'HO')))",
        "contains('\\u{3A3}\\u{130}', '\\u{3C3}i\\u{307}')", "contains('a' , 'A') and not contains == 3",
        "1 + 2 * 3 == 7 and (1 + 2) * 3 == 9 and 7 - 2 - 1 == 4", "counter.count-1 == 2 and counter.count -1 == 2",
        "-counter.count == -3 and - -3 == 3 and 2 - -1 == 3", "7 / 2 == 3 and -7 / 2 == -3 and 7 % 4 == 3 and -7 % 4 == -3",
        "counter.count * 2 > 5 and 5 < counter.count + 3", "-9223372036854775808 + 1 == -9223372036854775807",
        "sum(t in todos.items: t.priority) == 3", "min(t in todos.items: t.id) == 7", "max(t in todos.items: t.id * 2) == 24",
        "sum(t in empty: 1) == 0", "max(t in empty: 1) == null", "min(t in todos.items: t.completed) == 1000",
        "sum(t in todos.items: count(t.tags)) == 2", "sum(s in stars: s.starCount) == 5",
        "any(t in todos.items: t.id == max(u in todos.items: u.id))",
        "length('') == 0 and length('\\u{1F389}\\u{E9}') == 2", "length(todos.items[12].title) == 4",
        "lower('\\u{C9}T\\u{C9}') == '\\u{E9}t\\u{E9}'", "startsWith(todos.items[12].title, 'mI')",
        "endsWith(todos.items[9].title, 'T\\u{C9}')", "startsWith('', '') and endsWith('a', '')", "startsWith('\\u{130}x', 'i')",
        "day(0) == 0 and day(-1) == -1 and day(86400000000) == 1 and day(86399999999) == 0",
        "day('2026-11-20') == 20777 and day('2026-11-20T14:30') == 20777 and day('1970-01-01') == 0 and day('1969-12-31') == -1",
        "day('2024-02-29') - day('2024-02-28') == 1 and day('2000-03-01') - day('2000-02-28') == 2",
        "days(2) == 172800000000 and day(days(20777) + 1) == day('2026-11-20')", "now == null and old == null and sum == null",
    ]) func `a true condition holds`(text: String) throws {
        #expect(try Sample.holds(text))
    }

    @Test(arguments: [
        "counter.count != 3", "counter.count < 3", "todos.items[12].completed", "todos.items[13]", "todos.items[@3]",
        "todos.items[@-4]", "missing", "missing.deeper[3][@0].x", "any(x in missing: true)", "any(x in empty: true)",
        "counter.count.deeper", "todos.loading", "null", "nothing", "count(counter.count) > 0", "false and true or false",
        "not todos.draft", "'\u{E9}' == 'e\u{301}'", "contains(todos.items[12].title, 'milks')",
        "contains(todos.items[13].title, '')", "contains(missing, '')", "contains(counter.count, '3')",
        "contains(todos.items, '')",
        "startsWith('abc', 'abcd')", "endsWith('abc', 'zabc')", "startsWith('abc', 'b')", "endsWith(3, '3')",
        "startsWith(null, '')",
        "contains('caf\u{E9}', 'cafe')", "contains('caf\u{E9}', 'e\u{301}')", "contains('', 'a')", "contains(null, '')",
    ]) func `a false condition does not hold`(text: String) throws {
        #expect(try !Sample.holds(text))
    }

    @Test(
        arguments: [
            ("1 == '1'", false), ("1 != '1'", true), ("1 < '2'", false), ("1 >= '0'", false), ("null == null", true),
            ("null == false", false), ("null < 1", false), ("null <= null", false), ("true == true", true),
            ("true <= true", false),
            ("false < true", false), ("todos.items == todos.items", false), ("todos.items != todos.items", true),
            ("todos < counter", false), ("missing == null", true), ("missing != null", false), ("all(x in 1.count: false)", nil),
            ("all(x in counter.count: false)", true), ("any(x in counter.count: true)", false), ("0", true), ("''", true),
            ("empty", true), ("all(x in empty: false)", true), ("count(x in empty: true) == 0", true),
        ] as [(String, Bool?)]) func `an operation on values of different types is defined`(text: String, expected: Bool?)
    {
        #expect((try? Sample.holds(text)) == expected)
    }

    @Test func `reading the length or one element by ID materializes no other elements`() throws {
        let reader = PagedReader(count: 1_000_000)
        #expect(try Expression("count(todos.items) == 1000000 and todos.items[77].title == 'todo 77'").holds(in: reader))
        #expect(reader.counts.made.withLock { $0 } == 1)
        #expect(try Expression("todos.items[@-1].id == 999999").holds(in: reader))
        #expect(reader.counts.made.withLock { $0 } == 2)
        #expect(try Expression("any(todo in todos.items: todo.id == 3)").holds(in: reader))
        #expect(reader.counts.made.withLock { $0 } <= 2 + ExpressionLimits.pageElementsMax)
    }

    @Test func `an evaluation pauses at its step limit and gives the same result`() throws {
        let expression = try Expression("count(a in todos.items: count(b in todos.items: b.id <= a.id) > 90) == 10")
        for steps in [1, 7, 100, 100_000] {
            var evaluation = expression.evaluation(in: PagedReader(count: 100))
            var pauses = 0
            var answer: Bool?
            while answer == nil {
                answer = evaluation.advance(steps: steps)
                pauses += 1
            }
            #expect(answer == true)
            #expect(pauses > 30_000 / steps)
            #expect(evaluation.advance() == true)
        }
    }

    @Test func `a search takes steps linear in the text, for any sought text`() throws {
        let text = String(repeating: "a", count: 640_000)
        for sought in ["b", "ab", String(repeating: "a", count: 2_000) + "b"] {
            var evaluation = try Expression("contains(text, '\(sought)')").evaluation(in: ValueReader(["text": .text(text)]))
            #expect(evaluation.advance(steps: .max) == false)
            #expect((10_000...10_010).contains(evaluation.steps))
        }
    }

    @Test(arguments: ["<", "==", ">="])
    func `a comparison takes steps linear in the shorter text`(comparison: String) throws {
        let texts = ValueReader([
            "a": .text(String(repeating: "x", count: 64_000)), "b": .text(String(repeating: "x", count: 128_000)),
        ])
        var evaluation = try Expression("a \(comparison) b").evaluation(in: texts)
        #expect(evaluation.advance(steps: .max) != nil)
        #expect((1_000...1_010).contains(evaluation.steps))
    }

    @Test(arguments: ["any(map in maps: map['key 1599'].x == 1)", "any(map in lists: map[1599].x == 1)"])
    func `finding a part takes steps linear in the number of parts`(text: String) throws {
        let state: Value = [
            "maps": [.record((0..<1_600).map { Value.Field("key \($0)", ["x": 0]) })],
            "lists": [.list((0..<1_600).map { ["id": .int($0), "x": 0] })],
        ]
        var evaluation = try Expression(text).evaluation(in: ValueReader(state))
        #expect(evaluation.advance(steps: .max) == false)
        #expect((100...110).contains(evaluation.steps))
    }

    @Test func `a search in a non-ASCII text takes one step per four bytes`() throws {
        let text = String(repeating: "É", count: 32_768)
        var evaluation = try Expression("contains(text, 'zzz')").evaluation(in: ValueReader(["text": .text(text)]))
        #expect(evaluation.advance(steps: .max) == false)
        #expect((16_384...16_394).contains(evaluation.steps))
    }

    @Test func `a search equals a byte search in the lower-case text`() throws {
        var dice = SeededGenerator(7)
        let letters = ["a", "K", "\u{212A}", "\u{130}", "i", "\u{307}", "É", "é", "Σ", "ς", "ẞ", "ǅ", "𐐀", "中", "Ⴀ"]
        for _ in 0..<5_000 {
            func text(_ counts: ClosedRange<Int>) -> String {
                (0..<Int.random(in: counts, using: &dice)).map { _ in letters.randomElement(using: &dice) ?? "" }.joined()
            }
            let (text, sought) = (text(0...12), text(1...3))
            let (bytes, wanted) = (Array(text.lowercased().utf8), Array(sought.lowercased().utf8))
            let isContained =
                bytes.count >= wanted.count
                && (0...bytes.count - wanted.count).contains { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) }
            var evaluation = try Expression("contains(text, '\(sought)')").evaluation(in: ValueReader(["text": .text(text)]))
            #expect(evaluation.advance(steps: .max) == isContained, "\(sought) in \(text)")
        }
    }

    @Test(arguments: [
        "9223372036854775807 + 1", "-9223372036854775808 - 1", "4611686018427387904 * 2", "1 / 0", "1 % 0",
        "-9223372036854775808 / -1", "-(-9223372036854775808)", "1 + null", "missing - 1", "1 + 'a'", "days(9223372036854775807)",
        "sum(t in todos.items: 9223372036854775807)", "length(3)", "lower(3)", "day('2026-02-29')", "day('2026-13-01')",
        "day('2026-11-20 14:00')", "day('soon')", "day('')", "day(todos.items)", "day('2026-1-120')",
    ]) func `an undefined result is null and never traps`(text: String) throws {
        #expect(try Sample.holds("(\(text)) == null"))
        #expect(try !Sample.holds(text))
        #expect(try !Sample.holds("(\(text)) < 1 or (\(text)) >= 1"))
    }

    @Test func `text functions take steps linear in the text`() throws {
        let texts = ValueReader(["text": .text(String(repeating: "É", count: 32_768))])
        for (text, steps) in [("length(text) > 0", 1_024), ("lower(text) == ''", 16_384), ("startsWith(text, 'é')", 0)] {
            var evaluation = try Expression(text).evaluation(in: texts)
            #expect(evaluation.advance(steps: .max) != nil)
            #expect((steps...steps + 10).contains(evaluation.steps), "\(text)")
        }
    }

    @Test func `an expression lists the places it reads`() throws {
        let expression = try Expression("counter.count > 1 and any(t in todos.items: t.id == counter.count) or counter.count < 0")
        #expect(expression.reads.paths.map(\.description) == ["counter.count", "todos.items"])
        #expect(expression.text.hasPrefix("counter.count > 1"))
    }
}
