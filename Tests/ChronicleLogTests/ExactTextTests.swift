import ChronicleLog
import Testing

@Suite struct ExactTextTests {
    @Test func `texts are compared by their bytes`() {
        let texts = [
            "", "e", "\u{E9}", "e\u{301}", "K", "\u{212A}", "12345678", "123456789", "12345678\0", "\u{1E69}", "s\u{323}\u{307}",
        ]
        #expect(Set(texts.map(ExactText.init)).count == texts.count)
        #expect(ExactText("caf\u{E9}") == ExactText("caf\u{E9}") && ExactText("caf\u{E9}") != ExactText("cafe\u{301}"))
    }
}
