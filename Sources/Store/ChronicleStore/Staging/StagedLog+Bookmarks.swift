import Chronicle
import ChronicleLog

extension StagedLog {
    /// Stages the record and the row of a bookmark, checked against the rows on disk; none is staged now.
    mutating func accept(
        _ bookmark: Bookmark, by uid: UInt32, isOfOwner: Bool
    ) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let found = try StoreError.reading { () throws(ActionLogError) in try log.bookmark(bookmark.name) }
        if bookmark.isWithdrawn, found == nil { throw .unknownBookmark(bookmark.name) }
        var owners = try countedBookmarkOwners()
        // A refusal keeps the counts, too.
        bookmarkOwners = owners
        let replaced = found.map { owner(of: $0) }
        if !bookmark.isWithdrawn {
            let (all, own) = (owners.values.reduce(0, +), owners[uid] ?? 0)
            guard found != nil || all < Limits.bookmarksMax else { throw .tooManyBookmarks(max: Limits.bookmarksMax) }
            let share = Limits.share(of: Limits.bookmarksMax, besides: all - own)
            guard !isOfOwner || replaced == uid || own < share else { throw .tooManyBookmarks(max: share, of: uid) }
        }
        if let replaced { owners[replaced, default: 0] -= 1 }
        if !bookmark.isWithdrawn { owners[uid, default: 0] += 1 }
        let sequence = stageMark(.bookmark, by: uid) { bookmark.encode(into: &$0) }
        pending.flush.apply(bookmark, of: sequence)
        bookmarkOwners = owners
        return DispatchResult(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }

    /// The number of bookmarks that each uid set last; cached until the staged state is replaced or the log is compacted.
    private func countedBookmarkOwners() throws(StoreError) -> [UInt32?: Int] {
        if let bookmarkOwners { return bookmarkOwners }
        let rows = try StoreError.reading { () throws(ActionLogError) in try log.bookmarks() }
        return rows.reduce(into: [:]) { owners, row in owners[owner(of: row), default: 0] += 1 }
    }

    // `nil` if the record was compacted away or can't be read.
    private func owner(of row: BookmarkRow) -> UInt32? {
        var owner: UInt32?
        guard row.record >= log.first else { return nil }
        _ = try? log.read(from: row.record, through: row.record) { header, _ in
            owner = header.origin
            return false
        }
        return owner
    }
}
