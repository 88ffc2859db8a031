import Chronicle
import Dates
import Expressions
import Terminal
import TestSupport
import Testing
import TodoAPI

import enum FeatureTodos.Todos

@testable import todoctl

@Suite struct TodoTests {
    static let now = Zone.berlin.moment(at: PointParserTests.now)
    static let plain = Paint(isTerminal: false) { _ in nil }

    static func todo(_ id: Int64, _ title: String, due: String? = nil, priority: Int = 0, tags: [String] = [], done: Bool = false)
        -> Todo
    {
        var todo = Todo(id: id, title: title)
        todo.due = due.flatMap { Due(text: $0) }
        todo.priority = priority
        todo.tags = tags
        todo.created = id
        todo.completed = done ? 5 : nil
        return todo
    }

    static let todos = [
        todo(12, "Buy 牛乳", due: "2026-11-20", tags: ["shop"]), todo(3, "call the Bank", priority: 3, tags: ["phone", "shop"]),
        todo(4, "Rent a car", due: "2026-11-21T09:00", done: true), todo(5, "Write\u{1B}[2J", due: "2026-11-21"),
    ]

    @Test func `a todo is decoded from the daemon's form, and unknown fields are ignored`() throws {
        let element = try Value(
            parsing:
                #"{"id":7,"title":"a","note":"n","tags":["x"],"priority":2,"due":"2026-12-01","wait":"2026-11-30","after":[3],"created":1,"completed":2,"shape":"round"}"#
        )
        let todo = try #require(Todo(element))
        #expect(todo.due?.text == "2026-12-01" && todo.wait?.text == "2026-11-30" && todo.after == [3])
        #expect(todo.isDone && todo.priority == 2 && todo.tags == ["x"] && todo.note == "n" && todo.created == 1)
        #expect(Todo(["title": "without an id"]) == nil)
    }

    @Test func `the columns of a table are aligned`() {
        #expect(
            TodoTable(paint: Self.plain, now: Self.now).lines(Self.todos) == [
                "12 [ ]     Buy 牛乳        overdue Fri 20 Nov 2026 #shop", " 3 [ ] !!! call the Bank   #phone #shop",
                " 4 [x]     Rent a car      due Sat 21 Nov 2026 09:00", " 5 [ ]     Write\\u{1b}[2J  due Sat 21 Nov 2026",
            ])
        #expect(TodoTable(paint: Self.plain, now: Self.now).lines([Self.todo(1, "milk")]) == ["1 [ ] milk"])
    }

    @Test func `overdue todos are red`() {
        let red = Paint(isTerminal: true) { $0 == "TERM" ? "xterm" : nil }
        let lines = TodoTable(paint: red, now: Self.now).lines(Self.todos)
        #expect(lines[0].contains("\u{1B}[31moverdue"))
        #expect(!lines[2].contains("\u{1B}[31m") && !lines[3].contains("\u{1B}[31m"))
    }

    @Test(arguments: [20, 30, 39, 40, 50, 59, 60, 70, 80, 120])
    func `each todo fits one line of the terminal, and its tags are shortened first`(width: Int) {
        let long = Self.todo(
            7, "Write the report about everything that happened in the house last year", due: "2026-11-20",
            tags: ["work", "writing"])
        let todos = Self.todos + [long, Self.todo(8, "日本語の本を読む、そして全部について書く、もう一度最初から")]
        let lines = TodoTable(paint: Self.plain, now: Self.now, width: width).lines(todos)
        #expect(lines.count == todos.count && lines.allSatisfy { Width.columns($0) <= width }, "\(lines)")
        #expect(lines[4].contains("…") && lines[4].hasPrefix(" 7 [ ]"))
        #expect(lines[0].contains("overdue") == (width >= 40))
        #expect(lines[0].contains("#shop") == (width >= 60))
    }

    @Test func `in a narrow table a near date loses its year before a title is cut`() {
        func lines(_ todos: Todo...) -> [String] { TodoTable(paint: Self.plain, now: Self.now, width: 50).lines(todos) }
        let milk = Self.todo(1, "Buy the milk for the week", due: "2026-11-30")
        let rent = Self.todo(2, "Pay the rent", due: "2027-11-20")
        #expect(
            lines(milk, rent) == [
                "1 [ ] Buy the milk for the week  due Mon 30 Nov", "2 [ ] Pay the rent               due Sat 20 Nov",
            ])
        // Dates more than twelve months ahead, or in an earlier year, keep it.
        #expect(
            lines(milk, Self.todo(3, "Far away trip", due: "2028-01-05T14:30"), Self.todo(4, "Old", due: "2025-12-31")) == [
                "1 [ ] Buy the milk for …  due Mon 30 Nov", "3 [ ] Far away trip       due Wed 5 Jan 2028 14:30",
                "4 [ ] Old                 overdue Wed 31 Dec 2025",
            ])
        #expect(DateStyle.us.withoutYear(Self.now.day) == "Sat, Nov 21")
        #expect(DateStyle.iso.withoutYear(Self.now.day) == "2026-11-21")
    }

    @Test(arguments: 40...59) func `no date is cut, and an overdue todo is marked even without its date`(width: Int) {
        var late = Self.todo(12, "Write the long report", due: "2020-11-20T14:30", priority: 3)
        late.after = [3]
        let far = Self.todo(7, "Rent", due: "2999-12-24T09:00")
        let blocking = Blocking(named: [3], open: [3])
        let lines = TodoTable(paint: Self.plain, now: Self.now, width: width, blocking: blocking).lines([late, far])
        #expect(lines.allSatisfy { Width.columns($0) <= width }, "\(lines)")
        // Marks, title and date take 11, 4 and 31 columns.
        #expect(lines[0].contains("  overdue Fri 20 Nov 2020 14:30") == (width >= 46), "\(lines)")
        #expect(lines[0].contains("  overdue"), "\(lines)")
        #expect(lines[1].contains("due ") == lines[1].hasSuffix("  due Tue 24 Dec 2999 09:00"), "\(lines)")
    }

    @Test func `a narrow table also shows until when a todo waits`() {
        var trip = Self.todo(5, "Plan the trip to the sea", due: "2026-12-24")
        trip.wait = Due(text: "2026-12-01")
        func lines(_ width: Int) -> [String] { TodoTable(paint: Self.plain, now: Self.now, width: width).lines([trip]) }
        #expect(lines(40) == ["5 [ ] Plan the t…  waits until Tue 1 Dec"])
        #expect(lines(59) == ["5 [ ] Plan the trip t…  waits until Tue 1 Dec"])
    }

    @Test func `the narrowest table also shows which todos block another`() {
        var hang = Self.todo(2, "Hang the pictures in the hall", due: "2026-12-24")
        hang.after = [1, 12, 13]
        func line(_ width: Int, _ open: Set<Int64>) -> String {
            let blocking = Blocking(named: [1, 12, 13], open: open)
            return TodoTable(paint: Self.plain, now: Self.now, width: width, blocking: blocking).lines([hang])[0]
        }
        #expect(line(39, [1]) == "2 [ ] Hang the pictures …  blocked by 1")
        #expect(line(30, [1]) == "2 [ ] Hang the …  blocked by 1")
        #expect(line(24, [1, 12, 13]) == "2 [ ] Hang the…  blocked")
        #expect(line(39, []) == "2 [ ] Hang the pictures in the hall")
    }

    @Test func `before a question the list has at most as many todos as fit the terminal`() {
        let rows: [(rows: Int?, shown: Int)] = [(nil, 10), (40, 10), (14, 10), (13, 9), (8, 4), (3, 1)]
        for (rows, shown) in rows { #expect(Selection.shownMax(rows: rows) == shown) }
    }

    @Test func `the result of a verb lists titles, or a number if there are many`() {
        let sentences = TodoSentences(Self.todos)
        #expect(sentences.done[0] == "Done 12: Buy 牛乳" && sentences.done[2] == "4 was done already: Rent a car")
        #expect(sentences.open[2] == "Reopened 4: Rent a car" && sentences.open[1] == "3 was open already: call the Bank")
        #expect(sentences.removed[3] == "Removed 5: Write\\u{1b}[2J")
        #expect(sentences.moved(false)[1] == "3 was there already: call the Bank")
        #expect(TodoSentences(ids: [1, 2, 3]).done == ["Done 1.", "Done 2.", "Done 3."])
        #expect(TodoSentences(ids: Array(1...1_200)).removed == ["Removed: 1,200 todos."])
    }

    @Test func `an edit is reported field by field`() {
        let sentences = TodoSentences([Self.todos[0]])
        func said(_ edit: TodoDraft) -> [String] { sentences.changed(at: Self.now) { _ in edit } }
        #expect(
            said(TodoDraft(title: "Buy bread", priority: 3, due: .some(Due(text: "2026-11-27")))) == [
                "12: Buy 牛乳 → Buy bread, due Fri 20 Nov 2026 → Fri 27 Nov 2026, priority none → high"
            ])
        #expect(
            said(TodoDraft(note: "more", tags: ["work"], due: .some(nil))) == [
                "12: due Fri 20 Nov 2026 → none, +work, -shop, note added"
            ])
        #expect(said(TodoDraft(wait: .some(Due(text: "2026-12-01")))) == ["12: waits until none → Tue 1 Dec 2026"])
        #expect(said(TodoDraft(after: [3, 4])) == ["12: after none → 3, 4"])
        #expect(said(TodoDraft(every: "every monday")) == ["12: recurs never → every monday"])
        #expect(said(TodoDraft(tags: ["shop"])) == ["12: it was so already"])
    }

    @Test func `a recurring todo is reported as such, and is first due on the first day of its rule`() {
        var plants = Self.todo(1, "Water the plants", due: "2026-11-30", tags: ["home"])
        plants.every = "every monday"
        #expect(
            TodoTable(paint: Self.plain, now: Self.now).lines([plants]) == [
                "1 [ ] Water the plants  due Mon 30 Nov 2026  every monday #home"
            ])
        #expect(TodoCard.lines(plants, zone: .berlin, paint: Self.plain).contains("  recurs     every monday"))
        #expect(TodoSentences.next([plants]) == ["Next 1: Water the plants (due Monday 30 November 2026)"])
        plants.remind = Due(text: "2026-11-29T09:00")
        let reminded = "Next 1: Water the plants (due Monday 30 November 2026, remind Sunday 29 November 2026 09:00)"
        #expect(TodoSentences.next([plants]) == [reminded])
        func begun(_ draft: TodoDraft, minute: Int? = nil) -> String? {
            var draft = draft
            draft.ruleMinute = minute
            draft.beginRecurring(at: Self.now)
            return (draft.due ?? nil)?.text
        }
        #expect(begun(TodoDraft(every: "every monday")) == "2026-11-23")
        #expect(begun(TodoDraft(every: "every monday"), minute: 540) == "2026-11-23T09:00")
        #expect(begun(TodoDraft(every: "3 days after done")) == "2026-11-21")
        // It is Saturday, 10:00.
        #expect(begun(TodoDraft(every: "every day")) == "2026-11-21")
        #expect(begun(TodoDraft(every: "every day"), minute: 601) == "2026-11-21T10:01")
        #expect(begun(TodoDraft(every: "every day"), minute: 600) == "2026-11-22T10:00")
        #expect(begun(TodoDraft(every: "every saturday"), minute: 540) == "2026-11-28T09:00")
        #expect(begun(TodoDraft(every: "every saturday"), minute: 720) == "2026-11-21T12:00")
        #expect(begun(TodoDraft(every: "3 days after done"), minute: 540) == "2026-11-22T09:00")
        #expect(begun(TodoDraft(due: Due(text: "2026-12-01"), every: "every monday")) == "2026-12-01")
        #expect(begun(TodoDraft(wait: Due(text: "2026-12-01"), every: "every monday")) == nil)
        #expect(begun(TodoDraft(every: "")) == nil && begun(TodoDraft()) == nil)
    }

    @Test func `an agenda begins with overdue todos, followed by the days`() {
        let todos = TodoOrder.due.sorted([
            Self.todo(1, "later", due: "2026-11-23"), Self.todo(2, "soon", due: "2026-11-22"),
            Self.todo(3, "now", due: "2026-11-21"), Self.todo(4, "late", due: "2026-11-20"),
            Self.todo(5, "also", due: "2026-11-19"),
        ])
        let sections = Agenda.sections(todos, at: Self.now)
        #expect(sections.map(\.heading) == ["Overdue", "Today", "Tomorrow", "Monday 23 November 2026"])
        #expect(sections.map { $0.todos.map(\.id) } == [[5, 4], [3], [2], [1]])
    }

    /// A todo in the form that the daemon evaluates, without its empty fields.
    static func value(_ todo: Todo) -> Value {
        var fields: [Value.Field] = [.init("id", .int(todo.id)), .init("title", .text(todo.title))]
        if !todo.note.isEmpty { fields.append(.init("note", .text(todo.note))) }
        if !todo.tags.isEmpty { fields.append(.init("tags", .list(todo.tags.map(Value.text)))) }
        if let due = todo.due { fields.append(.init("due", .text(due.text))) }
        if let wait = todo.wait { fields.append(.init("wait", .text(wait.text))) }
        if !todo.after.isEmpty { fields.append(.init("after", .list(todo.after.map(Value.int)))) }
        if todo.priority > 0 { fields.append(.init("priority", .int(Int64(todo.priority)))) }
        if let created = todo.created { fields.append(.init("created", .int(created))) }
        if let completed = todo.completed { fields.append(.init("completed", .int(completed))) }
        return .record(fields)
    }

    static func ids(_ filter: TodoFilter, of todos: [Todo] = todos, at now: Moment = now) throws -> [Int64] {
        guard let condition = try filter.condition(at: now) else { return todos.map(\.id) }
        let values = todos.map(value)
        let list = ListView(path: "todos.items", count: values.count) { Array(values[$0]) }
        let ids = try ids(condition, of: list, values)
        // The elements have their positions as in the daemon's state, which has no todo 0.
        guard todos.allSatisfy({ $0.id > 0 }) else { return ids }
        let rows = try #require(Todos.lists(of: Todos.State(["items": .list(values)])).first)
        #expect(try ids == Self.ids(condition, of: rows, values), "\(condition)")
        return ids
    }

    private static func ids(_ condition: String, of list: ListView, _ values: [Value]) throws -> [Int64] {
        let memory = ListMemory()
        var asked = try Expression(condition, on: .element).condition(onElementsOf: list)
        return values.indices.filter { place in
            var passed: [Int] = []
            _ = asked.sift(place..<place + 1, &passed, stepsMax: .max, memory: memory)
            guard !passed.isEmpty else { return false }
            asked.begin(at: place)
            return asked.advance(steps: .max) == true
        }.compactMap { values[$0]["id"]?.int }
    }

    @Test func `a filter matches as documented`() throws {
        let ids = { (filter: TodoFilter) in try Self.ids(filter) }
        #expect(try ids(TodoFilter()) == [12, 3, 5])
        #expect(try ids(TodoFilter(which: .all)) == [12, 3, 4, 5])
        #expect(try ids(TodoFilter(which: .done)) == [4])
        #expect(try ids(TodoFilter(which: .all, isOverdueOnly: true)) == [12])
        #expect(try ids(TodoFilter(tags: ["shop"])) == [12, 3])
        #expect(try ids(TodoFilter(tags: ["shop", "phone"])) == [3])
        #expect(try ids(TodoFilter(words: ["BANK", "call"])) == [3])
        #expect(try ids(TodoFilter(words: ["phone"])) == [3])
        #expect(try ids(TodoFilter(words: ["乳"])) == [12])
        #expect(try ids(TodoFilter(words: ["nothing"])) == [])
        #expect(try ids(TodoFilter(which: .done, isOverdueOnly: true)) == [])
        #expect(try ids(TodoFilter(words: ["\u{1B}[2j"])) == [5])
        #expect(try ids(TodoFilter(tags: ["shop"], words: ["\"", "\\"])) == [])
    }

    @Test func `a waiting todo is left out of the open ones until its day or minute, unless requested`() throws {
        let waits = ["2026-11-20", "2026-11-21", "2026-11-21T10:00", "2026-11-21T10:01", "2026-11-22"]
        var todos = waits.enumerated().map { index, wait in
            var todo = Self.todo(Int64(index), wait)
            todo.wait = Due(text: wait)
            return todo
        }
        todos[1].completed = 5
        #expect(todos.filter { $0.isWaiting(at: Self.now) }.map(\.id) == [3, 4])
        #expect(try Self.ids(TodoFilter(), of: todos) == [0, 2])
        #expect(try Self.ids(TodoFilter().ofWaiting, of: todos) == [3, 4])
        #expect(try Self.ids(TodoFilter(which: .all), of: todos) == [0, 1, 2, 3, 4])
        let asked = Filter(condition: .term(FilterTerm(ids: [2...9])), saysWaiting: true)
        #expect(try Self.ids(TodoFilter(filter: asked), of: todos) == [2, 3, 4])
        #expect(
            TodoTable(paint: Self.plain, now: Self.now).lines([todos[0], todos[4]]) == [
                "0 [ ] 2026-11-20", "4 [ ] 2026-11-22  waits until Sun 22 Nov 2026",
            ])
    }

    @Test func `a todo is blocked by the open ones among its dependencies`() {
        var (first, second, third) = (Self.todo(1, "paint"), Self.todo(2, "hang"), Self.todo(3, "look", done: true))
        (second.after, third.after) = ([1, 3, 9], [1])
        let blocking = Blocking(named: [1, 3, 9], open: [1])
        #expect(blocking.blockers(of: second) == [1] && blocking.blockers(of: third) == [] && blocking.blockers(of: first) == [])
        #expect([first, second, third].map(blocking.isBlocker) == [true, false, false])
        first.tags = ["home"]
        #expect(
            TodoTable(paint: Self.plain, now: Self.now, blocking: blocking).lines([first, second, third]) == [
                "1 [ ] paint  #home", "2 [ ] hang   blocked by 1", "3 [x] look",
            ])
        let before = [Int64(1): first, 3: third]
        #expect(
            TodoCard.lines(second, before: before, zone: .berlin, paint: Self.plain)[1...3] == [
                "  after      1: paint (open)", "             3: look (done)", "             9 (removed)",
            ])
    }

    @Test func `ids may be separated by commas`() {
        #expect(TodoIDs(argument: "12")?.ids == [12] && TodoIDs(argument: "12,3")?.ids == [12, 3])
        for text in ["", "12,", "a", "0", "-1", "1-3", "1 2"] { #expect(TodoIDs(argument: text) == nil) }
    }

    @Test func `a tag matches its parent tags regardless of case, but not a longer word`() throws {
        let todos = ["work", "Work.Tax", "worker", "work."].enumerated().map { Self.todo(Int64($0), $1, tags: [$1]) }
        #expect(try Self.ids(TodoFilter(tags: ["WORK"]), of: todos) == [0, 1, 3])
        #expect(try Self.ids(TodoFilter(tags: ["work.tax"]), of: todos) == [1])
        #expect(try Self.ids(TodoFilter(tags: ["tax"]), of: todos) == [])
    }

    @Test func `tags may be separated by commas and have an optional sign`() {
        #expect(Tags.typed(["#work,home", "a b", "x, #y", "+z", "++z"]) == ["work", "home", "a b", "x", "y", "z", "+z"])
        // The daemon reports that a tag needs a character.
        #expect(Tags.typed(["work,", ""]) == ["work", "", ""])
        #expect(Tags.named(by: "+work") == "work" && Tags.named(by: "#work") == "work")
        #expect(["work", "+", "#", "-work"].allSatisfy { Tags.named(by: $0) == nil })
    }

    @Test func `a todo is overdue according to its due date, at every minute around it`() throws {
        let dues = [
            "2026-11-21", "2026-11-21T10:05", "2026-11-21T23:59", "2026-11-22", "2026-11-22T00:00", "2026-11-22T00:01",
            "2026-11-23",
        ]
        let todos = dues.enumerated().map { Self.todo(Int64($0), $1, due: $1) }
        for minute in 0..<3 * 24 * 60 as Range<Int64> {
            let now = Zone.berlin.moment(at: PointParserTests.now + minute * 60)
            let over = todos.filter { $0.due?.isOver(at: now) == true }.map(\.id)
            #expect(try Self.ids(TodoFilter(isOverdueOnly: true), of: todos, at: now) == over, "\(minute)")
        }
    }

    @Test func `a selection with too many ids, words or tags is refused before it is sent`() throws {
        let fits = TodoFilter(which: .all, words: [String(repeating: "a", count: 1_300)])
        #expect(try fits.condition(at: Self.now)?.utf8.count ?? .max <= TodoFilter.conditionBytesMax)
        let failure = #expect(throws: Failure.self) {
            try TodoFilter(words: Array(repeating: "milk", count: 100)).condition(at: Self.now)
        }
        #expect(failure?.code == .usage)
        #expect(failure?.message.contains("ids, words and tags") == true)
        #expect(TodoFilter.conditionBytesMax == ExpressionLimits.bytesMax)
    }

    @Test func `sorting is stable`() {
        func ids(_ order: TodoOrder) -> [Int64] { order.sorted(Self.todos).map(\.id) }
        #expect(ids(.list) == [12, 3, 4, 5])
        #expect(ids(.due) == [12, 5, 4, 3])
        #expect(ids(.priority) == [3, 12, 4, 5])
        #expect(ids(.title) == [12, 3, 4, 5])
        #expect(ids(.created) == [3, 4, 5, 12])
        #expect(ids(.id) == [3, 4, 5, 12])
        #expect(ids(.urgency) == [12, 3, 4, 5])
    }

    @Test func `a card has all fields`() {
        var todo = Self.todo(3, "Buy", due: "2026-12-01", priority: 3, tags: ["a", "b"], done: true)
        todo.note = "one\ntwo\u{7}"
        todo.wait = Due(text: "2026-11-30")
        #expect(
            TodoCard.lines(todo, zone: .berlin, paint: Self.plain) == [
                "3: Buy", "  due        Tuesday 1 December 2026", "  waits      until Monday 30 November 2026",
                "  priority   high", "  tags       #a #b",
                "  created    Thursday 1 January 1970 01:00", "  completed  Thursday 1 January 1970 01:00", "  note       one",
                "             two\\u{7}",
            ])
    }

    @Test func `pages of a state are combined`() throws {
        var state = try Value(parsing: #"{"todos":{"items":[],"draft":"d"},"counter":{"count":1}}"#)
        state.append(page: try Value(parsing: #"{"todos":{"items":[{"id":1},{"id":2}]}}"#))
        state.append(page: try Value(parsing: #"{"todos":{"items":[{"id":3}]}}"#))
        #expect(
            state == (try Value(parsing: #"{"todos":{"items":[{"id":1},{"id":2},{"id":3}],"draft":"d"},"counter":{"count":1}}"#)))
    }
}
