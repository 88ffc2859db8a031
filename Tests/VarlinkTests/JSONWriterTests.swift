import Testing
import Varlink

struct JSONWriterTests {
    @Test func `a value is written without white space`() {
        let value: JSON = ["a": [1, -2, 0.5, true, false, nil], "b": [:], "c": []]
        #expect(value.description == #"{"a":[1,-2,0.5,true,false,null],"b":{},"c":[]}"#)
    }

    @Test func `only what must be escaped is escaped`() {
        #expect(JSON.string("\"\\/é😀\u{7F}\n\r\t\u{0}\u{1F}").description == #""\"\\/é😀"# + "\u{7F}" + #"\n\r\t\u0000\u001f""#)
    }

    @Test(arguments: [0, 7, 10, 99, -1, -10, 1_234_567_890, Int64.max, Int64.min])
    func `an integer is written digit by digit`(value: Int64) {
        #expect(JSON.int(value).description == String(value))
    }

    @Test func `a number that JSON can't hold becomes null`() {
        #expect(JSON.array([.double(.nan), .double(.infinity)]).description == "[null,null]")
    }

    @Test(arguments: [1.0, -0.0, 1e20, 1.5e300, Double.leastNonzeroMagnitude, 0.1, Double.greatestFiniteMagnitude])
    func `a double reads back as the same double`(value: Double) throws {
        let again = try JSON(parsing: JSON.double(value).bytes)
        #expect(again.double?.bitPattern == value.bitPattern)
        #expect(again.kind == .double)
    }
}
