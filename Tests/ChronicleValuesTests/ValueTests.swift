import ChronicleValues
import Testing

@Suite struct ValueTests {
    @Test func `texts are equal if their bytes are equal`() {
        let composed = "\u{E9}"
        let decomposed = "e\u{301}"
        #expect(composed == decomposed)
        #expect(!composed.hasSameBytes(as: decomposed))
        #expect(Value.text(composed) != Value.text(decomposed))
        #expect(Value.list([.text(composed)]) != Value.list([.text(decomposed)]))
        #expect(Value.text(composed) == Value.text("\u{E9}"))
        #expect(![composed].hasSameBytes(as: [decomposed]))
        #expect(["a", composed].hasSameBytes(as: ["a", "\u{E9}"]))
    }

    @Test func `long texts are compared up to their last byte`() {
        let long = String(repeating: "x", count: 1000)
        #expect((long + "a").hasSameBytes(as: long + "a"))
        #expect(!(long + "a").hasSameBytes(as: long + "b"))
        #expect(!(long + "a").hasSameBytes(as: long))
        #expect("".hasSameBytes(as: ""))
    }

    @Test func `values of different kinds differ`() {
        let values: [Value] = [.null, false, 0, 0.0, "", [], [:]]
        for (left, first) in values.enumerated() {
            for (right, second) in values.enumerated() { #expect((first == second) == (left == right)) }
        }
    }
}
