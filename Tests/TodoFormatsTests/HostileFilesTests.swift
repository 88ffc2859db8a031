import Dates
import TestSupport
import Testing

@testable import TodoFormats

/// Files that an attacker made to keep a reader busy, or to make it write unwanted data.
///
/// The large ones would take hours if the time were quadratic in their size.
@Suite struct HostileFilesTests {
    static let place = FormatPlace(zone: .berlin)

    private func read(_ text: String, _ format: TodoFormat) throws(FormatError) -> [ForeignTodo] {
        try format.read(Array(text.utf8), at: Self.place).todos
    }

    @Test func `a line with a million spaces is read like one with a few`() throws {
        let blanks = String(repeating: " ", count: 1_000_000)
        #expect(try read("Pay\(blanks)+home\n", .todotxt).map(\.title) == ["Pay"])
        #expect(try read("- [ ] Pay\(blanks)#home\n", .markdown).map(\.tags) == [["home"]])
        #expect(try read("title,tags\nPay\(blanks),\n", .csv).map(\.title) == ["Pay"])
        let calendar = "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:Pay\(blanks)\nEND:VTODO\nEND:VCALENDAR\n"
        #expect(try read(calendar, .ics).map(\.title) == ["Pay"])
        #expect(try read(#"[{"title":"Pay\#(blanks)"}]"#, .json).map(\.title) == ["Pay"])
        #expect(try read(#"[{"description":"Pay\#(blanks)"}]"#, .taskwarrior).map(\.title) == ["Pay"])
    }

    private func error(_ text: String, _ format: TodoFormat) -> String {
        do throws(FormatError) {
            _ = try read(text, format)
            return ""
        } catch {
            return error.description
        }
    }

    @Test func `a todo with very many tags is refused, and repeated tags are merged`() throws {
        func texts(_ words: [String]) -> [(TodoFormat, String)] {
            let contexts = words.map { "@\($0)" }.joined(separator: " ")
            let hashes = words.map { "#\($0)" }.joined(separator: " ")
            let list = words.joined(separator: ",")
            let json = words.map { "\"\($0)\"" }.joined(separator: ",")
            return [
                (.todotxt, "Pay \(contexts)"), (.markdown, "- [ ] Pay \(hashes)"), (.csv, "title,tags\nPay,\"\(list)\""),
                (.ics, "BEGIN:VCALENDAR\nBEGIN:VTODO\nCATEGORIES:\(list)\nEND:VTODO\nEND:VCALENDAR"),
                (.json, #"[{"title":"Pay","tags":[\#(json)]}]"#),
                (.taskwarrior, #"[{"description":"Pay","tags":[\#(json)]}]"#),
            ]
        }
        for (format, text) in texts((0..<100_000).map { "t\($0)" }) {
            #expect(error(text, format).hasSuffix("there are more tags here, and at most 64 are taken."), "\(format)")
        }
        for (format, text) in texts(Array(repeating: "home", count: 100_000)) {
            #expect(try read(text, format).map(\.tags) == [["home"]], "\(format)")
        }
        for (format, text) in texts((0..<64).map { "t\($0)" }) {
            #expect(try read(text, format)[0].tags.count == 64, "\(format)")
        }
    }

    @Test func `a calendar line with very many folds is one line, even if it has no text of its own`() throws {
        let folds = (0..<200_000).map { _ in " é\r\n" }.joined()
        let head = "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\n"
        let text = head + "SUMMARY:Pay\r\nX-LONG:\r\n" + folds + "END:VTODO\r\nEND:VCALENDAR\r\n"
        #expect(error(text, .ics) == "Line 2: the further attributes have 400006 bytes here, and at most 32768 are taken.")
        let short = head + "SUM\r\n MARY:Pay\r\n \r\n\t the\r\n  rent\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
        #expect(try read(short, .ics).map(\.title) == ["Pay the rent"])
    }

    @Test func `a file that is too large is refused before the rest is read`() {
        let long = String(repeating: "x", count: 5_000)
        #expect(error("title,due\n\(long),\nPay,soon\n", .csv).hasPrefix("Line 2: the title has 5000 bytes"))
        #expect(error("[{\"title\":\"\(long)\"},\n3]", .json).hasPrefix("Line 1: the title has 5000 bytes"))
        let todo = "BEGIN:VTODO\nSUMMARY:\(long)\nEND:VTODO\nBEGIN:VTODO\nDUE:soon\nEND:VTODO\n"
        #expect(error("BEGIN:VCALENDAR\n\(todo)END:VCALENDAR\n", .ics).hasPrefix("Line 2: the title has 5000 bytes"))
    }

    /// A calendar with two todos.
    ///
    /// The first one has attributes of its source.
    private func exported(_ attributes: [ForeignAttribute], source: String = "a") -> (text: String, todos: [ForeignTodo]) {
        var todo = ForeignTodo(title: "Pay")
        todo.source = source
        todo.priority = 1
        todo.attributes = attributes
        let text = TodoFormat.ics.write([todo, ForeignTodo(title: "Call")], at: Self.place)
        return (text, (try? read(text, .ics)) ?? [])
    }

    private static let injected = "END:VTODO\r\nBEGIN:VTODO\r\nSUMMARY:Mine\r\nEND:VTODO\r\nBEGIN:VTODO"
    private static let lines = injected.replacing("\r\n", with: "\n")
    private static let deep = [String(repeating: "BEGIN:A\n", count: 15), String(repeating: "END:A\n", count: 14), "END:A"]

    private static let components: [String] = [
        "BEGIN:VALARM\n\(injected)\nEND:VALARM", "BEGIN:VALARM\nEND:VALARM\n\(injected)", injected, lines, "VTODO",
        "BEGIN:VALARM\nX:1\r\(injected)\nEND:VALARM", "BEGIN:VALARM", "END:VALARM", "BEGIN:vtodo\nEND:vtodo",
        "BEGIN:VALARM\nEND:VEVENT", "X:1", "", "BEGIN:A\nEND:A\nBEGIN:B\nEND:B", "BEGIN:A\n\nEND:A", "BEGIN:A\n folded\nEND:A",
        "BEGIN:A\nX:1\rY:2\nEND:A", "BEGIN:\nEND:", "BEGIN;X=1:A\nEND:A", deep.joined(),
    ]

    private static let attributes: [(String, String)] = [
        ("END", "VTODO"), ("end", "VTODO"), ("X-A\r\n\(injected)\r\nX-A", "1"), ("X-A", "1\r\n\(injected)"),
        ("X-A", "1\n\(injected)"),
        ("X-A", "1\u{2028}BEGIN:VTODO"), ("X-A:1", "2"), ("X-A;B=\"", "1\":2"), ("", "1"), (" X", "1"), ("X A", "1"),
        ("SUMMARY", "Mine"), ("summary;X=1", "Mine"), ("DUE", "soon"), ("DUE", "20261201"), ("UID", "b"),
        ("COMPLETED", "20261201T000000Z"), ("STATUS", "CANCELLED"), ("STATUS", "COMPLETED"), ("STATUS", "X\r\n\(injected)"),
        ("PRIORITY", "77"), ("PRIORITY", "x"),
    ]

    @Test(arguments: attributes + components.map { ("BEGIN", $0) })
    func `an attribute that would inject further calendar lines is not written back`(name: String, value: String) {
        let (text, todos) = exported([ForeignAttribute(name, value), ForeignAttribute("X-B", "kept")])
        #expect(todos.map(\.title) == ["Pay", "Call"] && todos.map(\.source) == ["a", nil], "\(text)")
        #expect(todos.first?.attributes == [ForeignAttribute("X-B", "kept")], "\(text)")
        #expect(todos.first?.isDone == false && todos.first?.due == nil && todos.first?.priority == 1, "\(text)")
    }

    @Test(arguments: [
        ("X-A;B=\"c:d\"", "e:f"), ("ATTENDEE;RSVP=TRUE", "mailto:a@example.org"), ("X-A", ""), ("X-A", "a\tb"),
        ("STATUS", "IN-PROCESS"),
        ("PRIORITY", "7"),
        ("BEGIN", "BEGIN:VALARM\nTRIGGER;X=\"a:b\":-PT15M\nBEGIN:X-IN\nEND:X-IN\nEND:VALARM"),
    ])
    func `a calendar contains the attributes of its source`(name: String, value: String) {
        #expect(exported([ForeignAttribute(name, value)]).todos.first?.attributes == [ForeignAttribute(name, value)])
    }

    @Test func `attributes beyond the limit of the reader are left out of a calendar`() {
        let many = (0..<200).map { ForeignAttribute("X-\($0)", "1") } + [ForeignAttribute("PRIORITY", "7")]
        #expect(exported(many).todos.first?.attributes.count == 64)
        let long = (0..<40).map { ForeignAttribute("X-\($0)", String(repeating: "x", count: 1_000)) }
        #expect(exported(long).todos.map(\.attributes.count) == [32, 0])
        #expect(exported([], source: String(repeating: "x", count: 4_000)).todos.map(\.source) == [nil, nil])
    }

    @Test func `a calendar has the same number of todos when it is read again, whatever the attributes are`() {
        let pieces = [
            "BEGIN", "END", ":", "VTODO", "VCALENDAR", "VALARM", "\n", "\r", "\r\n", " ", ";", "\"", "=", "X-A", "DUE", "\t", "é",
            "\u{301}", "\\",
        ]
        var random = SeededGenerator(16)
        func words(_ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
        for _ in 0..<5_000 {
            let name = Bool.random(using: &random) ? "BEGIN" : words(6)
            let (text, todos) = exported([ForeignAttribute(name, words(16)), ForeignAttribute(words(4), words(8))])
            #expect(todos.count == 2, "\(text)")
        }
    }

    @Test func `a list in JSON is read one element at a time and refused at the first invalid todo`() {
        for format in [TodoFormat.json, .taskwarrior] {
            let early = error(#"[{"title":"a","description":"a"},\#n0,what follows is not looked at"#, format)
            #expect(early.hasPrefix("Line 2: ") && early.hasSuffix("must be an object."))
            #expect(error(#"[{"title":"a","description":"a"},\#n!"#, format).hasPrefix("Line 2: this is not valid JSON"))
            for text in [#"[{"title":"a","description":"a"},]"#, #"[{"title":"a","description":"a"}"#, "[,]", "[] []", "[]]"] {
                #expect(error(text, format).hasPrefix("Line 1: this is not valid JSON"), "\(text)")
            }
        }
    }

    @Test func `JSON with more values than any list of todos has is refused before they are allocated`() {
        let zeros = String(repeating: "0,", count: 4 << 20)
        let sentence = "Line 1: this is not valid JSON: there are too many values in it."
        #expect(error("{\"items\":[\(zeros)0]}", .json) == sentence)
        #expect(error("[{\"title\":\"a\",\"b\":[\(zeros)0]}]", .json) == sentence)
    }

    @Test func `more than a million todos are refused at the line of the first one too many`() {
        var reading = FormatReading()
        reading.todos = Array(repeating: ForeignTodo(title: "a"), count: FormatLimits.todosMax - 1)
        do throws(FormatError) {
            try reading.add(ForeignTodo(title: "b", line: 7))
            try reading.add(ForeignTodo(title: "c", line: 8))
            Issue.record("one more was accepted")
        } catch { #expect(error.description == "Line 8: there are more than 1000000 todos.") }
        #expect(reading.todos.count == FormatLimits.todosMax && reading.todos.last?.title == "b")
    }
}
