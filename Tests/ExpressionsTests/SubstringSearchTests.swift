import Expressions
import TestSupport
import Testing

@Suite struct SubstringSearchTests {
    @Test func `a text is found as by trying every place`() {
        var dice = SeededGenerator(1)
        var found = 0
        for _ in 0..<20_000 {
            // Of few letters, so that many beginnings fit.
            func text(_ counts: ClosedRange<Int>) -> String {
                String((0..<Int.random(in: counts, using: &dice)).map { _ in "aAbé".randomElement(using: &dice) ?? "a" })
            }
            let (needle, text) = (text(1...5), text(0...20))
            let (small, wanted) = (Array(text.utf8).map(Self.small), Array(needle.utf8).map(Self.small))
            let isThere =
                small.count >= wanted.count
                && (0...small.count - wanted.count).contains { small[$0..<$0 + wanted.count].elementsEqual(wanted) }
            #expect(SubstringSearch(needle).matches(Array(text.utf8).span.bytes) == isThere, "\(needle) in \(text)")
            if isThere { found += 1 }
        }
        #expect((2_000...18_000).contains(found))
        #expect(SubstringSearch("").isEmpty && SubstringSearch("").matches([UInt8]().span.bytes))
    }

    private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 32 : byte }
}
