import Expressions
import TestSupport
import Testing

@Suite struct SubstringSearchTests {
    /// A text of few different letters, so that many prefixes match.
    private static func text(_ counts: ClosedRange<Int>, _ dice: inout SeededGenerator) -> String {
        String((0..<Int.random(in: counts, using: &dice)).map { _ in "aAbé".randomElement(using: &dice) ?? "a" })
    }

    /// A naive search.
    private static func contains(_ needle: String, in text: String) -> Bool {
        let (small, wanted) = (text.utf8.map(small), needle.utf8.map(small))
        return small.count >= wanted.count
            && (0...small.count - wanted.count).contains { small[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }

    @Test func `a search agrees with the naive search`() {
        var dice = SeededGenerator(1)
        var found = 0
        for _ in 0..<20_000 {
            let (needle, text) = (Self.text(1...5, &dice), Self.text(0...20, &dice))
            let isContained = Self.contains(needle, in: text)
            #expect(SubstringSearch(needle).matches(Array(text.utf8).span.bytes) == isContained, "\(needle) in \(text)")
            if isContained { found += 1 }
        }
        #expect((2_000...18_000).contains(found))
        #expect(SubstringSearch("").isEmpty && SubstringSearch("").matches([UInt8]().span.bytes))
    }

    @Test func `a search for several texts agrees with a search for each`() {
        var dice = SeededGenerator(2)
        var found = 0
        for _ in 0..<20_000 {
            let needles = (0..<Int.random(in: 0...6, using: &dice)).map { _ in Self.text(0...9, &dice) }
            let text = Self.text(0...24, &dice)
            let isContained = needles.contains { !$0.isEmpty && Self.contains($0, in: text) }
            #expect(AnySubstringSearch(needles).matches(Array(text.utf8).span.bytes) == isContained, "\(needles) in \(text)")
            if isContained { found += 1 }
        }
        #expect((4_000...16_000).contains(found))
        #expect(AnySubstringSearch([]).isEmpty && AnySubstringSearch([""]).isEmpty && !AnySubstringSearch(["a"]).isEmpty)
    }

    @Test func `a search finds one of a thousand long texts with common prefixes`() {
        let needles = (0..<1_000).map { String(repeating: "aB", count: 40) + "é\($0);" }
        let search = AnySubstringSearch(needles)
        func finds(_ text: String) -> Bool { search.matches(Array(text.utf8).span.bytes) }
        for number in [0, 7, 499, 999] {
            let text = String(repeating: "AB", count: 300) + "É\(number)"
            #expect(!finds(text + ";"))
            let matching = text.replacing("É", with: "é")
            #expect(finds(matching + ";") && !finds(matching))
        }
    }

    private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 32 : byte }
}
