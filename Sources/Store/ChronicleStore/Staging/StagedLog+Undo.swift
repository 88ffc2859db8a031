import Chronicle
import ChronicleLog

extension StagedLog {
    /// Stages an undo batch, or throws and changes nothing.
    mutating func stageUndo(_ compensation: UndoBatch<App>) throws(StoreError) -> Verdict {
        try checkWritable()
        let key = try stagedKey(compensation.key, of: compensation.origin) { _ in compensation.digest }
        if let key, let first = try answer(to: key) { return first }
        try checkUnlocked()
        let before = mark
        do {
            let (answer, own) = try stage(compensation)
            if let key {
                try pending.add(key, DispatchResult(epoch: staged.epoch, sequences: own.sequences, ids: own.ids), at: own.time)
            }
            return .done(answer)
        } catch {
            rollBack(to: before)
            throw error
        }
    }

    mutating func dryRun(_ compensation: UndoBatch<App>) throws(StoreError) -> DispatchResult<App.Command> {
        var answer = try stage(compensation).answer
        answer.sequences = answer.sequences.lowerBound..<answer.sequences.lowerBound
        answer.presentations = []
        return answer
    }

    private func commands(toCancel cancelling: UndoBatch<App>.Cancelling) throws(StoreError) -> [OpenCommand<App.Command>] {
        switch cancelling {
        case .askedAfter(let sequence, let feature):
            return outbox.commands { command in
                command.id.sequence > sequence && feature.map { command.row.call.name.hasPrefix($0 + ".") } ?? true
            }
        case .these(let ids): return outbox.commands { ids.contains($0.id) }
        case .steps(let steps, let expected):
            guard expected.allSatisfy({ outbox[$0] != nil }) else { throw .outdated }
            return outbox.commands { steps.contains($0.row.step) }
        }
    }

    private mutating func stage(
        _ compensation: UndoBatch<App>
    ) throws(StoreError) -> (answer: DispatchResult<App.Command>, own: Own) {
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        if let redactions = compensation.redactions, redactions != staged.redactions { throw .outdated }
        var known = compensation
        guard staged.sequence - min(known.through, staged.sequence) <= Limits.meanwhileRecordsMax else { throw .outdated }
        try known.advance(through: staged.sequence, in: log)
        let cancelled = try commands(toCancel: compensation.cancelling)
        let before = staged.state
        let first = staged.sequence + 1
        // The ends belong to the undoing step, so that undoing it requests the commands again.
        var ends = Batch<App>(first: first)
        for command in cancelled {
            let undoes: UInt64? = if case .steps = compensation.cancelling { command.row.step } else { nil }
            let end = RecordHeader(
                kind: .end, sequence: 0, time: 0, origin: compensation.origin, step: first, cause: command.id, undoes: undoes,
                build: options.build, outcome: .cancelled,
                reason: "Undone by uid \(compensation.origin).", due: command.row.due)
            stageCancellation(of: command, end, into: &ends)
        }
        try stageFollowUps(of: &ends)

        var batch = Batch<App>(first: staged.sequence + 1)
        batch.recordsMax = .max
        let parts = try compensation.decide(before, staged.state)
        let now = options.clock.wall()
        let bytesMax = pending.flush.byteCount + Limits.compensationBytesMax
        for var part in parts {
            for action in part.actions {
                let header = RecordHeader(
                    kind: .action, sequence: 0, time: 0, origin: compensation.origin, step: first, undoes: part.undoes,
                    restores: part.restores, merges: part.merges,
                    key: compensation.key, build: options.build)
                appendOwn(action, header, at: now, into: &batch)
                // The first record of a merge holds the mark of the fork.
                part.merges?.held = []
                guard pending.flush.byteCount <= bytesMax else { throw .batchTooLarge }
            }
        }
        let own: Own = (sequences: batch.sequences, ids: batch.ids, time: staged.time)
        let sequences = first..<own.sequences.upperBound
        if !batch.commands.isEmpty { try followUp(&batch) }
        var answer = DispatchResult(
            epoch: staged.epoch, sequences: sequences, ids: batch.ids,
            presentations: batch.commands.filter { $0.isPresentational }, changes: changes(from: before),
            commands: batch.standingCommands)
        if compensation.purpose == .dryRun || compensation.expectedOutcome != nil {
            let outcome = self.outcome(of: parts, cancelling: cancelled, answer.changes, aside: compensation.aside)
            if let expected = compensation.expectedOutcome, expected != outcome { throw .stale(current: first - 1) }
            if compensation.purpose == .dryRun { answer.outcome = outcome }
        }
        try checkChanges(from: before, bytesMax: options.stateBytesMax)
        return (answer, own)
    }

    /// A digest of the reported outcome: equal for the same parts with the same changes.
    ///
    /// It covers changes and not actions, because actions contain list positions, which unrelated insertions shift. If there are too many
    /// changes to report, it covers the number of actions.
    private func outcome(
        of parts: [UndoBatch<App>.Part], cancelling cancelled: [OpenCommand<App.Command>], _ changes: [Change]?, aside: UInt64
    ) -> UInt64 {
        var writer = CanonicalWriter()
        writer.element(1, aside)
        for command in cancelled {
            writer.message(2) { writer in
                writer.field(1, command.id.sequence)
                writer.field(2, UInt64(command.id.index))
                // A command with an attempt may have had external effects.
                writer.field(3, command.row.attempts > 0)
            }
        }
        for part in parts {
            writer.message(3) { writer in
                // `nil` differs from 0, the beginning.
                if let undoes = part.undoes { writer.element(1, undoes) }
                if let restores = part.restores { writer.element(2, restores) }
                if changes == nil { writer.field(3, UInt64(part.actions.count)) }
            }
        }
        for change in changes ?? [] {
            writer.message(4) { writer in
                writer.field(1, change.path)
                writer.field(2, change.kind.rawValue)
                if let id = change.id { writer.element(3, id) }
                if let old = change.old { writer.field(4, old.jsonBytes) }
                if let new = change.new { writer.field(5, new.jsonBytes) }
            }
        }
        return Checksum.of(writer.bytes.span.bytes)
    }

    // The records of the key, without the ends of commands.
    private typealias Own = (sequences: Range<UInt64>, ids: [UInt64], time: Int64)

    /// Replaces the arguments of an open command, which its feature must be able to read; equal arguments log nothing.
    mutating func edit(_ command: OpenCommand<App.Command>, _ arguments: Value, by uid: UInt32) throws(StoreError) {
        let id = command.id
        guard command.row.stage != .started else { throw .commandRunning(id) }
        let edited = try self.command(command, with: arguments)
        let edit = CommandEdit(before: command.row.call, after: CommandCall(edited))
        guard edit.after != edit.before else { return }
        guard edit.after.arguments.count <= Limits.argumentsBytesMax else {
            throw .badArguments(id, ValueMismatch("", "they are larger than \(Limits.argumentsBytesMax) bytes"))
        }
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let sequence = stageMark(.edit, by: uid, about: id) { edit.encode(into: &$0) }
        var command = command
        command.row.edit(to: edit.after, by: sequence, edited.policy)
        command.command = edited
        change(command)
    }

    private func command(_ command: OpenCommand<App.Command>, with arguments: Value) throws(StoreError) -> App.Command {
        guard let known = command.command else {
            throw .badArguments(command.id, ValueMismatch("", "this version can't read the command; it can only be skipped"))
        }
        let edited: App.Command
        do throws(ValueMismatch) { edited = try known.with(arguments: arguments) } catch {
            throw .badArguments(command.id, error)
        }
        guard !edited.isPresentational, !edited.policy.isCancellation else {
            throw .badArguments(
                command.id, ValueMismatch("", "with these arguments the command would do nothing outside the daemon"))
        }
        return edited
    }
}
