import Chronicle
import Dates
import Terminal
import TestSupport
import Testing
import TodoAPI
import Varlink

@testable import todoctl

@Suite struct TextTests {
    @Test(arguments: [
        ("Buy the milk", "Buy the milk"), ("é🥛👩‍👩‍👧 ñ", "é🥛👩‍👩‍👧 ñ"), ("\u{1B}[31mred", "\\u{1b}[31mred"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\u{9B}2J", "\\u{9b}2J"), ("\u{7F}\u{0}", "\\u{7f}\\u{0}"), ("evil\u{202E}txt", "evil\\u{202e}txt"),
        ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"), ("mi\u{200B}lk", "mi\\u{200b}lk"), ("mi\u{AD}lk", "mi\\u{ad}lk"),
        ("a\u{FEFF}b\u{2060}", "a\\u{feff}b\\u{2060}"), ("ok\u{E0041}\u{E007F}", "ok\\u{e0041}\\u{e007f}"),
        ("a\u{200D}b", "a\\u{200d}b"), ("1\u{200D}2", "1\\u{200d}2"), ("🥛\u{200D}", "🥛\\u{200d}"),
        ("🏳️‍🌈👁️‍🗨️👩🏽‍⚕️❤️‍🔥1️⃣", "🏳️‍🌈👁️‍🗨️👩🏽‍⚕️❤️‍🔥1️⃣"), ("a\u{FE0F}", "a\\u{fe0f}"), ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}\\u{fe0f}"),
        ("葛\u{E0100}", "葛\u{E0100}"), ("a\u{E0100}", "a\\u{e0100}"), ("\u{3164}\u{115F}", "\\u{3164}\\u{115f}"),
        ("牛乳 ñ e\u{301} हिन्दी", "牛乳 ñ e\u{301} हिन्दी"),
    ])
    func `control characters are escaped, and the rest is unchanged`(text: String, visible: String) {
        #expect(Visible.text(text) == visible)
    }

    @Test func `line ends are kept, and invisible characters are escaped`() {
        #expect(Visible.lines("Error: \u{1B}[31m\n\n  a\tb\r\nc\n") == "Error: \\u{1b}[31m\n\n  a\\tb\\r\nc\n")
    }

    @Test func `escaped JSON has the same value and no raw control characters`() throws {
        let json: Value = ["title": "a\u{9B}b\u{7F}c\u{202E}d\u{1B}é🥛\u{61C}"]
        let visible = Visible.json(json.jsonBytes)
        #expect(try Value(parsing: visible) == json)
        let scalars = String(decoding: visible, as: UTF8.self).unicodeScalars
        #expect(!scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\u{202E}" || $0 == "\u{61C}" })
        #expect(String(decoding: visible, as: UTF8.self).contains("é🥛"))
    }

    @Test func `JSON with escaped invisible characters has the same value`() throws {
        let json: Value = ["title": "a\u{200B}b\u{E0041}c\u{FEFF}👩‍👩‍👧❤️\u{AD}"]
        let visible = Visible.json(json.jsonBytes)
        #expect(try Value(parsing: visible) == json)
        #expect(
            String(decoding: visible, as: UTF8.self) == #"{"title":"a\u200bb\udb40\udc41c\ufeff👩‍👩‍👧❤️\u00ad"}"#)
        let ascii = TextEncoding.ascii.bytes(json: visible)
        #expect(ascii.allSatisfy { (0x20..<0x7F).contains($0) })
        #expect(try Value(parsing: ascii) == json)
    }

    @Test(
        arguments: [
            ([:], TextEncoding.ascii), (["LANG": "C.UTF-8"], .utf8), (["LANG": "en_US.utf8"], .utf8), (["LANG": "de_DE"], .ascii),
            (["LANG": "C.UTF-8", "LC_ALL": "C"], .ascii), (["LANG": "C", "LC_CTYPE": "de_DE.UTF-8@euro"], .utf8),
            (["LANG": "C.UTF-8", "LC_ALL": "", "LC_CTYPE": "de_DE.ISO-8859-1"], .ascii),
        ] as [([String: String], TextEncoding)])
    func `the locale determines the output encoding`(variables: [String: String], encoding: TextEncoding) {
        #expect(TextEncoding { variables[$0] } == encoding)
    }

    @Test func `without UTF-8 a text is ASCII, and the program's own texts keep their width`() {
        let line = "1 → 2 … └─ é🥛 \u{1B}[1m"
        #expect(String(decoding: TextEncoding.ascii.bytes(line), as: UTF8.self) == "1 > 2 ~ `- \\u{e9}\\u{1f95b} \u{1B}[1m")
        #expect(TextEncoding.utf8.bytes(line) == Array(line.utf8))
    }

    @Test(arguments: [
        ("", 0), ("milk", 4), ("é", 1), ("e\u{301}", 1), ("牛乳", 4), ("ｶﾞ", 2), ("🥛", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("한글", 4),
        ("ä b", 3),
        ("\u{301}", 0),
    ])
    func `the width of a text is the one that a terminal uses`(text: String, columns: Int) {
        #expect(Width.columns(text) == columns)
        #expect(Width.columns(Width.padded(text, to: 10)) == 10)
    }

    @Test func `colours are for terminals and disabled by NO_COLOR`() {
        let colourful = ["TERM": "xterm"]
        #expect(Paint(isTerminal: true) { colourful[$0] }("x", .green) == "\u{1B}[32mx\u{1B}[0m")
        #expect(Paint(isTerminal: false) { colourful[$0] }("x", .green) == "x")
        #expect(Paint(isTerminal: true) { ["TERM": "xterm", "NO_COLOR": "1"][$0] }("x", .green) == "x")
        #expect(Paint(isTerminal: true) { ["TERM": "xterm", "NO_COLOR": ""][$0] }.isOn)
        #expect(!Paint(isTerminal: true) { ["TERM": "dumb"][$0] }.isOn)
        #expect(Paint(isTerminal: true) { colourful[$0] }("x", nil) == "x")
    }

    @Test func `the counter is green above zero, red below, and plain at zero`() {
        #expect(CounterVerb.colour(1) == .green)
        #expect(CounterVerb.colour(-1) == .red)
        #expect(CounterVerb.colour(0) == nil)
    }

    @Test func `numbers have thousands separators`() {
        #expect(Digits.grouped(0) == "0")
        #expect(Digits.grouped(999) == "999")
        #expect(Digits.grouped(-1_234_567) == "-1,234,567")
        #expect(Digits.bytes(1023) == "1,023 bytes" && Digits.bytes(1) == "1 byte")
        #expect(Digits.counted(1, "step") == "1 step" && Digits.counted(1_000, "step") == "1,000 steps")
        #expect(
            Digits.counted(2, "history", "histories") == "2 histories"
                && Digits.counted(0, "todo was", "todos were") == "0 todos were")
        #expect(Digits.bytes(1536) == "1.5 KiB")
        #expect(Digits.bytes(64 << 30) == "64.0 GiB")
    }

    @Test func `any state can be shown as a tree`() throws {
        let state = try Value(
            parsing: #"{"todos":{"draft":"","items":[{"id":1,"title":"a\u001b"}],"loading":false},"counter":{"count":3}}"#)
        #expect(
            Tree.lines(state) == [
                "todos:", "  draft: \"\"", "  items:", "    - id 1, title a\\u{1b}", "  loading: no", "counter:", "  count: 3",
            ])
        Times.know(["posts.published", "todos.completed"])
        let time = Zone.user.moment(at: 1_795_251_600).text
        #expect(
            Tree.compact(["id": 1_795_251_600_000_000, "completed": 1_795_251_600_000_000], of: "todos.items[3]")
                == "id 1795251600000000, completed \(time)")
        #expect(Tree.lines(["posts": ["published": 1_795_251_600_000_000]]) == ["posts:", "  published: \(time)"])
        #expect(Tree.lines(["published": 1], of: "counter") == ["published: 1"])
    }

    @Test func `a record is one line, whatever its texts contain`() throws {
        let lines = RecordLines(zone: .berlin)
        var record = RecordMessage(
            sequence: 12, time: 1_795_251_600_000_000, kind: "action", origin: 1000, step: 12, build: 1,
            action: ["todos": ["updateText": ["text": "a\nb"]]], commands: [])
        #expect(lines.line(record) == "12  2026-11-21 10:00:00  uid 1000  todos.updateText text a\\nb")
        record.action = ["counter": ["increment": [:]]]
        #expect(RecordLines.what(record) == "counter.increment")
        record.action = ["todos": ["add": ["items": [["id": 1, "title": "Buy"], ["id": 2, "title": "Sell"]]]]]
        #expect(RecordLines.what(record) == "todos.add items [{id 1, title Buy}, {id 2, title Sell}]")
        let epoch = RecordMessage(sequence: 1, time: 0, kind: "epoch", origin: 0, step: 1, build: 1, commands: [])
        #expect(lines.line(epoch) == "1  1970-01-01 01:00:00  uid 0  epoch")
        let end = RecordMessage(
            sequence: 3, time: 0, kind: "end", origin: 0, step: 1, cause: CommandID(sequence: 2, index: 0), outcome: "skipped",
            reason: "by uid 7", build: 1, commands: [])
        #expect(lines.line(end) == "3  1970-01-01 01:00:00  uid 0  end  skipped: by uid 7  (for 2)")
    }

    @Test func `changes have the old and the new value`() {
        let paint = Paint(isTerminal: false) { _ in nil }
        let insert = Change(path: "todos.items", kind: .insert, id: 3, at: 0, new: ["id": 3, "title": "Buy"])
        #expect(ChangeLines.line(insert, paint: paint) == "+ todos.items 3: Buy")
        let replace = Change(
            path: "todos.items", kind: .replace, id: 3, old: ["id": 3, "title": "Buy"],
            new: ["id": 3, "title": "Sell", "priority": 1])
        #expect(ChangeLines.line(replace, paint: paint) == "~ todos.items 3: title Buy → Sell, priority none → 1")
        let set = Change(path: "counter", kind: .set, old: ["count": 1], new: ["count": 2])
        #expect(ChangeLines.line(set, paint: paint) == "  counter.count: 1 → 2")
        let gone = Change(path: "stars.items", kind: .set, old: ["a": ["phase": "unstaring"]])
        #expect(ChangeLines.line(gone, paint: paint) == "  stars.items.a: phase unstaring → none")
        let move = Change(path: "todos.items", kind: .move, id: 3, at: 0, from: 4)
        #expect(ChangeLines.line(move, paint: paint) == "> todos.items 3: 5 → 1")
    }
}
