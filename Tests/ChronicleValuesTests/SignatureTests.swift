import ChronicleValues
import TestSupport
import Testing

@Suite struct SignatureTests {
    @Test func `the signature of a text covers its substrings in any case`() {
        var random = SeededGenerator(3)
        let letters = Array("aBcdEf gÄéß İK乳🍞\u{301}Σς-1")
        var lacking = 0
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...30, using: &random)
            let text = String((0..<count).map { _ in letters.randomElement(using: &random) ?? " " })
            let whole = Signature(text: text)
            #expect(whole == Signature(text: text.lowercased()))
            let scalars = Array(text.unicodeScalars)
            let start = Int.random(in: 0...scalars.count, using: &random)
            var part = String.UnicodeScalarView()
            part.append(contentsOf: scalars[start..<Int.random(in: start...scalars.count, using: &random)])
            #expect(whole.has(Signature(text: String(part))) && whole.has(Signature(text: String(part).lowercased())))
            if !Signature(text: String(part)).has(whole) { lacking += 1 }
        }
        #expect(lacking > 1_000)
    }

    @Test func `most words do not match the signature of other words`() {
        let text = Signature(text: "Call the garage about the winter tyres")
        let words = ["bank", "milk", "bread", "invoice", "dentist", "garden", "passport", "holiday", "insurance", "budget"]
        #expect(words.filter { text.has(Signature(text: $0)) }.count <= 1)
        #expect(["garage", "WINTER", "tyre", "a", ""].allSatisfy { text.has(Signature(text: $0)) })
    }

    @Test(arguments: [("x", 512), ("İ", 170), ("é", 256)])
    func `a long text matches everything, and so does a text that contains it`(letter: String, count: Int) {
        let (short, long) = (String(repeating: letter, count: count), String(repeating: letter, count: count + 1))
        #expect(Signature(text: short).texts != .max && Signature(text: long).texts == .max)
        #expect(Signature(text: "Call " + long).has(Signature(text: long)) && Signature(text: long).has(Signature(text: short)))
        #expect(Signature(text: long + "z").has(Signature(text: "bank")))
    }

    @Test func `union and intersection combine the bits`() {
        let (left, right) = (Signature(fields: 0b110, texts: 0b1001), Signature(fields: 0b011, texts: 0b1010))
        #expect(left.union(right) == Signature(fields: 0b111, texts: 0b1011))
        #expect(left.intersection(right) == Signature(fields: 0b010, texts: 0b1000))
        #expect(left.union(right).has(left) && !left.has(right) && !left.has(Signature(fields: 1)))
    }

    @Test func `the lower-case bytes of a text equal those of lowercased()`() {
        for text in ["", "Abc", "ÄÖÜ İstanbul", "Kelvin \u{212A}", "ΣΑΣ", "A\u{301}B"] {
            var bytes: [UInt8] = []
            text.forEachSmallByte {
                bytes.append($0)
                return true
            }
            #expect(bytes == Array(text.lowercased().utf8), "\(text)")
            var count = 0
            text.forEachSmallByte { _ in
                count += 1
                return count < 2
            }
            #expect(count == min(2, bytes.count))
        }
    }
}
