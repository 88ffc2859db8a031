import Chronicle
import Dates
import TestSupport
import Testing
import TodoFormats

@testable import todoctl

/// The changes that an import makes, planned without a daemon.
@Suite struct ImportPlanTests {
    static let place = FormatPlace(zone: .berlin)
    static let now = Zone.berlin.moment(at: 1_795_000_000)

    func plan(_ text: String, _ format: TodoFormat, into list: [Todo] = []) throws -> ImportPlan {
        try ImportPlan(format.read(Array(text.utf8), at: Self.place), format, into: list, at: Self.place, Self.now)
    }

    /// The list after an import into an empty list, as the daemon would return it.
    func imported(_ text: String, _ format: TodoFormat) throws -> [Todo] {
        let plan = try plan(text, format)
        return try plan.added.enumerated().map { index, added in
            var fields = plan.draft(added, now: 1_795_000_000_000_000).fields
            fields.append(.init("id", .int(Int64(index + 1))))
            return try #require(Todo(.record(fields)))
        }
    }

    private static let samples: [(TodoFormat, String)] = [
        (.taskwarrior, #"[{"uuid":"a","description":"Pay","entry":"20261101T080000Z","due":"20261130T225959Z","foo":1}]"#),
        (.todotxt, "(D) 2026-11-01 Pay +home @work rec:1w due:2026-12-01\nx 2026-11-02 2026-11-01 Buy\nPay\n"),
        (.ics, "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nSUMMARY:Pay\nRRULE:FREQ=DAILY\nPRIORITY:2\nEND:VTODO\nEND:VCALENDAR\n"),
        (.markdown, "- [ ] Pay #home\n- [x] Buy\n- [ ] Pay\n"),
        (.csv, "id,title,colour,completed\n7,Pay,red,2026-11-02T08:00:00Z\n,Buy,,\n"),
        (.csv, "title,every,due,remindBefore\nPay,every monday,2027-03-01,PT15M\n"),
        (.json, #"[{"id":"b","title":"Go","remind":"2027-03-01T09:00"},{"id":"c","title":"Old","remind":"2020-03-01T09:00"}]"#),
        (.taskwarrior, #"[{"uuid":"a","description":"Pay\nthe rent","annotations":[],"tags":["a b"],"due":"","wait":null}]"#),
        (.todotxt, "Pay \u{1B}[31mred\u{2028} @a\n"), (.markdown, "- [ ] Pay \u{7}\u{85} #a\n"),
        (.ics, "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nSUMMARY:Pay\nPERCENT-COMPLETE:100\nEND:VTODO\nEND:VCALENDAR\n"),
        (.json, #"[{"id":"a","title":"Pay","colour":{"r":1}},{"title":"Buy","due":"2026-12-01T14:30"}]"#),
    ]

    @Test(arguments: samples)
    func `importing a file again changes nothing`(format: TodoFormat, text: String) throws {
        let list = try imported(text, format)
        #expect(!list.isEmpty)
        let again = try plan(text, format, into: list.reversed())
        #expect(again.isEmpty && again.unchanged == list.count, "\(again.added) \(again.changed)")
    }

    @Test(arguments: TodoFormat.allCases) func `importing an export changes nothing`(format: TodoFormat) throws {
        var list: [Todo] = []
        for (index, title) in ["Pay the rent", "Buy milk, bread", "Call the bank"].enumerated() {
            var todo = Todo(id: Int64(index + 1), title: title)
            todo.note = "first\n\nthird"
            todo.tags = ["work.tax", "two words"]
            todo.priority = index
            todo.due = Due(text: "2026-12-01T00:00")
            todo.wait = Due(text: "2026-12-05")
            todo.after = index > 0 ? [Int64(index)] : []
            todo.created = 1_795_000_000_123_456 + Int64(index)
            todo.completed = index == 1 ? 1_795_000_900_123_456 : nil
            todo.every = ["3 days after done", "", "every month on the 31st"][index]
            todo.remind = index == 2 ? Due(text: "2020-01-01T09:00") : nil
            if index == 0 { (todo.remind, todo.remindBefore) = (Due(text: "2026-11-30T23:45"), 900_000_000) }
            list.append(todo)
        }
        let names = TodoNames(list, format)
        let text = format.write(list.map(names.foreign), at: Self.place)
        let plan = try plan(text, format, into: list)
        #expect(plan.isEmpty && plan.unchanged == 3, "\(plan.added) \(plan.changed)")
    }

    static let watering = "BEGIN:VTODO\nUID:a\nSUMMARY:Water\nRRULE:FREQ=MONTHLY\nX-A:b\n"

    func calendar(_ due: String, _ more: String = "") -> String {
        "BEGIN:VCALENDAR\n\(Self.watering)DUE;VALUE=DATE:\(due)\n\(more)END:VTODO\nEND:VCALENDAR\n"
    }

    @Test func `changes to a recurring todo that was completed here apply to the next one of its series`() throws {
        var done = try #require(try imported(calendar("20270131"), .ics).first)
        (done.completed, done.every) = (1_795_000_000_000_000, "")
        var next = Todo(id: 2, title: "Water")
        (next.due, next.every, next.series) = (Due(text: "2027-02-28"), "every month on the 31st", 1)
        let again = try plan(calendar("20270131"), .ics, into: [next, done])
        #expect(again.isEmpty && again.unchanged == 1, "\(again.changed)")
        let noted = try plan(calendar("20270131", "DESCRIPTION:all\n"), .ics, into: [next, done])
        #expect(noted.changed.map(\.todo.id) == [2] && noted.changed.first?.draft == TodoDraft(note: "all"), "\(noted.changed)")
        let later = try plan(calendar("20270305"), .ics, into: [next, done])
        #expect(later.changed.map(\.todo.id) == [2] && later.changed.first?.draft.due == .some(Due(text: "2027-03-05")))
        #expect(try plan(calendar("20270131"), .ics, into: [done]).isEmpty, "the file does not say that it is open")
        let gone = try plan(calendar("20270131", "STATUS:NEEDS-ACTION\n"), .ics, into: [done])
        #expect(gone.changed.map(\.todo.id) == [1] && gone.changed.first?.isDone == false)
    }

    @Test func `a completed line of a series matches the completed todo, and an open line matches the next one`() throws {
        let first = "Water due:2026-12-31 rec:+1m\n"
        var done = try #require(try imported("2026-11-20 " + first, .todotxt).first)
        (done.completed, done.every) = (1_795_000_000_000_000, "")
        var next = Todo(id: 2, title: "Water")
        (next.due, next.every, next.series) = (Due(text: "2027-01-31"), "every month on the 31st", 1)
        let (x, open) = ("x 2026-11-28 2026-11-20 " + first, "2026-11-28 Water due:2027-01-31 rec:+1m\n")
        for text in [x, x + open, open + x] {
            let again = try plan(text, .todotxt, into: [next, done])
            #expect(again.added.isEmpty, "\(again.added)")
            let isSame = again.changed.allSatisfy { $0.isDone == nil && $0.draft.due == nil && $0.draft.every == nil }
            #expect(isSame, "\(again.changed)")
        }
        // The file completed the next todo as well, so the one after it updates the next todo here.
        let more = x + "x 2027-01-31 2026-11-28 Water due:2027-01-31 rec:+1m\n2027-01-31 Water due:2027-02-28 rec:+1m\n"
        let later = try plan(more, .todotxt, into: [next, done])
        #expect(later.added.map(\.isDone) == [true] && later.changed.allSatisfy { $0.isDone == nil }, "\(later)")
        #expect(later.changed.first { $0.todo.id == 2 }?.draft.due == .some(Due(text: "2027-02-28")), "\(later.changed)")
        var floss = try #require(try imported("- [ ] Floss\n", .markdown).first)
        (next.title, floss.completed) = ("Floss", 1_795_000_000_000_000)
        #expect(try plan("- [x] Floss\n", .markdown, into: [next, floss]).changed.allSatisfy { $0.isDone == nil })
        // A todo that was reopened here gets no rule, because the rule stays with the next one.
        done.completed = nil
        let opened = try plan(first, .todotxt, into: [next, done])
        #expect(opened.changed.allSatisfy { $0.draft.every == nil } && opened.added.isEmpty, "\(opened.changed)")
    }

    @Test func `a line with the same title and no due date does not match the next todo of a series`() throws {
        let text = "Milk t:2026-12-06\nMilk due:2026-12-03 rec:+1d\n"
        var list = try imported(text, .todotxt)
        let index = try #require(list.firstIndex { !$0.every.isEmpty })
        var next = Todo(id: 3, title: "Milk")
        (next.due, next.every, next.series) = (Due(text: "2026-12-04"), "every day", list[index].id)
        (list[index].completed, list[index].every) = (1_795_000_000_000_000, "")
        let again = try plan(text, .todotxt, into: [next] + list)
        #expect(again.isEmpty && again.unchanged == 2, "\(again.changed)")
    }

    @Test func `a later completion or a removed rule in a file applies to the next todo of the series`() throws {
        var done = try #require(try imported(calendar("20270131"), .ics).first)
        (done.completed, done.every) = (1_795_000_000_000_000, "")
        var next = Todo(id: 2, title: "Water")
        (next.due, next.every, next.series) = (Due(text: "2027-02-28"), "every month on the 31st", 1)
        let later = try plan(calendar("20270228", "STATUS:COMPLETED\n"), .ics, into: [next, done])
        #expect(later.changed.map(\.todo.id) == [2] && later.changed.first?.isDone == true, "\(later.changed)")
        func task(_ more: String) -> String {
            #"[{"uuid":"a","parent":"b","description":"Pay","status":"pending","due":"20261231T110000Z"\#(more)}]"#
        }
        var pay = try #require(try imported(task(#","recur":"monthly""#), .taskwarrior).first)
        #expect(pay.every == "every month")
        pay.completed = 1_795_000_000_000_000
        pay.every = ""
        (next.title, next.due, next.every) = ("Pay", pay.due, "every month on the 31st")
        let dropped = try plan(task(""), .taskwarrior, into: [next, pay])
        #expect(dropped.changed.first { $0.todo.id == 2 }?.draft.every == "", "\(dropped.changed)")
    }

    @Test func `the next task that Taskwarrior added to a series matches the next todo here`() throws {
        func task(_ id: String, _ more: String) -> String {
            #"{"uuid":"\#(id)","parent":"p","description":"Pay","recur":"weekly",\#(more)}"#
        }
        let first = #""due":"20261201T110000Z""#
        let pending = task("a", #""status":"pending","# + first)
        var done = try #require(try imported("[\(pending)]", .taskwarrior).first)
        (done.completed, done.every) = (1_795_000_000_000_000, "")
        var next = Todo(id: 2, title: "Pay")
        (next.due, next.every, next.series) = (Due(text: "2026-12-08T12:00"), "every week", 1)
        let second = task("b", #""status":"pending","due":"20261208T110000Z""#)
        let both = task("a", #""status":"completed","# + first) + "," + second
        let again = try plan("[\(both)]", .taskwarrior, into: [next, done])
        #expect(again.added.isEmpty && again.changed.allSatisfy { $0.isDone == nil && $0.draft.due == nil }, "\(again)")
        #expect(again.changed.first { $0.todo.id == 2 }?.draft.origin?.source == "taskwarrior:b", "\(again.changed)")
    }

    @Test func `the warning of an import includes concurrent changes of its todos and added todos with its titles`() throws {
        let list = [Todo(id: 1, title: "Pay"), Todo(id: 2, title: "Call")]
        let concern = ImportWarning(try plan("- [x] Pay\n- [ ] Buy\n", .markdown, into: list))
        func change(_ kind: Change.Kind, _ id: Int64, _ title: String) -> Change {
            Change(path: "todos.items", kind: kind, id: id, new: kind == .remove ? nil : ["id": .int(id), "title": .text(title)])
        }
        #expect(concern.includes(change(.replace, 1, "Pay")) && concern.includes(change(.remove, 1, "Pay")))
        #expect(concern.includes(change(.insert, 3, "Buy")))
        let others = [change(.insert, 3, "Go"), change(.replace, 2, "Call Anna"), change(.remove, 2, ""), change(.move, 1, "")]
        #expect(!others.contains(where: concern.includes))
    }

    @Test func `todos with equal titles are matched one to one, completed lines with completed todos`() throws {
        let text = "- [ ] Pay\n- [x] Pay\n- [ ] Pay\n"
        let list = try imported(text, .markdown)
        #expect(try plan(text, .markdown, into: list.reversed()).unchanged == 3)
        let more = try plan(text + "- [ ] Pay\n", .markdown, into: list)
        #expect(more.added.count == 1 && more.unchanged == 3)
        let own = (1...3 as ClosedRange<Int64>).map { id in
            var todo = Todo(id: id, title: "Pay")
            todo.completed = id < 3 ? 1_795_000_000_000_000 : nil
            return todo
        }
        let known = try plan("- [x] Pay\n- [ ] Pay\n- [ ] Pay\n", .markdown, into: own)
        #expect(known.added.count == 1 && known.changed.isEmpty && known.unchanged == 2, "\(known.changed)")
    }

    @Test func `differences are listed, and fields that a format can't express are kept`() throws {
        var list = try imported("Pay the rent due:2026-12-01\n", .todotxt)
        list[0].note = "by hand"
        let plan = try plan("x 2026-11-20 Pay the rent due:2026-12-02 rec:1m\nNew one\n", .todotxt, into: list)
        #expect(plan.counts == "1 added, 1 changed")
        let change = try #require(plan.changed.first)
        #expect(change.draft.due == .some(Due(text: "2026-12-02")) && change.draft.note == nil && change.isDone == true)
        #expect(change.draft.origin?.attributes == [ForeignAttribute("rec", "1m")])
        let details = "other details from its file"
        #expect(plan.lines == ["  + New one", "  ~ 1: done, due Tue 1 Dec 2026 → Wed 2 Dec 2026, \(details)"])
        #expect(change.actions.count == 2 && change.actions[1]["todos"]?["complete"]?["completed"] == .int(1_795_129_200_000_000))
    }

    @Test func `an open line does not match a todo completed long ago, unless that was imported from such a file`() throws {
        var done = Todo(id: 1, title: "Water the plants")
        done.completed = 5
        #expect(try plan("- [ ] Water the plants\n", .markdown, into: [done]).added.count == 1)
        #expect(try plan("- [x] Water the plants\n", .markdown, into: [done]).unchanged == 1)
        var imported = try imported("- [ ] Water the plants\n", .markdown)
        imported[0].completed = 5
        #expect(try plan("- [ ] Water the plants\n", .markdown, into: imported).changed.first?.isDone == false)
    }

    private var full: Todo {
        var todo = Todo(id: 1, title: "Pay the rent")
        (todo.note, todo.tags, todo.priority, todo.due) = ("by hand", ["home"], 3, Due(text: "2027-03-01"))
        (todo.every, todo.after, todo.created, todo.wait) = ("every monday", [2], 5, Due(text: "2027-02-01"))
        (todo.remind, todo.remindBefore) = (Due(text: "2027-02-28T09:00"), 86_400_000_000)
        return todo
    }

    @Test func `fields without a column or member in the file are kept`() throws {
        var before = Todo(id: 2, title: "Call")
        (before.created, before.completed) = (6, 7)
        let list = [full, before]
        let name = TodoIdentity.uuid(id: 1, created: 5)
        #expect(try plan("id,title\n\(name),Pay the rent\n", .csv, into: list).unchanged == 1)
        #expect(try plan(#"[{"id":"\#(name)","title":"Pay the rent"}]"#, .json, into: list).unchanged == 1)
        let done = TodoIdentity.uuid(id: 2, created: 6)
        #expect(try plan("id,title\n\(done),Call\n", .csv, into: list).unchanged == 1)
        let emptied = try plan("id,title,due,every,remindBefore\n\(name),Pay the rent,,,\n", .csv, into: list)
        let draft = try #require(emptied.changed.first?.draft)
        #expect(draft.due == .some(nil) && draft.every == "" && draft.remind == .some(nil))
        #expect(draft.note == nil && draft.tags == nil && draft.priority == nil && draft.wait == nil)
    }

    static let silent: [(TodoFormat, String)] = [
        (.taskwarrior, #"[{"uuid":"a","description":"Pay the rent"}]"#),
        (.ics, "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nSUMMARY:Pay the rent\nPRIORITY:0\nEND:VTODO\nEND:VCALENDAR\n"),
        (.todotxt, "Pay the rent\n"), (.markdown, "- [ ] Pay the rent\n"),
    ]

    @Test(arguments: silent)
    func `fields that a user added to an imported todo are kept if the file omits them`(
        format: TodoFormat, text: String
    ) throws {
        var list = try imported(text, format)
        let origin = list[0].origin
        list[0] = full
        (list[0].origin, list[0].after) = (origin, [])
        #expect(try plan(text, format, into: list).isEmpty)
        list[0].completed = 7
        // Without a status, a Taskwarrior task or a calendar todo does not count as open.
        let again = try plan(text, format, into: list)
        #expect(again.isEmpty == (format == .taskwarrior || format == .ics))
        #expect(again.changed.allSatisfy { $0.isDone == false && $0.draft == TodoDraft() })
        // A todo that was exported but never imported also keeps its later changes.
        let name = TodoIdentity.uuid(id: 1, created: 5)
        (list[0].origin, list[0].completed) = (nil, nil)
        let named = text.replacing("\"a\"", with: "\"\(name)\"").replacing("UID:a", with: "UID:\(name)")
        #expect(try plan(named, format, into: list).isEmpty)
    }

    @Test func `a value of the last import that the file no longer contains is removed`() throws {
        func task(_ more: String) -> String { #"[{"uuid":"a","description":"Pay"\#(more)}]"# }
        let pending = #","due":"20270301T080000Z","status":"pending""#
        let list = try imported(task(#","priority":"H""# + pending), .taskwarrior)
        #expect(list[0].origin?.value["said"] == ["title", "priority:3", "due:2027-03-01T09:00", "done:"])
        let less = try plan(task(pending), .taskwarrior, into: list)
        #expect(less.changed.map(\.draft.priority) == [0] && less.changed.first?.draft.due == nil)
        #expect(less.changed.first?.draft.origin?.said == ["title", "due:2027-03-01T09:00", "done:"])
        // Imports of older versions did not record the values of the file.
        var earlier = list
        earlier[0].origin?.said = []
        let known = try plan(task(""), .taskwarrior, into: earlier)
        #expect(known.changed.map(\.draft) == [TodoDraft(origin: known.changed.first?.draft.origin)])
        let emptied = try plan(task(#","priority":"","tags":[]"#), .taskwarrior, into: earlier)
        #expect(emptied.changed.map(\.draft.priority) == [0])
    }

    @Test func `a todo keeps its first origin when another file updates it`() throws {
        let tasks = #"[{"uuid":"a","description":"Pay","estimate":3}]"#
        var list = try imported(tasks, .taskwarrior)
        list[0].created = 5
        let name = TodoIdentity.uuid(id: 1, created: 5)
        let lines = ["BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:\(name)", "SUMMARY:Pay", "X-A:b", "PRIORITY:1"]
        let calendar = (lines + ["END:VTODO", "END:VCALENDAR"]).map { $0 + "\n" }.joined()
        let plan = try plan(calendar, .ics, into: list)
        #expect(plan.changed.map(\.draft) == [TodoDraft(priority: 3)])
        #expect(try self.plan(tasks, .taskwarrior, into: list).isEmpty)
    }

    @Test func `importing the native JSON list, or a part of it, changes nothing`() throws {
        let items: Value = [
            [
                "id": 1, "title": "Pay the rent", "note": "by hand", "tags": ["home"], "priority": 3, "due": "2027-03-01",
                "created": 5, "wait": "2027-02-01", "after": [2], "every": "every monday", "remind": "2027-02-28T09:00",
                "series": 1, "remindBefore": 86_400_000_000,
            ], ["id": 2, "title": "Call", "created": 6],
        ]
        let list = try #require(items.list).compactMap(Todo.init)
        var first = full
        first.series = 1
        #expect(list.count == 2 && list[0] == first)
        #expect(try plan(items.description, .json, into: list).unchanged == 2)
        let one = try #require(items.list?.first)
        #expect(try plan(Value.list([one]).description, .json, into: list).unchanged == 1)
    }

    @Test func `past reminders and relative ones without a due date are dropped, and other relative ones stay relative`() throws {
        let text = "title,due,remind,remindBefore\nPay,2027-03-01,,P1D\nGo,,2020-01-01T09:00,\nCall,,,PT15M\n"
        let plan = try plan(text, .csv)
        let drafts = plan.added.map { plan.draft($0, now: 0) }
        #expect(drafts.map(\.remindBefore) == [86_400_000_000, nil, nil])
        #expect(drafts.map { $0.remind ?? nil } == [Due(text: "2027-02-28T09:00"), nil, nil])
    }

    @Test func `dependencies are resolved by name, and missing ones are dropped`() throws {
        let text = #"[{"uuid":"a","description":"One","depends":["b","gone"]},{"uuid":"b","description":"Two"}]"#
        var list = try imported(text, .taskwarrior)
        #expect(try plan(text, .taskwarrior, into: list).changed.map(\.after) == [["b"]])
        list[0].after = [2]
        #expect(try plan(text, .taskwarrior, into: list).isEmpty)
    }

    private func tasks(_ tasks: [(name: String, after: [String])]) -> String {
        let lines = tasks.map { task in
            let depends = task.after.map { "\"\($0)\"" }.joined(separator: ",")
            return #"{"uuid":"\#(task.name)","description":"Task \#(task.name)","depends":[\#(depends)]}"#
        }
        return "[\n\(lines.joined(separator: ",\n"))\n]\n"
    }

    @Test func `a dependency cycle is reported with its lines before anything is sent`() throws {
        func cycle(_ text: String, into list: [Todo] = []) throws -> String? {
            ImportCycle(try plan(text, .taskwarrior, into: list))?.sentence
        }
        let said = "these would wait for each other: "
        #expect(try cycle(tasks([("a", ["b"]), ("b", ["a"])])) == said + "line 2 after line 3 after line 2")
        #expect(
            try cycle(tasks([("x", ["a"]), ("a", ["b", "x2"]), ("b", ["c"]), ("c", ["a"])]))
                == said + "line 3 after line 4 after line 5 after line 3")
        #expect(try cycle(tasks([("a", ["b", "c"]), ("b", ["c"]), ("c", []), ("d", ["a", "b", "c", "gone"])])) == nil)
        // A dependency on itself is dropped, so it is not a cycle.
        #expect(try cycle(tasks([("a", ["a"]), ("b", ["a"])])) == nil)
        // A cycle through a todo that is in the list and not in the file.
        var list = try imported(tasks([("a", []), ("b", [])]), .taskwarrior)
        list[0].after = [2]
        #expect(try cycle(tasks([("b", ["a"])]), into: list) == said + "line 2 after todo 1 after line 2")
        #expect(try cycle(tasks([("a", []), ("b", ["a"])]), into: list) == nil, "the file reverses the dependency")
        // An existing cycle, which an undo can create, is not reported.
        list[1].after = [1]
        #expect(try cycle(tasks([("c", ["a"]), ("d", ["c"])]), into: list) == nil)
        #expect(try cycle(tasks([("b", ["a"]), ("a", ["b"])]), into: list) == nil)
        #expect(try cycle(tasks([("b", ["a", "c"]), ("c", [])]), into: list) == said + "line 2 after todo 1 after line 2")
    }

    @Test func `the search for cycles in a very long chain does not overflow the stack`() throws {
        let count = 20_000
        var chain = (0..<count).map { (name: "t\($0)", after: ["t\($0 + 1)"]) }
        #expect(try ImportCycle(plan(tasks(chain), .taskwarrior)) == nil)
        chain[count - 1].after = ["t0"]
        let cycle = try #require(try ImportCycle(plan(tasks(chain), .taskwarrior)))
        #expect(cycle.places.count == count + 1 && cycle.sentence.hasSuffix("line 10 after …"))
    }

    @Test func `a duplicate name in a file is one todo`() throws {
        let plan = try plan("id,title\n1,Pay\n1,Pay again\n", .csv)
        #expect(plan.added.map(\.title) == ["Pay"] && plan.leftOut == 1)
    }

    @Test func `an origin decodes from its wire form and encodes to it`() throws {
        let value: Value = [
            "source": "ics:a", "attributes": [["name": "RRULE", "text": "FREQ=DAILY"]],
            "said": ["title", "note:0123456789abcdef", "done:", "tag:a:b"],
        ]
        let origin = try #require(Origin(value))
        #expect(origin.value == value && origin.name(in: .ics) == "a" && origin.name(in: .csv) == nil)
        #expect(origin.attributes == [ForeignAttribute("RRULE", "FREQ=DAILY")])
        let todo = try #require(Todo(["id": 3, "title": "Pay", "origin": value]))
        #expect(todo.origin == origin && TodoNames([todo], .ics).foreign(todo).source == "a")
        #expect(TodoNames([todo], .csv).foreign(todo).attributes.isEmpty)
    }

    @Test func `an import is split into parts with a limited number and size of actions`() {
        #expect(TodoImporter.parts([], most: 3, bytes: 10) == [])
        #expect(TodoImporter.parts([1, 1, 1, 1], most: 3, bytes: 100) == [0..<3, 3..<4])
        #expect(TodoImporter.parts([90, 5, 200, 1], most: 3, bytes: 100) == [0..<2, 2..<3, 3..<4])
    }
}
