import ChronicleValues
import Testing

struct JSONReaderTests {
    @Test func `a message keeps the order of its members`() throws {
        let value = try Value(parsing: #" { "b" : [1, -2, true, null], "a" : {"text":"é\n"} } "#)
        #expect(value == ["b": [1, -2, true, .null], "a": ["text": "é\n"]])
        #expect(value != ["a": ["text": "é\n"], "b": [1, -2, true, .null]])
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("7", 7), ("-42", -42), ("9007199254740993", 9_007_199_254_740_993),
        ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
    ])
    func `an integer that fits is exact`(text: String, value: Int64) throws {
        #expect(try Value(parsing: text) == .int(value))
    }

    @Test(arguments: [
        ("1.0", 1.0), ("1e2", 100), ("-0.0", -0.0), ("0.1", 0.1), ("5e-324", Double.leastNonzeroMagnitude), ("1E+2", 100),
        ("9223372036854775808", 9_223_372_036_854_775_808), ("-9223372036854775809", -9_223_372_036_854_775_808),
        ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
        ("2.2250738585072011e-308", Double(sign: .plus, exponent: -1022, significand: 1).nextDown),
        ("123456789012345678901234567890", 123_456_789_012_345_677_877_719_597_056), ("1e-400", 0),
    ])
    func `every other number is the nearest double`(text: String, value: Double) throws {
        #expect(try Value(parsing: text) == .double(value))
    }

    @Test(arguments: [
        ("", 0, JSONError.Reason.endOfText), ("  ", 2, .endOfText), ("[1", 2, .endOfText), ("{\"a\"", 4, .endOfText),
        ("[1,]", 3, .unexpectedByte), ("{\"a\":1,}", 7, .unexpectedByte), ("{a:1}", 1, .unexpectedByte), ("nul", 0, .endOfText),
        ("nulL", 0, .unexpectedByte), ("1 2", 2, .trailingBytes), ("01", 1, .invalidNumber), ("-", 1, .endOfText),
        ("+1", 0, .unexpectedByte), ("1.", 2, .endOfText), ("1.e1", 2, .invalidNumber), ("1e", 2, .endOfText),
        ("1e999", 0, .numberTooLarge), ("-1e999", 0, .numberTooLarge), ("NaN", 0, .unexpectedByte),
        ("\"a", 2, .endOfText), ("\"a\nb\"", 2, .controlCharacter), (#""\n"# + "\u{1}\"", 3, .controlCharacter),
        (#""\x""#, 1, .invalidEscape), (#""\u12G4""#, 5, .invalidEscape), (#""\u12"#, 5, .endOfText), (#""\"#, 2, .endOfText),
        (#""\uD800""#, 1, .loneSurrogate), (#""\uD800\uD800""#, 1, .loneSurrogate), (#""\uDC00""#, 1, .loneSurrogate),
        (#""\uD83Dx""#, 1, .loneSurrogate), (#"{"a":1,"b":2,"a":3}"#, 13, .duplicateName),
        (#"{"a":1,""# + String(repeating: "x", count: 1025) + #"":2}"#, 7, .nameTooLong),
        (#"{"a":1,"\u0061":3}"#, 7, .duplicateName),
        ("{\"\u{0}\":1}", 2, .controlCharacter), ("\u{FEFF}{}", 0, .unexpectedByte),
    ])
    func `an error has its reason and offset`(text: String, offset: Int, reason: JSONError.Reason) {
        #expect(throws: JSONError(offset: offset, reason: reason)) { try Value(parsing: text) }
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x5C, 0x6E, 0xFF, 0x22],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(throws: JSONError(offset: 1, reason: .invalidUTF8)) { try Value(parsing: bytes) }
    }

    @Test func `escapes are decoded`() throws {
        #expect(try Value(parsing: #""\"\\\/\b\f\n\r\t\u00e9\u20AC\uD83D\uDE00 é""#) == "\"\\/\u{8}\u{C}\n\r\té€😀 é")
    }

    @Test func `the depth limit is exact`() throws {
        let deep = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(throws: Never.self) { try Value(parsing: deep(64)) }
        #expect(throws: JSONError(offset: 64, reason: .tooDeep)) { try Value(parsing: deep(65)) }
        #expect(throws: Never.self) { try Value(parsing: "[" + deep(62) + "," + deep(63) + "]") }
        #expect(throws: JSONError(offset: 2, reason: .tooDeep)) {
            try Value(parsing: deep(3), limits: JSONLimits(depthMax: 2))
        }
    }

    @Test func `a duplicate name is found in a long object`() throws {
        let members = (0..<5_000).map { "\"name\($0)\":\($0)" }
        #expect(try Value(parsing: "{" + members.joined(separator: ",") + "}").record?.count == 5_000)
        let twice = members + ["\"name17\":0"]
        #expect(throws: JSONError.self) { try Value(parsing: "{" + twice.joined(separator: ",") + "}") }
    }

    @Test func `duplicate names are kept if the limits allow them`() throws {
        let value = try Value(parsing: #"{"a":1,"a":2}"#, limits: JSONLimits(duplicateNames: .keep))
        #expect(value.record?.count == 2)
        #expect(value["a"] == 1)
    }

    @Test func `the description of an error has its reason and offset`() {
        #expect(JSONError(offset: 3, reason: .duplicateName).description == "an object names a member twice (byte 3)")
    }

    @Test(arguments: [2, 40]) func `names are compared by their bytes in short and long objects`(count: Int) throws {
        let rest = (0..<count).map { "\"n\($0)\":0," }.joined()
        let value = try Value(parsing: "{\(rest)\"caf\u{E9}\":1,\"cafe\u{301}\":2}")
        #expect(value["caf\u{E9}"] == 1 && value["cafe\u{301}"] == 2)
        #expect(throws: JSONError.self) { try Value(parsing: "{\(rest)\"caf\u{E9}\":1,\"caf\u{E9}\":2}") }
    }
}
