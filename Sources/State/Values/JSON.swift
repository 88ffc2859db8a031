/// Writes the parts of a JSON text as RFC 8259 wants them, without white space.
public enum JSON {
    public static func write(_ fields: [Value.Field], into bytes: inout [UInt8]) {
        bytes.append(Ascii.openBrace)
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(Ascii.comma) }
            write(field.name, into: &bytes)
            bytes.append(Ascii.colon)
            field.value.write(into: &bytes)
        }
        bytes.append(Ascii.closeBrace)
    }

    /// Writes a boolean.
    public static func write(_ value: Bool, into bytes: inout [UInt8]) {
        if value { bytes.append(contentsOf: "true".utf8) } else { bytes.append(contentsOf: "false".utf8) }
    }

    /// Writes an integer.
    public static func write(_ value: Int64, into bytes: inout [UInt8]) {
        var rest = value.magnitude
        if rest < 10, value >= 0 {
            bytes.append(Ascii.zero + UInt8(rest))
            return
        }
        if value < 0 { bytes.append(Ascii.minus) }
        var digits: [20 of UInt8] = .init(repeating: 0)
        var start = digits.count
        repeat {
            start -= 1
            digits[start] = Ascii.zero + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        while start < digits.count {
            bytes.append(digits[start])
            start += 1
        }
    }

    /// Writes a number, `null` in place of one that is not finite.
    ///
    /// The shortest text that reads back as the same number.
    public static func write(_ value: Double, into bytes: inout [UInt8]) {
        bytes.append(contentsOf: value.isFinite ? value.description.utf8 : "null".utf8)
    }

    /// Writes a string with its quotes.
    ///
    /// Only what RFC 8259 demands is escaped: quotes, backslashes and control characters.
    public static func write(_ value: String, into bytes: inout [UInt8]) {
        bytes.append(Ascii.quote)
        if isPlain(value) {
            bytes.append(contentsOf: value.utf8)
        } else {
            for byte in value.utf8 { escape(byte, into: &bytes) }
        }
        bytes.append(Ascii.quote)
    }

    /// How many bytes a string has with its quotes and escapes.
    public static func byteCount(of value: String) -> Int {
        let text = value.utf8Span
        let bytes = text.span
        var count = bytes.count + 2
        for index in bytes.indices {
            let byte = bytes[index]
            let isShort = byte == Ascii.newline || byte == Ascii.carriageReturn || byte == Ascii.tab
            let isPair = byte == Ascii.quote || byte == Ascii.backslash || isShort
            count &+= (isPair ? 1 : 0) &+ (byte < Ascii.space && !isShort ? 5 : 0)
        }
        return count
    }

    /// How many bytes an integer has, or one or two more.
    public static func bytesMax(of value: Int64) -> Int {
        // A digit has somewhat more than three bits.
        2 + (Int64.bitWidth - value.magnitude.leadingZeroBitCount) * 10 / 33
    }

    private static func isPlain(_ value: String) -> Bool {
        let text = value.utf8Span
        let bytes = text.span
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < Ascii.space || byte == Ascii.quote || byte == Ascii.backslash { return false }
        }
        return true
    }

    private static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
        switch byte {
        case Ascii.quote, Ascii.backslash:
            bytes.append(Ascii.backslash)
            bytes.append(byte)
        case Ascii.newline: bytes.append(contentsOf: #"\n"#.utf8)
        case Ascii.carriageReturn: bytes.append(contentsOf: #"\r"#.utf8)
        case Ascii.tab: bytes.append(contentsOf: #"\t"#.utf8)
        case 0..<Ascii.space:
            bytes.append(contentsOf: #"\u00"#.utf8)
            for digit in [byte >> 4, byte & 15] {
                bytes.append(digit < 10 ? Ascii.zero + digit : 0x61 + digit - 10)
            }
        default: bytes.append(byte)
        }
    }
}
