public import Records

/// The names of the bookmarks that stand in a log, and in a history that is to continue it.
public struct StandingBookmarks: Sendable {
    private var names: Set<ExactText> = []

    /// Those of a log.
    public init(in log: any ActionLog) throws(ActionLogError) {
        for row in try log.bookmarks() { names.insert(ExactText(row.name)) }
    }

    /// Takes in those of a base with which a log is to begin.
    public mutating func take(_ rows: [BookmarkRow]) {
        for row in rows { names.insert(ExactText(row.name)) }
    }

    /// Follows the record of a bookmark; why it can't be taken over, as the rest of a sentence, or `nil` when it can.
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
