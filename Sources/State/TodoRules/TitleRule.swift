/// What becomes of the text of a title, and which text is one.
///
/// For `prepare`, for views and for what a client says beforehand, and never for the fold, because Unicode's tables change.
public enum TitleRule {
    /// The fewest characters (grapheme clusters) of a title that somebody adds, without white space around them.
    public static let charactersMin = 3
    /// The rule as a sentence.
    public static let sentence = "a title needs \(charactersMin) characters or more"

    /// The text without white space at both ends.
    public static func trimmed(_ text: String) -> String {
        // Fast path: looking up Unicode properties takes most of the time.
        let visible: ClosedRange<UInt8> = 0x21...0x7E
        if let first = text.utf8.first, let last = text.utf8.last, visible ~= first, visible ~= last { return text }
        let isBlank = { (character: Character) in character.unicodeScalars.allSatisfy(\.properties.isWhitespace) }
        var rest = text[...].drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(rest)
    }

    /// Whether there is nothing but white space.
    public static func isBlank(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(\.properties.isWhitespace) }

    /// How many characters a trimmed text is short of; none of one that can be added.
    public static func charactersMissing(in trimmed: String) -> Int { charactersMin - trimmed.prefix(charactersMin).count }
}
