/// Makes harmless what a terminal would obey, or a reader be fooled by.
enum Visible {
    /// The text with what has no shape of its own as visible escapes: `\n`, `\u{1b}`, `\u{200b}`.
    ///
    /// C0, DEL, C1, the marks that turn the direction of writing or end a line, and everything that is shown as nothing (Unicode's
    /// Default_Ignorable_Code_Point). What joins two emoji, or chooses the form of the character before it, stays.
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var result = ""
        classify(text) { scalar, isShown in
            switch scalar {
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where isShown: result.unicodeScalars.append(scalar)
            default: result += escape(scalar)
            }
        }
        return result
    }

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
        classify(String(decoding: bytes, as: UTF8.self)) { scalar, isShown in
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
    static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }

    // What stands before and behind decides about what joins and what varies.
    private static func classify(_ text: String, _ take: (Unicode.Scalar, Bool) -> Void) {
        let scalars = text.unicodeScalars
        var before: Unicode.Scalar?
        var joinable: Unicode.Scalar?
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            scalars.formIndex(after: &index)
            let isShown =
                switch scalar.value {
                case _ where !isHidden(scalar): true
                case 0x200D: isPicture(joinable) && isPicture(index < scalars.endIndex ? scalars[index] : nil)
                case 0xFE0E, 0xFE0F: before?.properties.isEmoji == true
                case 0xFE00...0xFE0D, 0xE0100...0xE01EF: before?.properties.isIdeographic == true
                default: false
                }
            take(scalar, isShown)
            before = scalar
            // An emoji in its coloured form is joined like any other.
            if scalar.value != 0xFE0F || !isShown { joinable = scalar }
        }
    }

    // Digits and signs such as © are emoji too, but nothing joins them.
    private static func isPicture(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar, scalar.value > 0xFF else { return false }
        return scalar.properties.isEmoji
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: false
        case 0..<0x20, 0x7F...0x9F, 0xAD: true
        case 0xA0..<0x300: false
        // What ends a line, and what annotates lines.
        case 0x2028, 0x2029, 0xFFF9...0xFFFB: true
        default: scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isBidiControl
        }
    }

    // The first bytes in UTF-8 of all that can be hidden; most texts have none of them.
    private static func leadsToHidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, 0xC2, 0xCD, 0xD8, 0xE1, 0xE2, 0xE3, 0xEF, 0xF0, 0xF3: true
        default: false
        }
    }
}
