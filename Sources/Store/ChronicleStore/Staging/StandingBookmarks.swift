public import ChronicleLog

/// The names of the current bookmarks of a log, and of a history that is to be appended.
public struct StandingBookmarks: Sendable {
    private var names: Set<ExactText> = []

    /// Reads the bookmarks of a log.
    public init(in log: any ActionLog) throws(ActionLogError) {
        for row in try log.bookmarks() { names.insert(ExactText(row.name)) }
    }

    /// Adds the bookmarks of a base with which a log is to begin.
    public mutating func take(_ rows: [BookmarkRow]) {
        for row in rows { names.insert(ExactText(row.name)) }
    }

    /// Applies the record of a bookmark; returns why it can't be imported, as the rest of a sentence, or `nil`.
    public mutating func follow(_ bookmark: Bookmark, of record: UInt64) -> String? {
        guard bookmark.sequence <= record else { return "names record \(bookmark.sequence), which comes after it" }
        let name = ExactText(bookmark.name)
        if bookmark.isWithdrawn {
            names.remove(name)
            return nil
        }
        guard names.contains(name) || names.count < Limits.bookmarksMax else {
            return "is a bookmark, and \(Limits.bookmarksMax) stand already, as many as there may be"
        }
        names.insert(name)
        return nil
    }
}
