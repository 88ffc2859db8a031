import ActionCoding
import ActionLogs
public import Reducing
import Synchronization

extension Store {
    /// Judges a compensation in line with all dispatches, and waits until it is on disk.
    ///
    /// The answer's `sequences` are all its records, those of cancelled commands first; `changes` are what it changed, `nil` if that is
    /// more than `Limits.changesMax`; `commands` are what it asked for. Throws, besides what a dispatch meets: `.overtaken`, `.conflict`,
    /// and what the decision throws.
    public nonisolated func compensate(
        _ compensation: Compensation<App>
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await inLine { $0.judge(compensation) }
    }

    /// Judges it on the staged state and stages its records, or leaves everything as it was.
    func judge(_ compensation: Compensation<App>) -> Result<Acknowledgement<App.Command>, StoreError> {
        do {
            return .success(try accept(compensation))
        } catch {
            // Whoever is overtaken finds it out again; that is between the two of us, and no refusal.
            if error != .overtaken { statistics.refused.add(1, ordering: .relaxed) }
            return .failure(error)
        }
    }

    private func accept(_ compensation: Compensation<App>) throws(StoreError) -> Acknowledgement<App.Command> {
        try checkWritable()
        let key = try stagedKey(of: compensation)
        if let key, let first = try answer(to: key) { return first }
        if let epoch = compensation.epoch, epoch != staged.epoch { throw .epochChanged(current: staged.epoch) }
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let isOfNow = compensation.redactions.map { $0 == log.redactions.count } ?? true
        guard lastRewrite <= compensation.through, isOfNow else { throw .overtaken }
        // What other steps went on with is in the state that it is decided on.
        if case .steps(let steps, _) = compensation.cancelling, continuations.latest(of: steps) > compensation.through {
            throw .overtaken
        }
        let cancelled = try commands(toCancel: compensation.cancelling)

        let before = mark
        do {
            let (answer, own) = try stage(compensation, cancelling: cancelled, from: before)
            guard case .log = compensation.purpose else {
                rollBack(to: before)
                return answer
            }
            staged.note(App.changedScopes(from: before.staged.state, to: staged.state), at: staged.sequence)
            if let key {
                try pending.add(key, Acknowledgement(epoch: staged.epoch, sequences: own.sequences, ids: own.ids), at: own.time)
            }
            if !answer.sequences.isEmpty { lastRewrite = staged.sequence }
            return answer
        } catch {
            rollBack(to: before)
            throw error
        }
    }

    private func stagedKey(of compensation: Compensation<App>) throws(StoreError) -> StagedKey? {
        guard let key = compensation.key, case .log = compensation.purpose else { return nil }
        guard 1...Limits.keyBytesMax ~= key.utf8.count else { throw .keyTooLong }
        return StagedKey(name: KeyName(uid: compensation.origin, key: ExactText(key)), digest: compensation.digest)
    }

    private func commands(
        toCancel cancelling: Compensation<App>.Cancelling
    ) throws(StoreError) -> [OpenCommand<App.Command>] {
        switch cancelling {
        case .askedAfter(let sequence): return outbox.commands { $0.id.sequence > sequence }
        case .steps(let steps, let expected):
            guard expected.allSatisfy({ outbox[$0] != nil }) else { throw .overtaken }
            return outbox.commands { steps.contains($0.row.step) }
        }
    }

    private func stage(
        _ compensation: Compensation<App>, cancelling cancelled: [OpenCommand<App.Command>], from before: Mark
    ) throws(StoreError) -> (Acknowledgement<App.Command>, own: Own) {
        let first = staged.sequence + 1
        // Their ends belong to the step that takes back, so that taking that back in turn asks for them again.
        var ends = Batch<App>(first: first)
        for command in cancelled {
            let undoes: UInt64? = if case .steps = compensation.cancelling { command.row.step } else { nil }
            let end = RecordHeader(
                kind: .end, sequence: 0, time: 0, origin: compensation.origin, step: first, cause: command.id, undoes: undoes,
                build: options.build, outcome: .cancelled,
                reason: "Taken back by uid \(compensation.origin).", due: command.row.due)
            stageCancellation(of: command, end, into: &ends)
        }
        try stageAftermath(of: &ends)

        var batch = Batch<App>(first: staged.sequence + 1)
        batch.recordsMax = .max
        let parts = try compensation.decide(before.staged.state, staged.state)
        let now = options.clock.reading
        let bytesMax = pending.flush.byteCount + Limits.compensationBytesMax
        for part in parts {
            for action in part.actions {
                fold(action, of: compensation, step: first, undoing: part.undoes, at: now, into: &batch)
                guard pending.flush.byteCount <= bytesMax else { throw .batchTooLarge }
            }
        }
        let own: Own = (sequences: batch.sequences, ids: batch.ids, time: staged.time)
        let sequences = first..<own.sequences.upperBound
        if !batch.commands.isEmpty { try settle(&batch) }
        let isLogged = if case .log = compensation.purpose { true } else { false }
        let answer = Acknowledgement(
            epoch: staged.epoch, sequences: isLogged ? sequences : first..<first, ids: batch.ids,
            presentations: isLogged ? batch.commands.filter { $0.isPresentational } : [],
            changes: App.changes(from: before.staged.state, to: staged.state, limit: Limits.changesMax),
            commands: batch.commands.filter { !$0.isPresentational })
        return (answer, own)
    }

    // The records that came with the key; the ends of commands did not.
    private typealias Own = (sequences: Range<UInt64>, ids: [UInt64], time: Int64)

    private func fold(
        _ action: App.Action, of compensation: Compensation<App>, step: UInt64, undoing undone: UInt64?,
        at now: RecordClock.Reading, into batch: inout Batch<App>
    ) {
        let stamp = clock.stamp(now)
        staged.sequence += 1
        staged.time = stamp.time
        let context = Context(time: stamp.time, origin: compensation.origin)
        let commands = App.reduce(&staged.state, action, context)
        var header = RecordHeader(
            kind: .action, sequence: staged.sequence, time: stamp.time, rawTime: stamp.rawTime, origin: compensation.origin,
            step: step, undoes: undone, key: compensation.key, build: options.build)
        if !commands.isEmpty {
            header.commands = commands.map { CommandCall($0) }
            batch.commands += commands
            open(commands, askedBy: header, depth: 0, into: &batch)
        }
        pending.stage(header, action)
        batch.note(App.created(by: action))
    }
}
