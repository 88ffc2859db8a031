/// Words that stand for moments in time, or begin one: nothing else is called so, such as a bookmark.
public enum MomentWords {
    private static let words: Set = [
        "start", "now", "head", "base", "ago", "yesterday", "today", "tomorrow", "noon", "midnight", "last", "next", "at",
    ]
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Whether a word is one of them, its letters in lower case; a weekday may be shortened to three letters.
    public static func contains(_ word: String) -> Bool {
        words.contains(word) || word.utf8.count >= 3 && weekdays.contains { $0.hasPrefix(word) }
    }
}
