public import Reducing

extension Store {
    /// Accepts a compensation in line with all dispatches, and waits until it is on disk.
    ///
    /// The answer's `sequences` are all its records, those of cancelled commands first; `changes` are what it changed, `nil` if that is
    /// more than one answer holds; `commands` are what it asked for. Throws, besides what a dispatch meets: `.overtaken`, `.wentOn`,
    /// `.conflict`, and what the decision throws. One that is only tried out is accepted on the query thread.
    public nonisolated func compensate(
        _ compensation: Compensation<App>
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        let answer = try await perform(for: compensation.origin) { store throws(StoreError) in
            try store.counted { () throws(StoreError) in try store.accept(compensation) }
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
