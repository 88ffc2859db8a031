import Chronicle
import ChronicleLog

extension Store {
    /// Compacts the log in order with the dispatches, and waits until that is on disk.
    public nonisolated func compact(_ compaction: Compaction) async throws(StoreError) {
        _ = try await perform(exclusive: true) { store throws(StoreError) in try store.accept(compaction) }
    }

    private func accept(_ compaction: Compaction) throws(StoreError) -> DispatchResult<App.Command> {
        guard options.access == .readWrite else { throw .readOnly }
        return try behindOthers { () throws(StoreError) in try carryOut(compaction) }
    }

    // Returns `nil` if other machines appended to a shared log first.
    private func carryOut(_ compaction: Compaction) throws(StoreError) -> DispatchResult<App.Command>? {
        stagedLog.pending.isSettled = true
        // The records that name the owners of bookmarks may be removed.
        stagedLog.bookmarkOwners = nil
        do throws(ActionLogError) { try compaction.run() } catch {
            if case .unknownOutcome(let what) = error { options.onUnknownOutcome(what) }
            guard error == .othersFirst else { throw StoreError(error) }
            return nil
        }
        return stagedLog.nothing
    }
}
