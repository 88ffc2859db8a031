public import Chronicle
import ChronicleLog

extension Store {
    /// Locks the log and waits until that is on disk: dispatches, undos and imports are refused with `.locked` until `unlock`.
    ///
    /// The lock survives restarts. Command results and operator actions are still logged: bookmarks, holding, redacting, compacting.
    /// - Parameter reason: 1 to `Lock.reasonBytesMax` bytes; the caller checks this.
    /// - Throws: `.readOnly`, `.storageFull`, `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func lock(_ reason: String, by uid: UInt32) async throws(StoreError) -> DispatchResult<App.Command> {
        try await perform(for: uid) { store throws(StoreError) in try store.stagedLog.lock(reason, by: uid) }
    }

    /// Unlocks the log and waits until that is on disk; logs nothing if it is not locked.
    /// - Throws: as `lock`.
    @discardableResult
    public nonisolated func unlock(by uid: UInt32) async throws(StoreError) -> DispatchResult<App.Command> {
        try await perform(for: uid) { store throws(StoreError) in try store.stagedLog.unlock(by: uid) }
    }
}
