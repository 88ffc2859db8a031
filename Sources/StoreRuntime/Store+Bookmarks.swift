import ActionCoding
public import ActionLogs
public import Reducing

extension Store {
    /// Sets a bookmark, moves the one of that name, or takes it away, and waits until that is on disk.
    ///
    /// - Parameters:
    ///   - bookmark: a name that the caller has checked, and a sequence that is in the log.
    ///   - uid: who sets it.
    /// - Throws: `.tooManyBookmarks` for a further name, `.unknownBookmark` when there is none to take away; `.readOnly`, `.storageFull`,
    ///   `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func set(
        _ bookmark: Bookmark, by uid: UInt32
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await inLine(alone: true) { $0.judge(bookmark, by: uid) }
    }

    /// Judges a bookmark by those that are on disk; none is staged now.
    func judge(_ bookmark: Bookmark, by uid: UInt32) -> Result<Acknowledgement<App.Command>, StoreError> {
        do throws(StoreError) {
            try checkWritable()
            try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
            try check(bookmark)
        } catch {
            return .failure(error)
        }
        let sequence = stageMark(.bookmark, by: uid) { bookmark.encode(into: &$0) }
        pending.flush.apply(bookmark, of: sequence)
        return .success(Acknowledgement(epoch: staged.epoch, sequences: sequence..<sequence + 1))
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
