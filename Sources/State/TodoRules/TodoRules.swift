/// Size limits of a todo's fields, enforced by the daemon and by imports.
public enum TodoLimits {
    public static let titleBytesMax = 4_096
    public static let noteBytesMax = 65_536
    public static let tagsMax = 64
    public static let tagBytesMax = 256
    /// Maximum number of dependencies per todo.
    public static let afterMax = 32
    /// Maximum number of days between a relative reminder and its due date: ten years.
    public static let remindDaysBeforeMax = 3_660
}

/// Normalizes and validates the title of a todo.
///
/// Used by `prepare`, views and clients. The fold must not use it, because the Unicode tables change.
public enum TitleRule {
    /// Minimum length of a new title in characters (grapheme clusters), without surrounding white space.
    public static let charactersMin = 3
    public static let sentence = "a title needs \(charactersMin) characters or more"

    public static func trimmed(_ text: String) -> String {
        // Fast path, because looking up Unicode properties takes most of the time.
        let visible: ClosedRange<UInt8> = 0x21...0x7E
        if let first = text.utf8.first, let last = text.utf8.last, visible ~= first, visible ~= last { return text }
        let isBlank = { (character: Character) in character.unicodeScalars.allSatisfy(\.properties.isWhitespace) }
        var rest = text[...].drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(rest)
    }

    public static func isBlank(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(\.properties.isWhitespace) }

    /// Returns the number of characters that a trimmed title lacks; 0 if it is long enough.
    public static func charactersMissing(in trimmed: String) -> Int { charactersMin - trimmed.prefix(charactersMin).count }
}
