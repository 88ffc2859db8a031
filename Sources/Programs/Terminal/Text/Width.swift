public enum Width {
    /// Wide characters and emoji take two columns, combining marks none.
    ///
    /// Each scalar of any other character takes what `wcwidth` gives it, as the spacing vowels of Hindi and Tamil do. Control
    /// characters count as 0, so escape them first.
    public static func columns(_ text: String) -> Int {
        // A fast path: looking up Unicode properties of Latin letters would double the time for a long list.
        if text.unicodeScalars.allSatisfy({ (0x20..<0x7F).contains($0.value) || (0xC0..<0x300).contains($0.value) }) {
            return text.unicodeScalars.count
        }
        return text.reduce(0) { $0 + columns(of: $1) }
    }

    public static func padded(_ text: String, to width: Int) -> String {
        let columns = columns(text)
        return columns >= width ? text : text + String(repeating: " ", count: width - columns)
    }

    public static func cut(_ text: String, to width: Int) -> String {
        guard columns(text) > width else { return text }
        var (cut, used) = ("", 0)
        for character in text {
            used += columns(of: character)
            guard used < width else { break }
            cut.append(character)
        }
        return cut + "…"
    }

    /// All terminals know this version of Unicode (2016), with the exceptions below.
    private static let knownToAll: (major: Int, minor: Int) = (9, 0)

    /// Whether terminals disagree about the width of a single character.
    static func isDisputed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x300, 0x2500...0x259F, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FA5, 0xAC00...0xD7A3: return false
        // Trigrams and hexagrams, wide since 2024; circled numbers on black; vertical forms; emoji.
        case 0x2630...0x2637, 0x268A...0x268F, 0x3248...0x324F, 0x4DC0...0x4DFF, 0xFE10...0xFE19, 0x1D300...0x1D37F:
            return true
        case 0x1F000..<0x20000: return true
        default: break
        }
        if scalar.value >= 0x2000, scalar.properties.isEmoji { return true }
        switch scalar.properties.generalCategory {
        case .unassigned, .nonspacingMark, .spacingMark, .enclosingMark, .format: return true
        default: break
        }
        guard let age = scalar.properties.age else { return true }
        return age.major > knownToAll.major || age.major == knownToAll.major && age.minor > knownToAll.minor
    }

    static func columnsMax(of scalar: Unicode.Scalar) -> Int {
        let columns = columns(of: Character(scalar))
        return columns == 1 && isDisputed(scalar) ? 2 : columns
    }

    static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.contains("\u{FE0F}") { return 2 }
        // Joiners, skin tones and flag letters add no columns. Digits are emoji by property, but are never joined.
        if first.value > 0xFF, first.properties.isEmoji { return columns(ofScalar: first) }
        // Spacing marks, later consonants of a conjunct, and half-width sound marks take their own columns.
        return scalars.reduce(0) { $0 + columns(ofScalar: $1) }
    }

    private static func columns(ofScalar scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: 0
        default: isJoiningJamo(scalar) ? 0 : isWide(scalar) ? 2 : 1
        }
    }

    /// Vowels and final consonants of Korean syllables join the consonant before them.
    private static func isJoiningJamo(_ scalar: Unicode.Scalar) -> Bool {
        (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FB).contains(scalar.value)
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isEmojiPresentation { return true }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x20000...0x3FFFD:
            return true
        default: return false
        }
    }
}
