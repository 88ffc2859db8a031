import ActionLogs
import Reducing

extension Store {
    /// Compacts the log, in line with the dispatches, and waits until that is on disk.
    public nonisolated func compact(_ compaction: Compaction) async throws(StoreError) {
        _ = try await inLine(alone: true) { $0.judge(compaction) }
    }

    func judge(_ compaction: Compaction) -> Result<Acknowledgement<App.Command>, StoreError> {
        guard options.access == .readWrite else { return .failure(.readOnly) }
        do throws(StoreError) {
            try StoreError.reading(compaction.run)
            return .success(Acknowledgement(epoch: staged.epoch, sequences: staged.sequence + 1..<staged.sequence + 1))
        } catch {
            if case .outcomeUnknown(let what) = error { options.onUnknownOutcome(what) }
            return .failure(error)
        }
    }
}
