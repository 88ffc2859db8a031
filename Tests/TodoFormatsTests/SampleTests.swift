import Dates
import TestSupport
import Testing
import TodoFormats

/// Samples of files that other programs write.
@Suite struct SampleTests {
    private static let place = FormatPlace(zone: .berlin) { $0 == "America/New_York" ? Zone.newYork : nil }

    private func read(_ text: String, _ format: TodoFormat) throws -> [ForeignTodo] {
        try format.read(Array(text.utf8), at: Self.place).todos
    }

    private func write(_ todos: [ForeignTodo], _ format: TodoFormat) -> String { format.write(todos, at: Self.place) }

    private func error(_ text: String, _ format: TodoFormat) -> String {
        do throws(FormatError) {
            _ = try format.read(Array(text.utf8), at: Self.place)
            return ""
        } catch {
            return error.description
        }
    }

    @Test func `an export of Taskwarrior is read and all its attributes are written back`() throws {
        let text = #"""
            [
            {"id":1,"description":"Call the \"bank\"","due":"20261201T225959Z","entry":"20261120T101500Z","estimate":3.5,"modified":"20261120T101500Z","priority":"H","project":"Home.Money","recur":"weekly","scheduled":"20261129T230000Z","status":"pending","tags":["phone","next"],"uuid":"f0b1b1a0-0000-4000-8000-000000000001","annotations":[{"entry":"20261120T101600Z","description":"ask for Ada"},{"entry":"20261120T101700Z","description":"before noon"}],"depends":["f0b1b1a0-0000-4000-8000-000000000002"],"urgency":12.3},
            {"id":0,"description":"Pay","end":"20261121T080000Z","entry":"20261101T080000Z","status":"completed","due":"20261130T230000Z","uuid":"f0b1b1a0-0000-4000-8000-000000000002","urgency":0},
            {"id":0,"description":"Gone","status":"deleted","uuid":"f0b1b1a0-0000-4000-8000-000000000003"},
            {"id":3,"description":"Pattern","status":"recurring","uuid":"f0b1b1a0-0000-4000-8000-000000000004"}
            ]
            """#
        let reading = try TodoFormat.taskwarrior.read(Array(text.utf8), at: Self.place)
        #expect(reading.leftOut == 2 && reading.todos.map(\.line) == [2, 3])
        let first = try #require(reading.todos.first)
        #expect(first.title == "Call the \"bank\"" && first.source == "f0b1b1a0-0000-4000-8000-000000000001")
        #expect(first.tags == ["project:Home.Money", "phone", "next"] && first.priority == 3)
        #expect(first.due == Due(text: "2026-12-01T23:59") && first.note == "ask for Ada\nbefore noon")
        #expect(first.after == ["f0b1b1a0-0000-4000-8000-000000000002"] && first.created == 1_795_169_700_000_000)
        #expect(reading.todos[1].isDone && reading.todos[1].due == Due(text: "2026-12-01"))
        #expect(try first.every == Recurrence("every week") && first.attribute("recur") == nil)
        let written = write(reading.todos, .taskwarrior)
        for part in [
            #""due":"20261201T225959Z""#, #""estimate":3.5"#, #""recur":"weekly""#, #""scheduled":"20261129T230000Z""#,
            #"{"entry":"20261120T101600Z","description":"ask for Ada"}"#, #""project":"Home.Money""#,
            #""end":"20261121T080000Z""#,
            #""due":"20261130T230000Z""#, #""depends":["f0b1b1a0-0000-4000-8000-000000000002"]"#, #""tags":["phone","next"]"#,
        ] { #expect(written.contains(part), "\(part)") }
        #expect(!written.contains("urgency") && !written.contains("modified"))
        var changed = first
        changed.due = Due(text: "2026-12-02")
        changed.note = "ask for Ada\nafter noon"
        let again = write([changed], .taskwarrior)
        #expect(again.contains(#""due":"20261201T230000Z""#))
        #expect(again.contains(#"{"entry":"20261120T101600Z","description":"ask for Ada"}"#))
        #expect(again.contains(#"{"entry":"20261120T101601Z","description":"after noon"}"#))
    }

    @Test func `one task per line is read as well, and an invalid one is refused with its line`() throws {
        let lines = #"{"description":"One","uuid":"a","depends":"b,c"},\#n{"description":"Two","uuid":"b"}\#n"#
        #expect(try read(lines, .taskwarrior).map(\.title) == ["One", "Two"])
        #expect(try read(lines, .taskwarrior)[0].after == ["b", "c"])
        #expect(error("[\n{\"description\":\"a\"},\n{\"uuid\":\"b\"}\n]", .taskwarrior) == "Line 3: a task needs a description.")
        #expect(error("[\n{\"description\":\"a\",\"due\":\"soon\"}]", .taskwarrior).hasPrefix("Line 2: due is not a time"))
        #expect(error("[\n\n{\"description\":tru", .taskwarrior).hasPrefix("Line 3: this is not valid JSON"))
        #expect(error(String(repeating: "[", count: 100_000), .taskwarrior).contains("nested too deep"))
    }

    @Test func `todo txt is read with projects, contexts and keys, and written back`() throws {
        let text = """
            (A) 2026-11-20 Call Mom +Family @phone due:2026-12-01 rec:+1w
            x 2026-11-21 2026-11-01 Buy the milk @shop pri:B
            Email +john about http://example.org/a:b at 14:30
            (D) Sort the attic t:2026-12-05T1430 id:77

            x Done without a day
            """
        let todos = try read(text, .todotxt)
        let email = "Email +john about http://example.org/a:b at 14:30"
        #expect(todos.map(\.title) == ["Call Mom", "Buy the milk", email, "Sort the attic", "Done without a day"])
        #expect(todos[0].tags == ["project:Family", "phone"] && todos[0].priority == 3)
        #expect(todos[0].due == Due(text: "2026-12-01"))
        #expect(try todos[0].every == Recurrence("every week") && todos[0].attributes.isEmpty)
        #expect(todos[1].isDone && todos[1].priority == 2 && todos[1].completed == 1_795_215_600_000_000)
        #expect(todos[2].tags == ["project:john"] && todos[2].attributes.isEmpty)
        #expect(todos[3].priority == 1 && todos[3].wait == Due(text: "2026-12-05T14:30") && todos[3].source == "77")
        #expect(todos[4].isDone && todos[4].completed == nil && todos[4].line == 6)
        let expected = text.split(separator: "\n").map(String.init)
        #expect(write(todos, .todotxt).split(separator: "\n").map(String.init) == expected)
    }

    @Test func `a calendar is read with folds, escapes and time zones, and unknown properties are written back`() throws {
        let text = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTIMEZONE", "TZID:America/New_York", "END:VTIMEZONE", "BEGIN:VTODO",
            "UID:a@example.org", "DTSTAMP:20261120T101500Z", "SUMMARY;LANGUAGE=de:Milch\\, Brot\\; und ", " Käse",
            "DESCRIPTION:eins\\nzw",
            "\tei\\\\", "CATEGORIES:home,a\\,b", "CATEGORIES:shop", "PRIORITY:3", "DUE;TZID=\"America/New_York\":20261201T083000",
            "DTSTART;VALUE=DATE:20261128", "RRULE:FREQ=WEEKLY;BYDAY=MO", "X-FOO;BAR=\"a:b\":c:d", "STATUS:IN-PROCESS",
            "BEGIN:VALARM", "TRIGGER:-PT15M", "END:VALARM", "END:VTODO", "BEGIN:VEVENT", "SUMMARY:No todo", "END:VEVENT",
            "begin:vtodo", "summary:Done", "completed:20261121T080000Z", "end:vtodo", "BEGIN:VTODO", "SUMMARY:Never",
            "STATUS:CANCELLED", "END:VTODO", "END:VCALENDAR",
        ].map { $0 + "\r\n" }.joined()
        let reading = try TodoFormat.ics.read(Array(text.utf8), at: Self.place)
        #expect(reading.leftOut == 1 && reading.todos.count == 2)
        let todo = reading.todos[0]
        #expect(todo.title == "Milch, Brot; und Käse" && todo.note == "eins\nzwei\\" && todo.source == "a@example.org")
        #expect(todo.tags == ["home", "a,b", "shop"] && todo.priority == 3 && !todo.isDone && todo.line == 6)
        #expect(todo.due == Due(text: "2026-12-01T14:30") && todo.wait == Due(text: "2026-11-28"))
        #expect(try todo.every == Recurrence("every monday") && todo.attribute("RRULE") == nil)
        // Relative to DTSTART, which has another time than the due date.
        #expect(todo.reminder == nil && todo.attribute("BEGIN") != nil)
        #expect(reading.todos[1].isDone && reading.todos[1].completed == 1_795_248_000_000_000)
        let written = write(reading.todos, .ics)
        for line in [
            "DUE:20261201T133000Z", "X-TODOD-WAIT:2026-11-28", "RRULE:FREQ=WEEKLY;BYDAY=MO", "X-FOO;BAR=\"a:b\":c:d",
            "PRIORITY:3",
            "STATUS:IN-PROCESS", "BEGIN:VALARM\r\nTRIGGER:-PT15M\r\nEND:VALARM", "CATEGORIES:home,a\\,b,shop",
            "SUMMARY:Milch\\, Brot\\; und Käse",
        ] { #expect(written.contains(line + "\r\n"), "\(line)") }
        #expect(try read(written, .ics).map(\.bare).map(\.due) == reading.todos.map(\.due))
        #expect(try read(written, .ics)[0].wait == Due(text: "2026-11-28"))
    }

    @Test func `a long calendar line is folded at 75 bytes and never within a character`() {
        let written = write([ForeignTodo(title: String(repeating: "長い", count: 100))], .ics)
        let lines = written.split(separator: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 75 } && lines.count > 8)
    }

    @Test(arguments: [
        ("BEGIN:VCALENDAR\nBEGIN:VTODO\nEND:VEVENT", "Line 3: END:VEVENT ends nothing that began."),
        ("BEGIN:VCALENDAR\nBEGIN:VTODO\n", "Line 2: BEGIN:VTODO has no end."),
        ("SUMMARY:a", "Line 1: BEGIN:VCALENDAR is expected."),
        ("BEGIN:VCALENDAR\nnothing", "Line 2: expected a name and a colon."),
        (
            "BEGIN:VCALENDAR\nBEGIN:VTODO\nDUE:soon\nEND:VTODO\nEND:VCALENDAR",
            "Line 3: DUE is not a date such as 20261201 or 20261201T133000Z."
        ),
        (String(repeating: "BEGIN:A\n", count: 20), "Line 17: components are nested too deep."),
    ]) func `a file that is not a calendar is refused with its line`(text: String, sentence: String) {
        #expect(error(text, .ics) == sentence)
    }

    @Test func `task lists of Markdown are read flat, and the rest of the page is skipped`() throws {
        let text = """
            # Today
            - [ ] Call the bank #phone #work.tax
              * [X] Old bank
                1. [x] Letter
            - no box
            -[ ] no space
            - [ ]
            ```
            - [ ] example
            ```
            + [ ] Issue #12 is open
            """
        let todos = try read(text, .markdown)
        #expect(todos.map(\.title) == ["Call the bank", "Old bank", "Letter", "Issue #12 is open"])
        #expect(todos.map(\.isDone) == [false, true, true, false] && todos[0].tags == ["phone", "work.tax"])
        #expect(write(todos, .markdown).hasPrefix("- [ ] Call the bank #phone #work.tax\n- [x] Old bank\n"))
    }

    @Test func `a table is read by its header, and other columns are written back`() throws {
        let text = "Title;Due;Colour;Priority;Tags\r\n\"Call \"\"Ada\"\"\r\nnow\";2026-12-01 14:30;red;high;a, b\r\nPay;;;;\r\n"
        let todos = try read(text, .csv)
        #expect(todos[0].title == "Call \"Ada\"\r\nnow" && todos[0].due == Due(text: "2026-12-01T14:30"))
        #expect(todos[0].priority == 3 && todos[0].tags == ["a", "b"] && todos[1].title == "Pay" && todos[1].line == 4)
        #expect(todos[0].attributes == [ForeignAttribute("colour", "red")])
        #expect(try read(write(todos, .csv), .csv).map(\.bare) == todos.map(\.bare))
        #expect(error("title,due\nPay,soon", .csv) == "Line 2: due is not a date such as 2026-12-01T14:30: “soon”.")
        #expect(error("title,due\nPay", .csv) == "Line 2: the header names 2 columns, and 1 is here.")
        #expect(error("name\nPay", .csv).hasPrefix("Line 1: the header names no column title"))
        #expect(error("title\n\"Pay\n\n", .csv) == "Line 2: the quote that begins here is not closed.")
        #expect(error("title\n\"Pay\" now", .csv) == "Line 2: text follows the quote that ends a field.")
    }

    @Test func `the output of list is read like a list of its own, with times in two forms`() throws {
        let text = """
            {"sequence":4,"state":{"todos":{"items":[{"id":3,"title":"Pay","created":1795169700000000,"due":"2026-12-01"}]}}}
            """
        let todo = try #require(try read(text, .json).first)
        #expect(todo.source == TodoIdentity.uuid(id: 3, created: 1_795_169_700_000_000) && todo.due == Due(text: "2026-12-01"))
        let other = try read(#"[{"title":"Pay","created":"2026-11-20T11:15:00+01:00","colour":{"r":1}}]"#, .json)[0]
        #expect(other.created == todo.created && other.attributes == [ForeignAttribute("colour", #"{"r":1}"#)])
        #expect(write([other], .json).contains(#""created":"2026-11-20T10:15:00Z","colour":{"r":1}"#))
        #expect(error(#"[{"title":"a"},\#n{"title":"b","priority":7}]"#, .json) == "Line 2: priority is not one of 0 to 3.")
    }

    @Test func `values that a table or an object can't represent are left out`() throws {
        let all = Set(TodoFormat.Part.allCases)
        #expect(try read("id,title,due\n1,Pay,\n", .csv)[0].unsaid == all.subtracting([.due]))
        #expect(try read("title,remindBefore,completed\nPay,,\n", .csv)[0].unsaid == all.subtracting([.reminder, .done]))
        let objects = try read(#"[{"title":"Pay","due":null,"tags":[]},{"title":"Go","note":"","done":false}]"#, .json)
        #expect(objects.map(\.unsaid) == [all.subtracting([.due, .tags]), all.subtracting([.note, .done])])
    }

    @Test func `the numbers of dependencies refer to todos of the same file, or are ignored`() throws {
        let text = #"{"items":[{"id":3,"title":"a","created":5,"after":[4]},{"id":4,"title":"b","created":6,"after":[9,3]}]}"#
        let todos = try read(text, .json)
        #expect(todos[0].after == [TodoIdentity.uuid(id: 4, created: 6)] && !todos[0].unsaid.contains(.after))
        #expect(todos[1].after == [TodoIdentity.uuid(id: 3, created: 5)] && todos[1].unsaid.contains(.after))
    }

    @Test func `the native list is read with rules and reminders, and without extra attributes`() throws {
        let text = """
            [{"id":3,"title":"a","created":5,"due":"2026-12-01","every":"every monday","remind":"2026-11-30T09:00",
            "remindBefore":86400000000,"series":2,"origin":{"source":"ics:a"}},
            {"id":4,"title":"b","created":6,"remind":"2026-12-01T09:00","reminded":"2026-12-01T09:00"}]
            """
        let todos = try read(text, .json)
        let attributes = todos.flatMap(\.attributes)
        #expect(attributes.isEmpty)
        #expect(try todos[0].every == Recurrence("every monday") && todos[0].reminder == .before(minutes: 1440))
        #expect(todos[1].reminder == nil && todos[1].unsaid.contains(.reminder))
        #expect(write(todos, .json).contains(#""every":"every monday","remindBefore":"P1D""#))
        #expect(
            error(#"[{"title":"a","every":"often"}]"#, .json) == "Line 1: every is not a rule such as “every monday”: “often”.")
        #expect(error(#"[{"title":"a","remindBefore":"P20Y"}]"#, .json).hasPrefix("Line 1: remindBefore is not a duration"))
    }

    @Test func `an empty field of a task clears the value, and a note of any length is read back`() throws {
        let none = #"[{"uuid":"a","description":"Pay","due":null,"wait":"","end":"","tags":null,"annotations":[],"recur":""}]"#
        let todo = try read(none, .taskwarrior)[0]
        #expect(todo.due == nil && todo.attributes.isEmpty && todo.expressed == [.due, .wait, .note, .every])
        var long = todo
        long.note = (1...2_000).map { "line \($0) of a long note" }.joined(separator: "\n")
        #expect(try read(write([long], .taskwarrior), .taskwarrior)[0].note == long.note)
    }

    @Test func `the last of several tasks of one recurrence recurs`() throws {
        func task(_ name: String, _ day: Int) -> String {
            #"{"uuid":"\#(name)","description":"Water","parent":"p","recur":"2w","due":"202612\#(day)T080000Z"}"#
        }
        let todos = try read("[\(task("a", 15)),\(task("b", 29)),\(task("c", 10))]", .taskwarrior)
        #expect(try todos.map(\.every) == [nil, Recurrence("every 2 weeks"), nil])
        #expect(todos.allSatisfy { $0.attribute("recur") == nil && $0.unsaid.isEmpty })
        #expect(write(todos, .taskwarrior).contains(#""recur":"biweekly""#))
    }

    @Test(arguments: [
        ("+1w", "every week"), ("1w", "1 week after done"), ("+2m", "every 2 months"), ("10d", "10 days after done"),
    ])
    func `rec of todo txt is a recurrence rule`(rec: String, rule: String) throws {
        let todo = try read("Pay rec:\(rec)", .todotxt)[0]
        #expect(todo.every?.text == rule && write([todo], .todotxt) == "Pay rec:\(rec)\n")
        #expect(try read("x Pay rec:\(rec)", .todotxt)[0].attributes == [ForeignAttribute("rec", rec)])
    }

    @Test(arguments: [
        (TodoFormat.csv, "title,created\nGo,2026-01-01\nPay,1684-01-01\n", 3, "created"),
        (.json, #"[{"title":"Pay","completed":"2256-01-01T00:00:00Z"}]"#, 1, "completed"),
        (.taskwarrior, "[\n" + #"{"uuid":"a","description":"Pay","entry":"15001120T101500Z"}]"#, 2, "created"),
        (.ics, "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:Pay\nCREATED:23001120T101500Z\nEND:VTODO\nEND:VCALENDAR\n", 2, "created"),
        (.todotxt, "Go\nx 9000-01-02 2026-01-01 Pay\n", 2, "completed"),
    ])
    func `a time that no record can hold is refused with its line`(format: TodoFormat, text: String, line: Int, what: String) {
        let reason = "it was \(what) before the year 1685 or after 2254, which is out of range."
        #expect(error(text, format) == "Line \(line): \(reason)")
    }

    @Test func `a rule or an alarm without an equivalent is kept as an attribute, and values that a format lacks are counted`()
        throws
    {
        let alarm = ["BEGIN:VALARM", "ACTION:EMAIL", "TRIGGER:-PT15M", "END:VALARM"]
        let own = ["BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:Pay", "TRIGGER:-PT1H", "END:VALARM"]
        let todo = ["BEGIN:VTODO", "SUMMARY:Pay", "DUE:20261201T133000Z", "RRULE:FREQ=DAILY;COUNT=3"]
        let ends = ["END:VTODO", "END:VCALENDAR"]
        let text = (["BEGIN:VCALENDAR"] + todo + alarm + own + ends).map { $0 + "\r\n" }.joined()
        var read = try read(text, .ics)[0]
        #expect(read.every == nil && read.reminder == .before(minutes: 60) && read.attributes.count == 2)
        let written = write([read], .ics)
        #expect(written.contains("RRULE:FREQ=DAILY;COUNT=3\r\n") && written.contains("ACTION:EMAIL\r\n"))
        #expect(written.contains("TRIGGER;RELATED=END:-PT1H\r\n"))
        read.every = try Recurrence("3 days after done")
        #expect(TodoFormat.ics.loss(of: [read]).rules == 1 && TodoFormat.json.loss(of: [read]).rules == 0)
        #expect(TodoFormat.todotxt.loss(of: [read]).rules == 0 && TodoFormat.todotxt.loss(of: [read]).parts == [.reminder: 1])
        (read.note, read.after, read.isDone) = ("for Ada", ["a"], true)
        #expect(TodoFormat.ics.loss(of: [read]).parts == [:] && TodoFormat.markdown.loss(of: [read]).parts == [.note: 1])
        read.isDone = false
        #expect(TodoFormat.ics.loss(of: [read]).parts == [.after: 1] && TodoFormat.json.loss(of: [read]) == FormatLoss())
        #expect(TodoFormat.markdown.loss(of: [read, read]).parts == [.note: 2, .after: 2, .due: 2, .reminder: 2])
    }
}
