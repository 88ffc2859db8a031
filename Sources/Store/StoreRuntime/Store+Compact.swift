import Records
import Reducing

extension Store {
    /// Compacts the log, in line with the dispatches, and waits until that is on disk.
    public nonisolated func compact(_ compaction: Compaction) async throws(StoreError) {
        _ = try await perform(exclusive: true) { store throws(StoreError) in try store.accept(compaction) }
    }

    private func accept(_ compaction: Compaction) throws(StoreError) -> Acknowledgement<App.Command> {
        guard options.access == .readWrite else { throw .readOnly }
        stagedLog.pending.isSettled = true
        do throws(StoreError) { try StoreError.reading(compaction.run) } catch {
            if case .outcomeUnknown(let what) = error { options.onUnknownOutcome(what) }
            throw error
        }
        return stagedLog.nothing
    }
}
