public import Chronicle
import ChronicleLog

extension Store {
    /// Commits an undo batch in order with the dispatches, and waits until it is on disk.
    ///
    /// The answer has all records in `sequences`, those of cancelled commands first, and the changes, unless they exceed one answer. Throws
    /// `.outdated`, `.conflict`, and the errors of the decision and of a dispatch. A dry run uses the query thread.
    public nonisolated func compensate(
        _ compensation: UndoBatch<App>
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        let known = try await queries.perform { (queries) async throws(StoreError) in
            var known = compensation
            // Catching up here leaves few records for the store to read on its thread.
            while known.through < self.log.head.sequence {
                let last = min(self.log.head.sequence, known.through + Limits.meanwhileRecordsMax / 2)
                try known.advance(through: last, in: self.log)
                try await queries.yieldIfNeeded()
            }
            return known
        }
        // In its own flush, so that the store can read all earlier records.
        let answer = try await perform(
            for: compensation.origin, exclusive: compensation.purpose == .log, counting: .batch
        ) { store throws(StoreError) in
            try store.accept(known)
        }
        return try await complete(answer)
    }

    private func accept(_ compensation: UndoBatch<App>) throws(StoreError) -> DispatchResult<App.Command> {
        switch compensation.purpose {
        case .log: answer(by: try stagedLog.accept(compensation))
        case .dryRun:
            try dryRun { (stagedLog, _) async throws(StoreError) in try stagedLog.dryRun(compensation) }
        }
    }
}
