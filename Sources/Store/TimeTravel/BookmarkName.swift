import ActionLogs
public import StoreRuntime

/// A name that a bookmark may have: no word or number that means a moment by itself.
public struct BookmarkName: Sendable, Equatable {
    /// The name.
    public let text: String

    /// Words that stand for moments, or begin one.
    public static let reserved = [
        "start", "now", "head", "base", "ago", "yesterday", "today", "tomorrow", "noon", "midnight", "last", "next", "at",
    ]
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Checks a name: a letter, then letters, digits, `-`, `_` and `.`, together at most 64 bytes of UTF-8, and not reserved.
    ///
    /// - Throws: `badBookmark` with what is wrong.
    public init(_ text: String) throws(StoreError) {
        guard (1...Bookmark.nameBytesMax).contains(text.utf8.count) else {
            throw .badBookmark(text, why: "a bookmark's name has 1 to \(Bookmark.nameBytesMax) bytes")
        }
        guard text.first?.isLetter == true else { throw .badBookmark(text, why: "a bookmark's name begins with a letter") }
        guard text.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) }) else {
            throw .badBookmark(text, why: "a bookmark's name has letters, digits, '-', '_' and '.'")
        }
        let word = text.lowercased()
        // A weekday may be shortened to three letters.
        let isWeekday = word.utf8.count >= 3 && Self.weekdays.contains { $0.hasPrefix(word) }
        guard !isWeekday, !Self.reserved.contains(word) else {
            throw .badBookmark(text, why: "\(text) stands for a moment, or begins one; choose another name")
        }
        self.text = text
    }
}
