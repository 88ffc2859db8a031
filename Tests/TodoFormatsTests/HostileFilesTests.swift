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
}
