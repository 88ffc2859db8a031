public enum HiddenScalars {
    /// The text with invisible characters as escapes: `\n`, `\u{1b}`, `\u{200b}`.
    ///
    /// Escapes C0, DEL, C1, bidirectional marks, line separators, and Unicode's Default_Ignorable_Code_Point. Keeps joiners
    /// between two emoji, and variation selectors after characters that have variants.
    public static func shown(in text: String) -> String {
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

    public static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }

    public static func classify(_ text: String, _ take: (Unicode.Scalar, Bool) -> Void) {
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
            // A joiner may follow an emoji with a variation selector.
            if scalar.value != 0xFE0F || !isShown { joinable = scalar }
        }
    }

    // Digits and signs such as © are emoji by property, but are never joined.
    private static func isPicture(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar, scalar.value > 0xFF else { return false }
        return scalar.properties.isEmoji
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: false
        case 0..<0x20, 0x7F...0x9F, 0xAD: true
        case 0xA0..<0x300: false
        // Line separators and interlinear annotations.
        case 0x2028, 0x2029, 0xFFF9...0xFFFB: true
        default: scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isBidiControl
        }
    }
}
