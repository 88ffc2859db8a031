extension Value {
    public init(parsing bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        var reader = JSONReader(limits: limits)
        self = try reader.text(bytes)
    }

    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(parsing: bytes.span, limits: limits)
    }

    public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// Writes the value as JSON without white space; a number that is not finite becomes `null`.
    public func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): JSON.write(flag, into: &bytes)
        case .int(let number): JSON.write(number, into: &bytes)
        case .double(let number): JSON.write(number, into: &bytes)
        case .text(let text): JSON.write(text, into: &bytes)
        case .list(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .record(let fields): JSON.write(fields, into: &bytes)
        }
    }

    public var jsonBytes: [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return bytes
    }
}

extension Value: CustomStringConvertible {
    public var description: String { String(decoding: jsonBytes, as: UTF8.self) }
}

/// Writes JSON according to RFC 8259, without white space.
public enum JSON {
    public static func write(_ fields: [Value.Field], into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(field.name, into: &bytes)
            bytes.append(UInt8(ascii: ":"))
            field.value.write(into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    public static func write(_ value: Bool, into bytes: inout [UInt8]) {
        if value { bytes.append(contentsOf: "true".utf8) } else { bytes.append(contentsOf: "false".utf8) }
    }

    public static func write(_ value: Int64, into bytes: inout [UInt8]) {
        var rest = value.magnitude
        if rest < 10, value >= 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(rest))
            return
        }
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var digits: [20 of UInt8] = .init(repeating: 0)
        var start = digits.count
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        while start < digits.count {
            bytes.append(digits[start])
            start += 1
        }
    }

    /// Writes a number as the shortest text that parses to the same value; `null` if it is not finite.
    public static func write(_ value: Double, into bytes: inout [UInt8]) {
        bytes.append(contentsOf: value.isFinite ? value.description.utf8 : "null".utf8)
    }

    /// Writes a quoted string and escapes only what RFC 8259 requires: quotes, backslashes and control characters.
    public static func write(_ value: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if isPlain(value) {
            bytes.append(contentsOf: value.utf8)
        } else {
            for byte in value.utf8 { escape(byte, into: &bytes) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns the length of a string in bytes, including quotes and escapes.
    public static func byteCount(of value: String) -> Int {
        let text = value.utf8Span
        let bytes = text.span
        var count = bytes.count + 2
        for index in bytes.indices {
            let byte = bytes[index]
            let isShort = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\t")
            let isPair = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || isShort
            count &+= (isPair ? 1 : 0) &+ (byte < UInt8(ascii: " ") && !isShort ? 5 : 0)
        }
        return count
    }

    /// Returns an upper bound for the length of an integer in bytes; at most two bytes too large.
    public static func bytesMax(of value: Int64) -> Int {
        // A decimal digit has about 3.3 bits.
        2 + (Int64.bitWidth - value.magnitude.leadingZeroBitCount) * 10 / 33
    }

    private static func isPlain(_ value: String) -> Bool {
        let text = value.utf8Span
        let bytes = text.span
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < UInt8(ascii: " ") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
        }
        return true
    }

    private static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case UInt8(ascii: "\n"): bytes.append(contentsOf: #"\n"#.utf8)
        case UInt8(ascii: "\r"): bytes.append(contentsOf: #"\r"#.utf8)
        case UInt8(ascii: "\t"): bytes.append(contentsOf: #"\t"#.utf8)
        case 0..<UInt8(ascii: " "):
            bytes.append(contentsOf: #"\u00"#.utf8)
            for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : 0x61 + digit - 10) }
        default: bytes.append(byte)
        }
    }
}

public struct JSONLimits: Sendable, Equatable {
    /// How to treat an object with duplicate member names.
    ///
    /// RFC 8259 leaves this to the parser. Messages refuse duplicates because they are ambiguous.
    public enum DuplicateNames: Sendable {
        case refuse
        /// Keeps both members; a lookup finds the first one.
        case keep
    }

    /// Maximum size of a member name in UTF-8 bytes.
    ///
    /// Some names are compared as Swift strings, which takes quadratic time for a sequence of combining marks.
    public static let nameBytesMax = 1024
    public var depthMax: Int
    /// Maximum number of values, including arrays, objects and their contents; unlimited by default.
    ///
    /// A value uses about 90 bytes of memory but only two bytes of text.
    public var valuesMax: Int
    public var duplicateNames: DuplicateNames

    public init(depthMax: Int = 64, valuesMax: Int = .max, duplicateNames: DuplicateNames = .refuse) {
        (self.depthMax, self.valuesMax, self.duplicateNames) = (depthMax, valuesMax, duplicateNames)
    }
}

/// Why bytes are not a valid JSON text within the limits.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable {
        case endOfText = "the text ends too early"
        case unexpectedByte = "no JSON value can go on like this"
        case trailingBytes = "something follows the value"
        case tooManyValues = "there are too many values in it"
        case tooDeep = "arrays and objects are nested too deep"
        case invalidUTF8 = "the text is not UTF-8"
        case controlCharacter = "a string holds a bare control character"
        case invalidEscape = "a string holds an unknown escape"
        case loneSurrogate = "a string holds half of a surrogate pair"
        case invalidNumber = "a number is written wrongly"
        case numberTooLarge = "a number is too large"
        case nameTooLong = "a member's name is too long"
        case duplicateName = "an object names a member twice"
    }

    /// The byte offset of the mistake, counted from 0.
    public var offset: Int
    public var reason: Reason

    public init(offset: Int, reason: Reason) { (self.offset, self.reason) = (offset, reason) }
    public var description: String { "\(reason.rawValue) (byte \(offset))" }
}
