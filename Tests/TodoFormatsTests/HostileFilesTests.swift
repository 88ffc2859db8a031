import Dates
import TestSupport
import Testing
import TodoFormats

/// Files that somebody made to keep a reader busy, or to have it write what nobody wants.
///
/// Those that are large would take hours if the time grew with the square of their size.
@Suite struct HostileFilesTests {
    static let place = FormatPlace(zone: .berlin)

    private func read(_ text: String, _ format: TodoFormat) throws(FormatError) -> [ForeignTodo] {
        try format.read(Array(text.utf8), at: Self.place).todos
    }

    @Test func `a line with a million blanks is read like one with a few`() throws {
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

    @Test func `a todo with very many tags is refused, and one with the same tag again and again has it once`() throws {
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

    @Test func `a calendar line in very many folds is one line, also where it has none of its own`() throws {
        let folds = (0..<200_000).map { _ in " é\r\n" }.joined()
        let head = "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\n"
        let text = head + "SUMMARY:Pay\r\nX-LONG:\r\n" + folds + "END:VTODO\r\nEND:VCALENDAR\r\n"
        #expect(error(text, .ics) == "Line 2: the further attributes have 400006 bytes here, and at most 32768 are taken.")
        let short = head + "SUM\r\n MARY:Pay\r\n \r\n\t the\r\n  rent\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
        #expect(try read(short, .ics).map(\.title) == ["Pay the rent"])
    }

    @Test func `what is too large is refused before what follows it is looked at`() {
        let long = String(repeating: "x", count: 5_000)
        #expect(error("title,due\n\(long),\nPay,soon\n", .csv).hasPrefix("Line 2: the title has 5000 bytes"))
        #expect(error("[{\"title\":\"\(long)\"},\n3]", .json).hasPrefix("Line 1: the title has 5000 bytes"))
        let todo = "BEGIN:VTODO\nSUMMARY:\(long)\nEND:VTODO\nBEGIN:VTODO\nDUE:soon\nEND:VTODO\n"
        #expect(error("BEGIN:VCALENDAR\n\(todo)END:VCALENDAR\n", .ics).hasPrefix("Line 2: the title has 5000 bytes"))
    }
}
