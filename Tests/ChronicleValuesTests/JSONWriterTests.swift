import ChronicleValues
import Testing

struct JSONWriterTests {
    @Test func `a value is written without white space`() {
        let value: Value = ["a": [1, -2, 0.5, true, false, .null], "b": [:], "c": []]
        #expect(value.description == #"{"a":[1,-2,0.5,true,false,null],"b":{},"c":[]}"#)
    }

    @Test func `only required characters are escaped`() {
        #expect(Value.text("\"\\/é😀\u{7F}\n\r\t\u{0}\u{1F}").description == #""\"\\/é😀"# + "\u{7F}" + #"\n\r\t\u0000\u001f""#)
    }

    @Test(arguments: [0, 7, 10, 99, -1, -10, 1_234_567_890, Int64.max, Int64.min])
    func `an integer is written digit by digit`(value: Int64) {
        #expect(Value.int(value).description == String(value))
    }

    @Test func `a number that JSON can't hold becomes null`() {
        #expect(Value.list([.double(.nan), .double(.infinity)]).description == "[null,null]")
    }

    @Test(arguments: [1.0, -0.0, 1e20, 1.5e300, Double.leastNonzeroMagnitude, 0.1, Double.greatestFiniteMagnitude])
    func `a double round-trips`(value: Double) throws {
        let again = try Value(parsing: Value.double(value).jsonBytes)
        #expect(again.double?.bitPattern == value.bitPattern)
        #expect(again.int == nil)
    }

    @Test func `the encoded length of texts and integers is known in advance`() {
        for text in ["", "abc", "é😀", "\"\\/", "\n\r\t", "\u{0}\u{1F}\u{7F}", "a\r\nb"] {
            #expect(JSON.byteCount(of: text) == Value.text(text).jsonBytes.count, "\(text)")
        }
        for bits in 0..<63 as Range<Int64> {
            for number in [1 << bits, -(1 << bits), (1 << bits) - 1] as [Int64] {
                let count = Value.int(number).jsonBytes.count
                #expect(count...count + 2 ~= JSON.bytesMax(of: number), "\(number)")
            }
        }
        #expect(JSON.bytesMax(of: .min) >= 20 && JSON.bytesMax(of: .max) >= 19)
    }

    @Test func `a value round-trips through JSON`() throws {
        let value: Value = [
            "none": .null, "yes": true, "number": -9_007_199_254_740_991, "text": "a\u{0}\u{1F}\u{7f}\r\t\"\\\n🥛",
            "list": [1, "b", []], "record": [:],
        ]
        #expect(try Value(parsing: value.jsonBytes) == value)
    }
}
