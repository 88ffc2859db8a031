public import Chronicle
import ChronicleLog
import Synchronization

extension Store {
    /// Completes the answer to a dry run, a repeated dispatch with presentations, or one that continues an old step; on the query thread.
    /// - Throws: the errors of a dispatch, and `.queryBusy`.
    public nonisolated func complete(
        _ answer: DispatchResult<App.Command>
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        guard let rest = answer.rest else { return answer }
        return try await rest()
    }

    func stageDispatch(_ dispatch: Dispatch<App.Action>) throws(StoreError) -> DispatchResult<App.Command> {
        switch dispatch.purpose {
        case .log:
            guard let verdict = try stagedLog.stageDispatch(dispatch) else {
                return unfinished { () async throws(StoreError) in try await self.dispatchOnceLookedUp(dispatch) }
            }
            return answer(by: verdict)
        case .dryRun:
            try stagedLog.checkWritable()
            try stagedLog.checkExpectations(of: dispatch)
            return try dryRun { (stagedLog, queries) async throws(StoreError) in try await stagedLog.dryRun(dispatch, queries) }
        }
    }

    func answer(by verdict: StagedLog<App>.Verdict) -> DispatchResult<App.Command> {
        switch verdict {
        case .done(let answer): answer
        case .known(let answer) where answer.sequences.isEmpty: answer
        case .known(let answer):
            unfinished { () async throws(StoreError) in
                var whole = answer
                whole.presentations = try await self.presentations(of: answer.sequences)
                return whole
            }
        }
    }

    private func unfinished(_ rest: @escaping DispatchResult<App.Command>.Rest) -> DispatchResult<App.Command> {
        DispatchResult(
            epoch: stagedLog.staged.epoch, sequences: stagedLog.staged.sequence + 1..<stagedLog.staged.sequence + 1, rest: rest)
    }

    /// Schedules a dry run on the query thread, for the state as it is staged now.
    func dryRun(
        _ body:
            @escaping @Sendable (inout StagedLog<App>, isolated QueryExecutor) async throws(StoreError) -> DispatchResult<
                App.Command
            >
    ) throws(StoreError) -> DispatchResult<App.Command> {
        try stagedLog.checkWritable()
        try stagedLog.pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let start = stagedLog.forDryRun
        return unfinished { () async throws(StoreError) in
            do throws(StoreError) {
                return try await self.queries.admit(.short) { (queries) async throws(StoreError) in
                    var stagedLog = start
                    if self.statistics.commands.withLock({ $0.open }) > 0 { try stagedLog.readOutbox() }
                    return try await body(&stagedLog, queries)
                }
            } catch {
                if error.isRefusal { self.statistics.refused.add(1, ordering: .relaxed) }
                throw error
            }
        }
    }

    private nonisolated func dispatchOnceLookedUp(
        _ dispatch: Dispatch<App.Action>
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        guard let step = dispatch.step else { return try await self.dispatch(dispatch) }
        var dispatch = dispatch
        dispatch.isOwnStep = try await queries.admit(.short) { [log, dispatch] (_) async throws(StoreError) in
            try StagedLog<App>.isStep(step, of: dispatch.origin, in: log)
        }
        return try await self.dispatch(dispatch)
    }

    private nonisolated func presentations(of sequences: Range<UInt64>) async throws(StoreError) -> [App.Command] {
        try await queries.perform { [log] (queries) async throws(StoreError) in
            var commands: [App.Command] = []
            var next = sequences.lowerBound
            // Compacted records are lost.
            while next >= log.first, next < sequences.upperBound {
                var calls: [CommandCall] = []
                next = try StoreError.reading { () throws(ActionLogError) in
                    try log.read(
                        from: next, through: sequences.upperBound - 1, recordsMax: Limits.pageRecordsMax,
                        bytesMax: Limits.pageBytesMax
                    ) { header, _ in
                        calls += header.commands.filter { $0.presentational }
                        return true
                    }
                }
                for call in calls {
                    do throws(CanonicalError) { commands.append(try App.Command(canonical: call.arguments)) } catch {
                        throw .damaged(
                            sequence: sequences.lowerBound, what: "the command \(call.name) can't be read: \(error.reason)")
                    }
                }
                try await queries.yieldIfNeeded()
            }
            return commands
        }
    }

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
            try store.stageUndo(known)
        }
        return try await complete(answer)
    }

    private func stageUndo(_ compensation: UndoBatch<App>) throws(StoreError) -> DispatchResult<App.Command> {
        switch compensation.purpose {
        case .log: answer(by: try stagedLog.stageUndo(compensation))
        case .dryRun:
            try dryRun { (stagedLog, _) async throws(StoreError) in try stagedLog.dryRun(compensation) }
        }
    }
}
