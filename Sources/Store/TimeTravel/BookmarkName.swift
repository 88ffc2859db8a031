import Chronicle
import ChronicleLog
public import ChronicleStore

/// A valid bookmark name, which can't be mistaken for a keyword or number of the point notation.
public struct BookmarkName: Sendable, Equatable {
    /// The name.
    public let text: String

    /// Checks a name: a letter, then letters, digits, `-`, `_` and `.`, at most 64 bytes of UTF-8, not reserved.
    /// - Throws: `badBookmark` with the problem.
    public init(_ text: String) throws(StoreError) {
        if let why = Self.objection(to: text, as: "A bookmark's name") { throw .badBookmark(text, why: why) }
        guard !MomentWords.contains(text.lowercased()) else {
            throw .badBookmark(text, why: "\(text) stands for a moment, or begins one. Choose another name.")
        }
        self.text = text
    }

    /// The problem with a name, as a sentence; `nil` if it is valid.
    static func objection(to text: String, as what: String) -> String? {
        guard (1...Bookmark.nameBytesMax).contains(text.utf8.count) else {
            return "\(what) has 1 to \(Bookmark.nameBytesMax) bytes."
        }
        guard text.first?.isLetter == true else { return "\(what) begins with a letter." }
        guard text.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) }) else {
            return "\(what) has letters, digits, '-', '_' and '.'."
        }
        return nil
    }
}
