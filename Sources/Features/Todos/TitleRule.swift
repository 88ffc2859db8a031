/// What becomes of the text of a title; for `prepare` and the view alone, because Unicode's tables change.
enum TitleRule {
    /// The text without white space at both ends.
    static func trimmed(_ text: String) -> String {
        let isBlank = { (character: Character) in character.unicodeScalars.allSatisfy(\.properties.isWhitespace) }
        var rest = text[...].drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(rest)
    }

    /// Whether there is nothing but white space.
    static func isBlank(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(\.properties.isWhitespace) }

    /// Whether a trimmed text is long enough to be added.
    static func isLongEnough(_ trimmed: String) -> Bool {
        trimmed.prefix(Todos.Limits.titleCharactersMin).count == Todos.Limits.titleCharactersMin
    }
}
