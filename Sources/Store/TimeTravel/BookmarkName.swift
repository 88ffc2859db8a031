import Records
import Reducing
public import StoreRuntime

/// A name that a bookmark may have: no word or number that means a moment by itself.
public struct BookmarkName: Sendable, Equatable {
    /// The name.
    public let text: String

    /// Checks a name: a letter, then letters, digits, `-`, `_` and `.`, together at most 64 bytes of UTF-8, and not reserved.
    ///
    /// - Throws: `badBookmark` with what is wrong.
    public init(_ text: String) throws(StoreError) {
        if let why = Self.objection(to: text, as: "A bookmark's name") { throw .badBookmark(text, why: why) }
        guard !MomentWords.contains(text.lowercased()) else {
            throw .badBookmark(text, why: "\(text) stands for a moment, or begins one. Choose another name.")
        }
        self.text = text
    }

    /// Why a text is no name, as a sentence; `nil` when it is one.
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
