import Chronicle
import Dates
import Expressions
import TestSupport
import Testing

@testable import todoctl

@Suite struct FilterTests {
    /// Saturday 21 November 2026, 10:00 in Berlin.
    static let reader = FilterReader(
        now: PointParserTests.now, zone: .berlin, moment: Zone.berlin.moment(at: PointParserTests.now))

    static func condition(_ words: [String]) throws -> String? { try reader.filter(words).clause?.text }

    @Test func `a view is expanded to its filter in parentheses and combined with the other words`() throws {
        var reader = Self.reader
        reader.views = ["work": "+work or +job", "over": "is:done", "two": "1 2"]
        func condition(_ words: String...) throws -> String? { try reader.filter(words).clause?.text }
        let either = "(\(Self.tagged("work")) or \(Self.tagged("job")))"
        #expect(try condition("@work", "due:none") == either + " and not due")
        #expect(try condition("(@work due:none)") == either + " and not due")
        #expect(try condition("not", "@work") == "not " + either)
        #expect(try condition("@over") == "completed" && reader.filter(["@over"]).isDefinite)
        #expect(try reader.filter(["@two"]).ids == nil && reader.filter(["@two"]).isDefinite)
        #expect(try condition("text:@work") == #"contains(title, "@work") or contains(note, "@work")"#)
        #expect(try condition("\"@work\"") == #"contains(title, "@work") or contains(note, "@work")"#)
        let unknown = #expect(throws: Failure.self) { try reader.filter(["@nobody"]) }
        #expect(
            unknown?.message
                == "There is no view nobody. To list them: todoctl view list\nTo look for the word: text:@nobody")
        let misspelt = #expect(throws: Failure.self) { try reader.filter(["@wrok"]) }
        #expect(misspelt?.code == .usage)
        #expect(misspelt?.message.hasPrefix("There is no view wrok; did you mean work? To list") == true)
        let nested = #expect(throws: Failure.self) { try reader.filter(["+a", "@work"], isView: true) }
        #expect(nested?.message == "A view can't refer to another view, such as @work. Write its filter instead.")
        reader.views["odd"] = "@work"
        #expect(throws: Failure.self) { try reader.filter(["@odd"]) }
    }

    @Test(arguments: [
        ["+work", "is:open"], ["due<next friday", "bank"], ["due<\"next friday\" or +a"], ["not", "+home"], ["Call bank"],
        ["due<friday bank"], ["(milk", "or", "wait.before:1 dec", ")"], ["\"call the bank\""], ["1-3,5"], ["created>3 days ago"],
    ])
    func `a filter in several arguments has the same meaning as in one`(words: [String]) throws {
        let text = words.map { FilterTerm.spelled($0, Self.reader) }.joined(separator: " ")
        #expect(try Self.reader.filter([text]).clause == Self.reader.filter(words).clause, "\(text)")
    }

    /// The expression for a tag in lower case.
    static func tagged(_ tag: String) -> String {
        #"any(tag in tags: lower(tag) == "\#(tag)" or startsWith(tag, "\#(tag)."))"#
    }

    private static let milk = #"contains(title, "milk") or contains(note, "milk")"#
    private static let todo = tagged("to do") + #" and (contains(title, "milk") or contains(note, "milk"))"#

    @Test(arguments: [
        (["+home"], tagged("home")), (["#home"], tagged("home")), (["+Home.Garden"], tagged("home.garden")),
        (["+\"to do\""], tagged("to do")), (["-\"to do\""], "not \(tagged("to do"))"), (["(#\"to do\" milk)"], todo),
        (["not", "+\"2 do\""], "not \(tagged("2 do"))"), (["-\"2 do\""], "not \(tagged("2 do"))"),
        (["+\"to do\" due:none"], "\(tagged("to do")) and not due"),
        (["+home,work"], "\(tagged("home")) and \(tagged("work"))"),
        (["#home,#work,"], "\(tagged("home")) and \(tagged("work"))"),
        (["-home,work"], "not \(tagged("home")) and not \(tagged("work"))"),
        (["milk", "or", "not", "-home,work"], "\(milk) or not (not \(tagged("home")) and not \(tagged("work")))"),
        (["-home"], "not \(tagged("home"))"), (["text:#home"], ##"contains(title, "#home") or contains(note, "#home")"##),
        (["milk"], #"contains(title, "milk") or contains(note, "milk")"#),
        (["title:milk"], #"contains(title, "milk")"#),
        (["11-13"], "id >= 11 and id <= 13"), (["11,12"], "id == 11 or id == 12"),
        (["11", "12-13"], "id == 11 or id >= 12 and id <= 13"),
        (["is:done"], "completed"), (["is:open"], "not completed"), (["due:none"], "not due"), (["due:any"], "due"),
        (["due<friday"], #"due < "2026-11-27""#), (["due.before:friday"], #"due < "2026-11-27""#),
        (["due<next friday"], #"due < "2026-11-27""#), (["due:today"], #"due >= "2026-11-21" and due < "2026-11-21U""#),
        (["due<1.12.", "+a"], #"due < "2026-12-01" and \#(tagged("a"))"#),
        (["due<\"next friday\" or +a"], #"due < "2026-11-27" or \#(tagged("a"))"#),
        (["wait:friday"], #"wait >= "2026-11-27" and wait < "2026-11-27U""#), (["wait<friday"], #"wait < "2026-11-27""#),
        (["wait.after:noon"], #"wait and not wait <= "2026-11-21T12:00""#), (["wait:none"], "not wait"),
        (["is:recurring"], "every"), (["not", "is:recurring"], "not every"),
        (["after:12"], "any(before in after: before == 12)"), (["after:none"], "not count(after) > 0"),
        (["after:11-12,14"], "any(before in after: before >= 11 and before <= 12 or before == 14)"),
        (["after:any", "is:open"], "count(after) > 0 and not completed"),
        (["is:waiting"], #"not completed and wait > "2026-11-21T10:00""#),
        (["priority>1"], "priority >= 2"), (["priority:high"], "priority == 3"), (["priority<low"], "not priority >= 1"),
        (["created>yesterday"], "created >= 1795215600000000"),
        (["created:20.11."], "created >= 1795129200000000 and created < 1795215600000000"),
        (["not", "(is:done", "or", "+a)"], "not (completed or \(tagged("a")))"),
        (["(title:a or title:b) and title:c"], #"(contains(title, "a") or contains(title, "b")) and contains(title, "c")"#),
        (["title:\"or not\""], #"contains(title, "or not")"#), (["\"a b\""], #"contains(title, "a b") or contains(note, "a b")"#),
        (["text:is:done"], #"contains(title, "is:done") or contains(note, "is:done")"#),
    ])
    func `words are translated to an expression`(words: [String], condition: String) throws {
        #expect(try Self.condition(words) == condition)
    }

    @Test func `a todo is blocked if it depends on an open one`() throws {
        let filter = try Self.reader.filter(["is:blocked"])
        #expect(
            filter.clause?.text == "not completed and any(before in after: list[before] and not list[before].completed)")
        #expect(filter.isDefinite)
    }

    @Test func `an empty filter matches everything`() throws {
        #expect(try Self.reader.filter([]) == Filter())
    }

    @Test func `a filter of ids is recognized as such, and one about done todos says so`() throws {
        #expect(try Self.reader.filter(["3", "5,4"]).ids == [3, 5, 4])
        for words in [["3-5"], ["3", "milk"], ["3", "or", "4"]] { #expect(try Self.reader.filter(words).ids == nil) }
        for words in [["3-5"], ["is:done", "milk"], ["not is:open"], ["completed>yesterday"], ["completed:none"]] {
            #expect(try Self.reader.filter(words).isDefinite, "\(words)")
        }
        for words in [["milk"], ["+home", "due:today"], ["created:today"]] { #expect(try !Self.reader.filter(words).isDefinite) }
        for words in [["is:waiting"], ["wait<friday"], ["milk or wait:any"]] {
            #expect(try Self.reader.filter(words).saysWaiting, "\(words)")
        }
        for words in [["milk"], ["is:overdue"], ["due:today"]] { #expect(try !Self.reader.filter(words).saysWaiting) }
    }

    @Test(arguments: [
        "colour:red", "http://example.org", "due<", "due:someday", "due<12/1", "priority>5", "is:late", "title<milk",
        "created:soon", "(milk",
        "milk)", "not", "or milk", "milk or", "milk or or bread", "()", "\"milk", "13-11", "99999999999999999999", "due.before:",
        "created:none",
    ])
    func `an invalid filter is refused with a reason`(text: String) throws {
        let failure = try #require(throws: Failure.self) { try Self.condition([text]) }
        #expect(failure.code == .usage && failure.message.hasSuffix("."), "\(failure.message)")
    }

    @Test(arguments: [
        ("due=friday", "due:friday"), ("due==friday", "due:friday"), ("due!=friday", "not due:friday"),
        ("Priority=high", "priority:high"), ("due=<friday", "due<=friday"), ("due=>friday", "due>=friday"),
        ("is=done", "is:done"), ("title=milk", "title:milk"), ("due=", "due:VALUE"),
    ])
    func `a comparison in the syntax of another program is refused with the correct form`(text: String, meant: String) throws {
        let failure = try #require(throws: Failure.self) { try Self.condition([text]) }
        #expect(failure.code == .usage)
        #expect(failure.message == "The filter “\(text)”: say \(meant). To look for the word: text:\(text).")
        #expect(try Self.condition(["text:" + text]) == #"contains(title, "\#(text)") or contains(note, "\#(text)")"#)
        #expect(throws: Never.self) { try Self.condition(["colour=red"]) }
    }

    @Test(arguments: [[""], ["  "], ["4", ""], ["\t", "+work"]])
    func `an argument without a word does not match everything`(arguments: [String]) throws {
        let failure = try #require(throws: Failure.self) { try Self.reader.filter(arguments) }
        #expect(failure.code == .usage)
        #expect(failure.message.contains("is:open"))
    }

    @Test func `an invalid date of several words is reported as a whole`() throws {
        for text in ["created<99999999999 days ago", "due:some day"] {
            let failure = try #require(throws: Failure.self) { try Self.condition([text]) }
            #expect(failure.message.contains(text.drop { $0 != "<" && $0 != ":" }.dropFirst()), "\(failure.message)")
        }
        // After a valid date, the unknown word is reported.
        let failure = try #require(throws: Failure.self) { try Self.condition(["due<friday colour:red"]) }
        #expect(failure.message.contains("“colour:red”"), "\(failure.message)")
    }

    @Test func `a filter at the maximum depth is translated, and a deeper one is refused`() throws {
        let depth = FilterReader.depthMax
        let deep =
            String(repeating: "not (is:done or ", count: depth / 2) + "due<=14:30 priority<=2"
            + String(repeating: ")", count: depth / 2)
        _ = try Expression(try #require(try Self.condition([deep])))
        _ = try Expression(try #require(try Self.condition([String(repeating: "not ", count: depth - 1) + "is:overdue"])))
        #expect(throws: Failure.self) { try Self.condition([String(repeating: "(", count: depth + 1)]) }
        #expect(throws: Failure.self) { try Self.condition([String(repeating: "not ", count: depth + 1) + "milk"]) }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a filter matches the same todos in the daemon, in the client and in a plain evaluation`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var (held, heldHere) = (0, 0)
        for _ in 0..<50 {
            let todos = (1...Int64.random(in: 2...12, using: &random)).map { PlainFilter.todo($0, &random) }
            let plain = PlainFilter.random(depth: 3, &random)
            // As one argument of a shell, or as one for each word.
            let isWhole = plain.text.contains("\"") || Bool.random(using: &random)
            let words = isWhole ? [plain.text] : plain.text.split(separator: " ").map(String.init)
            let filter = try Self.reader.filter(words)
            let found = try TodoTests.ids(TodoFilter(which: .all, filter: filter), of: todos)
            let expected = todos.filter { plain.holds($0, todos) }.map(\.id)
            #expect(found == expected, "\(plain.text)\n\(filter.clause?.text ?? "")\n\(todos)")
            if let local = filter.condition.flatMap(LocalFilter.init) {
                let found = todos.filter { local.matches($0.id, FoldedText($0)) }.map(\.id)
                #expect(found == expected, "\(plain.text)\n\(todos)")
                heldHere += expected.count
            }
            held += expected.count
        }
        // Filters that match nothing would prove nothing.
        #expect(held > 50 && heldHere > 0)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `several todos are moved together and keep their order`(seed: UInt64) {
        var random = SeededGenerator(seed)
        let list = Array(1...Int64.random(in: 2...9, using: &random))
        let ids = Array(list.shuffled(using: &random).prefix(Int.random(in: 1...list.count, using: &random)))
        let place = Int.random(in: 0...list.count - ids.count, using: &random)
        var moved = list
        for action in Move.actions(ids, to: place) {
            guard let move = action["todos"]?["move"], let id = move["id"]?.int, let index = move["index"]?.int else { continue }
            moved.removeAll { $0 == id }
            moved.insert(id, at: min(Int(index), moved.count))
        }
        var expected = list.filter { !ids.contains($0) }
        expected.insert(contentsOf: ids, at: place)
        #expect(moved == expected)
    }
}

/// A filter in words, with a second implementation that uses no expressions.
private struct PlainFilter {
    var text: String
    /// Whether a todo matches, given all todos.
    var holds: (Todo, [Todo]) -> Bool
    /// Whether the filter needs no parentheses in a conjunction or after `not`.
    var isTight: Bool
    var isOfIDs: Bool

    init(text: String, isTight: Bool = true, isOfIDs: Bool = false, among holds: @escaping (Todo, [Todo]) -> Bool) {
        (self.text, self.isTight, self.isOfIDs, self.holds) = (text, isTight, isOfIDs, holds)
    }

    init(text: String, holds: @escaping (Todo) -> Bool, isOfIDs: Bool = false) {
        self.init(text: text, isOfIDs: isOfIDs, among: { todo, _ in holds(todo) })
    }

    static func isBlocked(_ todo: Todo, _ todos: [Todo]) -> Bool {
        todo.completed == nil && todos.contains { todo.after.contains($0.id) && $0.completed == nil }
    }

    static let now = FilterTests.reader.moment
    // The minute of a date for comparison. A whole day is due at its end, which is not part of the next minute.
    static func place(_ due: Due) -> Int { due.day.number * 1441 + (due.minute ?? 1440) }

    static let dates: [(text: String, due: String)] = [
        ("today", "2026-11-21"), ("friday", "2026-11-27"), ("\"next friday\"", "2026-11-27"), ("1.12.", "2026-12-01"),
        ("eow", "2026-11-22"),
        ("\"today 9:30\"", "2026-11-21T09:30"), ("noon", "2026-11-21T12:00"), ("2026-11-21T10:00", "2026-11-21T10:00"),
        ("yesterday", "2026-11-20"),
    ]
    static let instants: [(text: String, first: String, next: String)] = [
        ("yesterday", "2026-11-20", "2026-11-21"), ("today", "2026-11-21", "2026-11-22"), ("friday", "2026-11-20", "2026-11-21"),
        ("19.11.", "2026-11-19", "2026-11-20"),
    ]
    static let words = ["milk", "Bank", "é", "or", "a", "x"]

    static func todo(_ id: Int64, _ random: inout some RandomNumberGenerator) -> Todo {
        var todo = Todo(id: id, title: (0..<2).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " "))
        if Bool.random(using: &random) { todo.note = words.randomElement(using: &random) ?? "" }
        let tags = ["home", "Work", "work.tax.Returns", "worker", "É.x", "a b"]
        todo.tags = tags.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        todo.priority = Int.random(in: 0...3, using: &random)
        let dues = dates.map(\.due) + ["2026-11-21T00:00", "2026-11-21T23:59", "2026-11-26", "2026-12-02"]
        if Bool.random(using: &random) { todo.due = dues.randomElement(using: &random).flatMap { Due(text: $0) } }
        if Bool.random(using: &random) { todo.wait = dues.randomElement(using: &random).flatMap { Due(text: $0) } }
        // Some ids are of no todo, and some are of the todo itself.
        todo.after = (0..<2).filter { _ in Bool.random(using: &random) }.map { _ in Int64.random(in: 1...14, using: &random) }
        todo.created = time("2026-11-18") + Int64.random(in: 0..<4 * 24, using: &random) * 3_600_000_000
        if Bool.random(using: &random) {
            todo.completed = time("2026-11-19") + Int64.random(in: 0..<72, using: &random) * 3_600_000_000
        }
        return todo
    }

    static func random(depth: Int, _ random: inout some RandomNumberGenerator) -> PlainFilter {
        guard depth > 0 else { return term(&random) }
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            let inner = Self.random(depth: depth - 1, &random)
            return PlainFilter(text: "not \(inner.tight)", among: { !inner.holds($0, $1) })
        case 1, 2:
            let parts = [Self.random(depth: depth - 1, &random), Self.random(depth: depth - 1, &random)]
            return PlainFilter(
                text: parts.map(\.text).joined(separator: " or "), isTight: false,
                among: { todo, todos in parts.contains { $0.holds(todo, todos) } })
        case 3:
            let parts = (0..<2).map { _ in Self.random(depth: depth - 1, &random) }
            let isPlain = parts.contains(where: \.isOfIDs) || Bool.random(using: &random)
            return PlainFilter(
                text: parts.map(\.tight).joined(separator: isPlain ? " and " : " "), isTight: false,
                among: { todo, todos in parts.allSatisfy { $0.holds(todo, todos) } })
        default: return term(&random)
        }
    }

    private var tight: String { isTight ? text : "(\(text))" }

    private static func time(_ day: String) -> Int64 { Day(iso: day[...]).map { Zone.berlin.instant($0, 0) * 1_000_000 } ?? 0 }

    private static func compare<Number: Comparable>(_ sign: String, _ left: Number, _ first: Number, _ last: Number) -> Bool {
        switch sign {
        case "<", ".before:": left < first
        case "<=": left <= last
        case ">", ".after:": left > last
        case ">=": left >= first
        default: left >= first && left <= last
        }
    }

    private static func term(_ random: inout some RandomNumberGenerator) -> PlainFilter {
        let signs = ["<", "<=", ">", ">=", ":"]
        let sign = signs.randomElement(using: &random) ?? ":"
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            let word = words[Int.random(in: 0..<words.count, using: &random)]
            let holds = { (todo: Todo) in [todo.title, todo.note].contains { $0.lowercased().contains(word.lowercased()) } }
            return PlainFilter(text: word == "or" ? "text:or" : word.uppercased() == "OR" ? "text:\(word)" : word, holds: holds)
        case 1:
            let tag = ["home", "work", "WORK.Tax", "work.t", "é", "nowhere"].randomElement(using: &random) ?? ""
            let mark = ["-", "+", "#"].randomElement(using: &random) ?? "+"
            // Level by level, if the filter compares a prefix.
            let levels = tag.lowercased().split(separator: ".")
            let holds = { (todo: Todo) in todo.tags.contains { $0.lowercased().split(separator: ".").starts(with: levels) } }
            return PlainFilter(text: mark + tag, holds: { holds($0) != (mark == "-") })
        case 2, 3:
            let (text, written) = dates[Int.random(in: 0..<dates.count, using: &random)]
            let shellSign = [sign, sign, ".before:", ".after:"].randomElement(using: &random) ?? sign
            guard let due = Due(text: written) else { return term(&random) }
            // A day lasts all of its minutes, and a todo that is due on a whole day is due at its end.
            let first = due.minute == nil ? due.day.number * 1441 : place(due)
            return PlainFilter(
                text: "due\(shellSign)\(text)",
                holds: { todo in todo.due.map { compare(shellSign, place($0), first, place(due)) } ?? false })
        case 4:
            let level = Int.random(in: 0...3, using: &random)
            return PlainFilter(
                text: "priority\(sign)\(Bool.random(using: &random) ? Priority.names[level] : String(level))",
                holds: { compare(sign, $0.priority, level, level) })
        case 5:
            return [
                PlainFilter(text: "is:done", holds: { $0.completed != nil }),
                PlainFilter(text: "is:open", holds: { $0.completed == nil }),
                PlainFilter(text: "is:waiting", holds: { $0.isWaiting(at: now) }),
                PlainFilter(text: "is:blocked", among: isBlocked),
                PlainFilter(text: "is:overdue", holds: { $0.completed == nil && $0.due?.isOver(at: now) == true }),
            ].randomElement(using: &random) ?? term(&random)
        case 6:
            let (first, last) = (Int64.random(in: 1...6, using: &random), Int64.random(in: 6...12, using: &random))
            let isRange = Bool.random(using: &random)
            return PlainFilter(
                text: isRange ? "\(first)-\(last)" : "\(first),\(last)",
                holds: { isRange ? (first...last).contains($0.id) : [first, last].contains($0.id) }, isOfIDs: true)
        case 7:
            let (text, first, next) = instants[Int.random(in: 0..<instants.count, using: &random)]
            let isOfCreation = Bool.random(using: &random)
            return PlainFilter(
                text: (isOfCreation ? "created" : "completed") + sign + text,
                holds: { todo in
                    (isOfCreation ? todo.created : todo.completed).map { compare(sign, $0, time(first), time(next) - 1) } ?? false
                })
        case 8:
            let (text, written) = dates[Int.random(in: 0..<dates.count, using: &random)]
            guard let wait = Due(text: written) else { return term(&random) }
            // A day on which a wait ends begins before its minutes.
            let begun = { (due: Due) in due.day.number * 1441 + (due.minute ?? -1) + 1 }
            let last = wait.minute == nil ? begun(wait) + 1440 : begun(wait)
            return PlainFilter(
                text: "wait\(sign)\(text)",
                holds: { todo in todo.wait.map { compare(sign, begun($0), begun(wait), last) } ?? false })
        default:
            let isNone = Bool.random(using: &random)
            if Bool.random(using: &random) {
                return PlainFilter(text: isNone ? "wait:none" : "wait:any", holds: { ($0.wait == nil) == isNone })
            }
            return PlainFilter(text: isNone ? "due:none" : "due:any", holds: { ($0.due == nil) == isNone })
        }
    }
}
