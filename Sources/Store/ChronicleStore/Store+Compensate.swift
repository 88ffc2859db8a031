public import Chronicle

extension Store {
    /// Commits an undo batch in order with the dispatches, and waits until it is on disk.
    ///
    /// The answer has all records in `sequences`, those of cancelled commands first, and the changes, unless they exceed one answer. Throws
    /// `.outdated`, `.conflict`, and the errors of the decision and of a dispatch. A dry run uses the query thread.
    public nonisolated func compensate(
        _ compensation: Compensation<App>
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        let answer = try await perform(for: compensation.origin, counting: .batch) { store throws(StoreError) in
            try store.accept(compensation)
        }
        return try await complete(answer)
    }

    private func accept(_ compensation: Compensation<App>) throws(StoreError) -> Acknowledgement<App.Command> {
        switch compensation.purpose {
        case .log: answer(by: try stagedLog.accept(compensation))
        case .dryRun:
            try dryRun { (stagedLog, _) async throws(StoreError) in try stagedLog.dryRun(compensation) }
        }
    }
}
