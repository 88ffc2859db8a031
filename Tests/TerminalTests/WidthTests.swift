import Terminal
import Testing

@Suite struct WidthTests {
    @Test(arguments: [
        ("a", 1), ("é", 1), ("買", 2), ("ア", 2), ("ﾊﾞ", 2), ("🛒", 2), ("\u{1161}", 0), ("각", 2), ("\u{1100}\u{1161}", 2),
        ("\u{3099}", 0), ("\u{17000}", 2), ("\u{200B}", 0), ("\u{FE10}", 2), ("\u{4DC0}", 2), ("\u{1AFF0}", 2),
    ])
    func `the width of a character is the one that terminals use`(text: String, columns: Int) {
        #expect(Width.columns(text) == columns)
    }

    @Test(arguments: [
        ("हि", 2), ("न्दी", 3), ("क्षि", 3), ("में", 1), ("कु", 1), ("हिन्दी में लिखना क्षेत्र विद्या", 24), ("மி", 2), ("டு", 2), ("தமிழ் கொடு", 9),
        ("กำ", 2), ("ไทย", 3), ("ກຳ", 2), ("ｶﾞｷﾞ", 4), ("e\u{301}", 1),
    ])
    func `the width of a letter includes its combining characters`(text: String, columns: Int) {
        #expect(Width.columns(text) == columns)
    }

    @Test(arguments: ["👩‍👩‍👧", "👍🏽", "🇩🇪", "1️⃣", "❤️", "🏴‍☠️"]) func `an emoji has two columns, however many code points it has`(
        text: String
    ) {
        #expect(Width.columns(text) == 2)
    }

    @Test func `a text is cut at letter boundaries`() {
        #expect(Width.cut("हिन्दी में", to: 4) == "हि…")
        #expect(Width.cut("हिन्दी में", to: 6) == "हिन्दी…")
        #expect(Width.cut("กำไทย", to: 3) == "กำ…")
    }
}
