import Chronicle
import ChronicleLog

extension StagedLog {
    /// A copy of the staged state for a dry run, without the pending flush; the open commands are read later, off the store's thread.
    var forDryRun: StagedLog {
        var head = log.head
        head.sequence = staged.sequence
        head.time = staged.time
        var copy = self
        copy.pending = CommitBatch(after: head, bytesMax: pending.bytesMax)
        copy.outbox = Outbox([], heldThrough: outbox.heldThrough, throttles: outbox.throttles, read: Self.command)
        copy.steps = StepOwnerCache()
        return copy
    }

    /// Reads the open commands: those of this state that are still open.
    mutating func readOutbox() throws(StoreError) {
        let rows = try StoreError.reading { () throws(ActionLogError) in try log.outbox() }
        outbox = Outbox(
            rows.filter { $0.id.sequence <= staged.sequence }, heldThrough: outbox.heldThrough,
            throttles: outbox.throttles, read: Self.command)
        _ = outbox.takeChanges()
    }

    mutating func dryRun(
        _ dispatch: Dispatch<App.Action>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        if let step = dispatch.step {
            guard try Self.isStep(step, of: dispatch.origin, in: log) else { throw .unknownOwnStep(step) }
        }
        try checkUnlocked()
        let (before, scheduled) = (staged.state, outbox.scheduled(of: dispatch.origin))
        var batch = Batch<App>(first: staged.sequence + 1)
        let now = options.clock.wall()
        for index in dispatch.actions.indices {
            try stage(index, of: dispatch, at: now, into: &batch)
            try await queries.yieldIfNeeded()
        }
        if !batch.commands.isEmpty {
            try followUp(&batch)
            try checkScheduled(by: dispatch, before: scheduled)
        }
        if let requirement = dispatch.requirement { try check(requirement) }
        try checkChanges(from: before, bytesMax: options.stateBytesMax)
        guard let changes = changes(from: before) else { throw .answerTooLarge }
        let empty = batch.sequences.lowerBound..<batch.sequences.lowerBound
        return DispatchResult(
            epoch: staged.epoch, sequences: empty, ids: batch.ids, existing: batch.existing, changes: changes,
            commands: batch.standingCommands)
    }

    func changes(from before: App.State) -> [Change]? {
        guard let changes = App.changes(from: before, to: staged.state, limit: Limits.changesMax) else { return nil }
        return changes.isBounded ? changes : nil
    }

    /// Whether a record begins a step of a uid; runs on the query thread.
    static func isStep(_ step: UInt64, of origin: UInt32, in log: any ActionLog) throws(StoreError) -> Bool {
        guard step >= log.first, step <= log.head.sequence else { return false }
        var found = false
        try StoreError.reading { () throws(ActionLogError) in
            _ = try log.read(from: step, through: step) { header, _ in
                found = header.step == step && header.origin == origin
                return true
            }
        }
        return found
    }
}
