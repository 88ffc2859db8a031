import Terminal

/// Makes harmless what a terminal would obey, or a reader be fooled by.
enum Visible {
    /// The text with what has no shape of its own as visible escapes: `\n`, `\u{1b}`, `\u{200b}`.
    static func text(_ text: String) -> String { HiddenScalars.shown(in: text) }

    /// The same of a text that is shown on several lines: their ends stay.
    static func lines(_ text: String) -> String {
        // By scalars: a carriage return and a line feed are one character.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { self.text(String($0)) }.joined(separator: "\n")
    }

    /// JSON that says the same, with those characters as JSON escapes.
    static func json(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: leadsToHidden) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        HiddenScalars.classify(String(decoding: bytes, as: UTF8.self)) { scalar, isShown in
            if isShown, let encoded = UTF8.encode(scalar) {
                result.append(contentsOf: encoded)
            } else {
                append(jsonEscape: scalar, to: &result)
            }
        }
        return result
    }

    /// Appends a character as JSON writes it in ASCII: `\u200b`, outside the first plane a pair of them.
    static func append(jsonEscape scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8)
        }
    }

    /// `\u{1b}`.
    static func escape(_ scalar: Unicode.Scalar) -> String { HiddenScalars.escape(scalar) }

    // The first bytes in UTF-8 of all that can be hidden; most texts have none of them.
    private static func leadsToHidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, 0xC2, 0xCD, 0xD8, 0xE1, 0xE2, 0xE3, 0xEF, 0xF0, 0xF3: true
        default: false
        }
    }
}
