import ActionCoding
public import ActionLogs
public import Reducing

extension Store {
    /// Sets a bookmark, or moves the one of that name, and waits until it is on disk.
    ///
    /// - Parameters:
    ///   - bookmark: a name that the caller has checked, and a sequence that is in the log.
    ///   - uid: who sets it.
    /// - Throws: `.readOnly`, `.storageFull`, `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func set(
        _ bookmark: Bookmark, by uid: UInt32
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await inLine { $0.judge(bookmark, by: uid) }
    }

    func judge(_ bookmark: Bookmark, by uid: UInt32) -> Result<Acknowledgement<App.Command>, StoreError> {
        do throws(StoreError) {
            try checkWritable()
            try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        } catch {
            return .failure(error)
        }
        let sequence = stageMark(.bookmark, by: uid) { bookmark.encode(into: &$0) }
        pending.flush.set(BookmarkRow(name: bookmark.name, sequence: bookmark.sequence, record: sequence))
        return .success(Acknowledgement(epoch: staged.epoch, sequences: sequence..<sequence + 1))
    }
}
