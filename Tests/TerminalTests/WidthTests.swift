import Terminal
import Testing

@Suite struct WidthTests {
    @Test(arguments: [
        ("a", 1), ("é", 1), ("買", 2), ("ア", 2), ("ﾊﾞ", 2), ("🛒", 2), ("\u{1161}", 0), ("각", 2), ("\u{1100}\u{1161}", 2),
        ("\u{3099}", 0), ("\u{17000}", 2), ("\u{200B}", 0), ("\u{FE10}", 2), ("\u{4DC0}", 2), ("\u{1AFF0}", 2),
    ])
    func `a character has the columns that terminals give it`(text: String, columns: Int) {
        #expect(Width.columns(text) == columns)
    }
}
