import Terminal
import Testing

@Suite struct DrawEncoderTests {
    static let xterm = Result { () throws(TerminalError) in try TerminalDescription(of: "xterm-256color") }

    @Test(arguments: EmulatedTerminal.Habit.allCases, 0..<40 as Range<UInt64>)
    func `columns stay aligned, whatever width a terminal gives emoji`(habit: EmulatedTerminal.Habit, seed: UInt64) throws {
        var scribble = Scribble(seed)
        let size = scribble.size()
        var terminal = EmulatedTerminal(size, habit)
        var encoder = DrawEncoder(for: try Self.xterm.get(), .direct)
        var shown: Canvas?
        for _ in 0..<30 {
            var canvas = shown ?? scribble.canvas(size)
            scribble.scribble(on: &canvas)
            terminal.take(encoder.bytes(of: canvas.operations(from: shown)))
            shown = canvas
            #expect(terminal.strange.isEmpty)
            for row in 0..<size.rows {
                // The cell after a character that is drawn too narrow is empty.
                for column in 0..<size.columns where canvas[column, row].width == 0 {
                    #expect(["", " "].contains(terminal.rows[row][column]), "\(canvas.lines) \(terminal.rows)")
                }
                // So is the cell of a character that is not drawn.
                for column in 0..<size.columns where habit == .older && canvas[column, row].isRecent {
                    let cell = terminal.rows[row][column]
                    #expect(cell == " " || cell == canvas[column, row].text, "\(canvas.lines) \(terminal.rows)")
                }
                for column in 0..<size.columns where habit == .agreeing || canvas[column, row].isPlainText {
                    #expect(terminal.rows[row][column] == canvas[column, row].text, "\(canvas.lines) \(terminal.rows)")
                }
            }
            #expect(terminal.isCursorShown == (canvas.cursor != nil && canvas.isCursorInside))
            if terminal.isCursorShown { #expect(terminal.cursor == canvas.cursor) }
        }
    }

    @Test func `a key press in a long list sends few bytes`() throws {
        var encoder = DrawEncoder(for: try Self.xterm.get(), .direct)
        var list = Canvas(Size(columns: 80, rows: 24))
        for row in 0..<22 { list.put("\(row) Todo number \(row) #home", at: 0, row: row) }
        list.put("add> ", at: 0, row: 23)
        list.cursor = Position(column: 5, row: 23)
        _ = encoder.bytes(of: list.operations(from: nil))
        var after = list
        after.put("x", at: 5, row: 23)
        after.cursor = Position(column: 6, row: 23)
        #expect(encoder.bytes(of: after.operations(from: list)).count < 20)
        after.clear(Area(column: 0, row: 3, columns: 40, rows: 2), Style(on: .chosen))
        #expect(encoder.bytes(of: after.operations(from: list)).count < 300)
        #expect(encoder.bytes(of: []).isEmpty)
    }

    @Test(
        arguments: [
            ("xterm-256color", [:], .indexed), ("xterm-256color", ["COLORTERM": "truecolor"], .direct), ("xterm", [:], .eight),
            ("vt100", [:], .none), ("xterm-256color", ["NO_COLOR": "1", "COLORTERM": "truecolor"], .none),
            ("xterm", ["NO_COLOR": ""], .eight),
        ] as [(String, [String: String], ColourDepth)])
    func `a terminal gets the colours that it supports, and none if the user disabled them`(
        name: String, environment: [String: String], depth: ColourDepth
    ) throws {
        let terminal = try TerminalDescription(of: name)
        #expect(ColourDepth(of: terminal) { environment[$0] } == depth)
    }

    @Test(arguments: Style.Background.allCases, ColourDepth.allCases)
    func `a background is visible without colours, and never shown by colours alone`(
        background: Style.Background, depth: ColourDepth
    )
        throws
    {
        let plain = try Self.sent(Style(.red), depth)
        let sent = try Self.sent(Style(.red, on: background), depth)
        #expect((sent == plain) == (background == .plain))
        if depth == .none { #expect(!plain.contains("\u{1B}[3")) }
    }

    @Test(arguments: Style.Tint.allCases) func `every colour is readable on black and on white`(tint: Style.Tint) throws {
        let sent = try Self.sent(Style(tint), .direct)
        guard tint != .plain else { return #expect(!sent.contains("38;2")) }
        let colour = try #require(Self.colours(sent, 38).first)
        #expect(Self.contrast(colour, [0, 0, 0]) > 4.5 && Self.contrast(colour, [255, 255, 255]) > 4.5)
    }

    @Test(arguments: Style.Background.allCases) func `the text on a coloured background is readable`(background: Style.Background)
        throws
    {
        let sent = try Self.sent(Style(.red, on: background), .direct)
        guard background != .plain else { return #expect(!sent.contains("48;2")) }
        let (ink, behind) = (try #require(Self.colours(sent, 38).first), try #require(Self.colours(sent, 48).first))
        #expect(Self.contrast(ink, behind) > 4.5)
    }

    @Test func `in a locale without UTF-8 each column has a character`() throws {
        var canvas = Canvas(Size(columns: 8, rows: 1))
        canvas.put("→é日x", at: 0, row: 0)
        var encoder = DrawEncoder(for: try Self.xterm.get(), .none) { $0 == "→" ? Array(">".utf8) : Array("\\u{9}".utf8) }
        #expect(String(decoding: encoder.bytes(of: canvas.operations(from: nil)), as: UTF8.self).contains(">???x"))
    }

    @Test func `text after a wide letter starts after all columns of the letter`() throws {
        var canvas = Canvas(Size(columns: 12, rows: 1))
        canvas.put("हिन्दी x", at: 0, row: 0)
        var encoder = DrawEncoder(for: try Self.xterm.get(), .none)
        let sent = String(decoding: encoder.bytes(of: canvas.operations(from: nil)), as: UTF8.self)
        // Cursor positions count columns from 1.
        #expect(sent.contains("\u{1B}[1;3Hन्दी\u{1B}[1;6H x"), "\(sent.debugDescription)")
    }

    @Test func `a terminal without the needed capabilities is refused`() {
        #expect(throws: TerminalError.unknown("no-such-terminal")) { try TerminalDescription(of: "no-such-terminal") }
        #expect(throws: TerminalError.unable("dumb")) { try TerminalDescription(of: "dumb") }
        #expect(throws: TerminalError.unable("")) { try TerminalDescription(of: "") }
    }

    // The bytes for one letter.
    private static func sent(_ style: Style, _ depth: ColourDepth) throws -> String {
        var encoder = DrawEncoder(for: try xterm.get(), depth)
        var canvas = Canvas(Size(columns: 2, rows: 1))
        let empty = canvas
        _ = encoder.bytes(of: empty.operations(from: nil))
        canvas.put("x", at: 0, row: 0, style)
        return String(decoding: encoder.bytes(of: canvas.operations(from: empty)), as: UTF8.self)
    }

    private static func colours(_ sent: String, _ kind: Int) -> [[Double]] {
        sent.split(separator: "\u{1B}[").compactMap { part in
            let numbers = part.prefix { $0 != "m" }.split(separator: ";").compactMap { Double($0) }
            return numbers.count == 5 && numbers[0] == Double(kind) ? Array(numbers[2...]) : nil
        }
    }

    // The relative luminance of WCAG 2, with an approximate power.
    private static func contrast(_ one: [Double], _ other: [Double]) -> Double {
        let (first, second) = (luminance(one), luminance(other))
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    private static func luminance(_ colour: [Double]) -> Double {
        zip(colour, [0.2126, 0.7152, 0.0722]).reduce(0) { sum, part in
            let value = part.0 / 255
            return sum + part.1 * (value <= 0.03928 ? value / 12.92 : power((value + 0.055) / 1.055))
        }
    }

    // x^2.4 as the fifth root of x^12, by Newton's method.
    private static func power(_ value: Double) -> Double {
        let target = (0..<12).reduce(1.0) { product, _ in product * value }
        return (0..<60).reduce(1.0) { root, _ in
            root - (root * root * root * root * root - target) / (5 * root * root * root * root)
        }
    }
}

extension Cell {
    fileprivate var isPlainText: Bool {
        text.unicodeScalars.count == 1 && text.unicodeScalars.allSatisfy { $0.value < 0x1F000 } && !isRecent
    }

    fileprivate var isRecent: Bool { text.first.map(Scribble.recent.contains) ?? false }
}

extension Canvas {
    fileprivate var isCursorInside: Bool { cursor.map { Area(size).contains($0) } ?? false }
}
