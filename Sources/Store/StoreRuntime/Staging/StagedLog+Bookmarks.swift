import Records
import Reducing
import Values

extension StagedLog {
    /// Stages the record and the row of a bookmark, checked against those that are on disk; none is staged now.
    mutating func accept(_ bookmark: Bookmark, by uid: UInt32) throws(StoreError) -> Acknowledgement<App.Command> {
        try checkWritable()
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        try check(bookmark)
        let sequence = stageMark(.bookmark, by: uid) { bookmark.encode(into: &$0) }
        pending.flush.apply(bookmark, of: sequence)
        return Acknowledgement(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }

    private func check(_ bookmark: Bookmark) throws(StoreError) {
        let max = Limits.bookmarksMax
        let isThere = try StoreError.reading { () throws(ActionLogError) in try log.bookmark(bookmark.name) } != nil
        if bookmark.isWithdrawn {
            guard isThere else { throw .unknownBookmark(bookmark.name) }
        } else if !isThere {
            let count = try StoreError.reading { () throws(ActionLogError) in try log.bookmarkCount(upTo: max) }
            guard count < max else { throw .tooManyBookmarks(max: max) }
        }
    }
}
