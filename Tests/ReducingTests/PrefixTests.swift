import Reducing
import Testing

@Suite struct PrefixTests {
    @Test func `a text that fits is left as it is`() {
        #expect("".prefix(bytesMax: 0) == "")
        #expect("abc".prefix(bytesMax: 3) == "abc")
        #expect("é".prefix(bytesMax: 2) == "é")
    }

    @Test func `a text is cut before the scalar that no longer fits`() {
        #expect("abc".prefix(bytesMax: 2) == "ab")
        #expect("aé".prefix(bytesMax: 2) == "a")
        #expect("😀".prefix(bytesMax: 3) == "")
        #expect("a😀😀".prefix(bytesMax: 8) == "a😀")
        #expect("abc".prefix(bytesMax: -1) == "")
    }
}
