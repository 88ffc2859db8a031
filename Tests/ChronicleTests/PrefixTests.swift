import Chronicle
import Testing

@Suite struct PrefixTests {
    @Test func `a text within the limit is not changed`() {
        #expect("".prefix(bytesMax: 0) == "")
        #expect("abc".prefix(bytesMax: 3) == "abc")
        #expect("é".prefix(bytesMax: 2) == "é")
    }

    @Test func `a longer text is truncated at a scalar boundary`() {
        #expect("abc".prefix(bytesMax: 2) == "ab")
        #expect("aé".prefix(bytesMax: 2) == "a")
        #expect("😀".prefix(bytesMax: 3) == "")
        #expect("a😀😀".prefix(bytesMax: 8) == "a😀")
        #expect("abc".prefix(bytesMax: -1) == "")
    }
}
