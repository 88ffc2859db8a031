import Records
public import Reducing

extension Store {
    /// Locks the log and waits until that is on disk: from then on dispatches, undos and imports are refused with `.locked`, over restarts,
    /// until `unlock`.
    ///
    /// What commands bring is logged all the same, and so is what an operator does: bookmarks, holding, redacting, compacting.
    /// - Parameter reason: 1 to `Lock.reasonBytesMax` bytes, which the caller has checked.
    /// - Throws: `.readOnly`, `.storageFull`, `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func lock(
        _ reason: String, by uid: UInt32
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await perform(for: uid) { store throws(StoreError) in try store.stagedLog.lock(reason, by: uid) }
    }

    /// Lets dispatches go on and waits until that is on disk; nothing is logged when the log is not locked.
    ///
    /// - Throws: as `lock`.
    @discardableResult
    public nonisolated func unlock(by uid: UInt32) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await perform(for: uid) { store throws(StoreError) in try store.stagedLog.unlock(by: uid) }
    }
}
