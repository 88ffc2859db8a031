import Records
import Reducing
import Values

extension StagedLog {
    /// Stages the record and the row of a bookmark, checked against those that are on disk; none is staged now.
    mutating func accept(_ bookmark: Bookmark, by uid: UInt32) throws(StoreError) -> Acknowledgement<App.Command> {
        try checkWritable()
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let count = try count(with: bookmark)
        let sequence = stageMark(.bookmark, by: uid) { bookmark.encode(into: &$0) }
        pending.flush.apply(bookmark, of: sequence)
        bookmarkCount = count
        return Acknowledgement(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }

    /// How many bookmarks there are after this one; refuses it if it is one too many, or none that can be removed.
    private func count(with bookmark: Bookmark) throws(StoreError) -> Int? {
        let max = Limits.bookmarksMax
        let isThere = try StoreError.reading { () throws(ActionLogError) in try log.bookmark(bookmark.name) } != nil
        if bookmark.isWithdrawn {
            guard isThere else { throw .unknownBookmark(bookmark.name) }
            return bookmarkCount.map { $0 - 1 }
        }
        if isThere { return bookmarkCount }
        let count = try StoreError.reading { () throws(ActionLogError) in
            if let bookmarkCount { bookmarkCount } else { try log.bookmarkCount(upTo: max) }
        }
        guard count < max else { throw .tooManyBookmarks(max: max) }
        return count + 1
    }
}
