/// Makes harmless what a terminal would obey or be fooled by.
enum Visible {
    /// The text with its control characters as visible escapes: `\n`, `\u{1b}`.
    ///
    /// C0, DEL, C1, and the marks that turn the direction of writing or end a line.
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where isControl(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// JSON that says the same, with those characters as JSON escapes.
    static func json(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if isControl(scalar) {
                let digits = String(scalar.value, radix: 16)
                result.append(contentsOf: "\\u".utf8)
                result.append(contentsOf: (String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
            } else {
                result.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
            }
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
