import Chronicle
import ChronicleLog
public import ChronicleStore

/// A point of a log, in one of the notations that all read commands accept.
public enum Point: Sendable, Equatable {
    /// After the record of that sequence; 0 is the start.
    case sequence(UInt64)
    /// This number of records before the head.
    case back(UInt64)
    /// After the last record at or before that time, in microseconds since 1970.
    case time(Int64)
    case bookmark(String)
    /// The beginning: before the first record, or the base of a compacted log.
    case start
    case now
    /// This number of records before another point.
    indirect case before(Point, UInt64)
}

/// A valid bookmark name, which can't be mistaken for a keyword or number of the point notation.
public struct BookmarkName: Sendable, Equatable {
    public let text: String

    /// Checks a name: a letter, then letters, digits, `-`, `_` and `.`, at most 64 bytes of UTF-8, not reserved.
    /// - Throws: `badBookmark` with the problem.
    public init(_ text: String) throws(StoreError) {
        if let why = Self.objection(to: text) { throw .badBookmark(text, why: why) }
        guard !MomentWords.contains(text.lowercased()) else {
            throw .badBookmark(text, why: "\(text) is a moment, or the beginning of one. Choose another name.")
        }
        self.text = text
    }

    /// The problem with a name, as a sentence; `nil` if it is valid.
    private static func objection(to text: String) -> String? {
        guard (1...Bookmark.nameBytesMax).contains(text.utf8.count) else {
            return "A bookmark's name has 1 to \(Bookmark.nameBytesMax) bytes."
        }
        guard text.first?.isLetter == true else { return "A bookmark's name begins with a letter." }
        let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
        return isPlain ? nil : "A bookmark's name has letters, digits, '-', '_' and '.'."
    }
}
