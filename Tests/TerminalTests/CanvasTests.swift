import Terminal
import Testing

@Suite struct CanvasTests {
    @Test(arguments: [
        ("Buy the milk", 12, "Buy the milk"), ("Buy the milk", 7, "Buy the"), ("日本語", 6, "日本語"), ("日本語", 5, "日本"),
        ("a👩‍👩‍👧b", 4, "a👩‍👩‍👧b"), ("a👩‍👩‍👧b", 2, "a"), ("e\u{301}e\u{301}", 1, "e\u{301}"), ("🇩🇪🇫🇷", 3, "🇩🇪"), ("milk", 0, ""),
        ("milk", -3, ""),
    ])
    func `a text is cut between two characters`(text: String, width: Int, shown: String) {
        var canvas = Canvas(Size(columns: 20, rows: 1))
        canvas.put(text, at: 0, row: 0, width: width)
        #expect(canvas.lines == [shown])
    }

    @Test func `putting a text returns the column after it`() {
        var canvas = Canvas(Size(columns: 10, rows: 1))
        #expect(canvas.put("日本", at: 1, row: 0) == 5)
        #expect(canvas.put("日本語", at: 5, row: 0) == 10)
        #expect(canvas.lines == [" 日本日本"])
        #expect(canvas.put("beyond", at: 10, row: 0) == 10)
        #expect(canvas.put("below", at: 3, row: 1) == 3)
    }

    @Test func `control characters and a combining mark without a letter are shown visibly`() {
        var canvas = Canvas(Size(columns: 60, rows: 1))
        canvas.put("|", at: 0, row: 0)
        canvas.put("\u{301}a\u{1B}[2J\n\u{202E}b", at: 1, row: 0)
        #expect(canvas.lines == ["|◌\u{301}a\\u{1b}[2J\\n\\u{202e}b"])
        #expect(canvas[1, 0].width == 1)
    }

    @Test func `the number of combining marks on a letter is limited`() {
        var canvas = Canvas(Size(columns: 3, rows: 1))
        canvas.put("a" + String(repeating: "\u{301}", count: 5_000), at: 0, row: 0)
        #expect(canvas[0, 0].text.unicodeScalars.count == 16)
    }

    @Test func `overwriting half of a wide character erases the other half`() {
        var canvas = Canvas(Size(columns: 6, rows: 1))
        canvas.put("日本語", at: 0, row: 0)
        canvas.put("x", at: 1, row: 0)
        canvas.put("日", at: 3, row: 0)
        #expect(canvas.lines == [" x 日"])
        canvas.put("y", at: 3, row: 0)
        #expect(canvas.lines == [" x y"])
    }

    @Test func `a wide character is drawn as a whole or not at all`() {
        var canvas = Canvas(Size(columns: 8, rows: 1))
        canvas.put("क्षिகொ", at: 0, row: 0)
        #expect(canvas[0, 0].width == 3 && canvas[1, 0].width == 0 && canvas[2, 0].width == 0 && canvas[3, 0].text == "கொ")
        canvas.put("x", at: 1, row: 0)
        #expect(canvas.lines == [" x கொ"])
        canvas.put("क्षि", at: 6, row: 0)
        #expect(canvas.lines == [" x கொ"])
        canvas.put("क्षि", at: -1, row: 0)
        #expect(canvas.lines == ["   கொ"])
    }

    @Test func `a text that begins left of the canvas is visible from the border on`() {
        var canvas = Canvas(Size(columns: 6, rows: 1))
        canvas.put("日本語", at: -3, row: 0)
        #expect(canvas.lines == [" 語"])
    }

    @Test(arguments: [
        ("שלום", "םולש"), ("a שלום b", "a םולש b"), ("שלום עולם", "םלוע םולש"), ("חדר 12", "12 רדח"),
        ("מחיר 3.50₪ כן", "ןכ 3.50₪ ריחמ"),
        ("(שלום)", "(םולש)"), ("א (ב) ג", "ג (ב) א"), ("Call דן at 5", "Call ןד at 5"), ("مرحبا 12", "12 ابحرم"),
        ("12 שלום", "12 םולש"),
    ])
    func `text from right to left is drawn in visual order, and cells after it keep their place`(text: String, seen: String) {
        var canvas = Canvas(Size(columns: 40, rows: 1))
        canvas.put("│", at: 30, row: 0)
        canvas.put(text, at: 0, row: 0)
        #expect(canvas.text(row: 0).prefix(while: { $0 != "│" }).description.trimmed == seen)
        #expect(canvas[30, 0].text == "│")
    }

    @Test func `a size is never negative and never larger than any screen`() {
        #expect(Size(columns: -1, rows: 70_000) == Size(columns: 0, rows: Size.sideMax))
        #expect(Canvas(Size(columns: 0, rows: 0)).lines.isEmpty)
    }
}

extension String {
    fileprivate var trimmed: String { String(self.reversed().drop { $0 == " " }.reversed()) }
}
