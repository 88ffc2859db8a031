import ActionLogs
import Reducing

extension Staging {
    /// Opens the commands that a record asked for, and ends those whose place they take once the batch is staged.
    mutating func open(_ commands: [App.Command], askedBy header: RecordHeader, depth: UInt32, into batch: inout Batch<App>) {
        let isTooDeep = depth > Limits.commandDepthMax
        for (index, command) in commands.enumerated() where !command.isPresentational {
            let policy = command.policy
            if let cancelID = policy.cancelID, !isTooDeep {
                displace(outbox.commands(named: cancelID), policy.isCancellation ? .cancelled : .superseded, into: &batch)
            }
            if policy.isCancellation { continue }
            var row = OutboxRow(
                id: CommandID(sequence: header.sequence, index: UInt32(index)), call: header.commands[index],
                due: policy.delay == .zero ? 0 : header.time.adding(clamping: policy.delay.microseconds), step: header.step,
                origin: header.origin, depth: depth, cancelID: policy.cancelID ?? "", group: policy.group ?? "")
            if isTooDeep {
                row.stage = .parked
                row.reason = "It was asked for by the end of a command, that one by another end, \(depth) times over."
            }
            let opened = OpenCommand(row: row, command: command)
            outbox.put(opened)
            pending.flush.add(row)
            // What a parked one tells may ask for more, which is parked without a word.
            if depth == Limits.commandDepthMax + 1 { batch.aftermath.append(.parked(opened)) }
        }
    }

    private mutating func displace(_ ids: [CommandID], _ outcome: CommandOutcome, into batch: inout Batch<App>) {
        for id in ids {
            guard let command = outbox[id] else { continue }
            close(id)
            batch.aftermath.append(.displaced(command, outcome))
        }
    }

    private mutating func close(_ id: CommandID) {
        outbox.close(id)
        pending.flush.close(id)
    }

    /// Checks what a dispatch asked for, and stages what that brings about.
    mutating func settle(_ batch: inout Batch<App>) throws(StoreError) {
        try stageAftermath(of: &batch)
        guard outbox.counts.open <= Limits.openCommandsMax else { throw .tooManyCommands }
    }

    /// Stages what a batch brought about besides its own records: the ends of commands that it displaced.
    ///
    /// They stand behind it, so that its own records have sequences without a gap.
    mutating func stageAftermath(of batch: inout Batch<App>) throws(StoreError) {
        while let next = batch.nextAftermath() {
            guard batch.count + batch.further < batch.recordsMax else { throw .batchTooLarge }
            switch next {
            case .displaced(let command, let outcome):
                let end: CommandEnd = outcome == .cancelled ? .cancelled : .superseded
                stageEnd(of: command, outcome, facts: facts(command, end), reason: "", into: &batch)
            case .parked(let command):
                stage(facts(command, .parked(command.row.reason)), of: command, into: &batch)
            }
        }
    }

    /// Ends a command, and stages what its end says to the state.
    mutating func end(
        _ command: OpenCommand<App.Command>, _ outcome: CommandOutcome, reason: String = "", telling end: CommandEnd
    ) throws(StoreError) -> Range<UInt64> {
        try settling { staging, batch in
            staging.close(command.id)
            staging.stageEnd(of: command, outcome, facts: staging.facts(command, end), reason: reason, into: &batch)
        }
    }

    /// Ends a command with what its target brought back; what `prepare` refuses ends it as failed.
    mutating func end(
        _ command: OpenCommand<App.Command>, _ outcome: CommandOutcome, bringing fact: App.Action?
    ) throws(StoreError) -> Range<UInt64> {
        let facts: [App.Action]
        do {
            facts = try fact.map { [self] fact throws(Refusal) in try prepared(fact, for: command) } ?? []
        } catch {
            return try end(command, .failed, reason: error.message, telling: .failed(error.message))
        }
        return try settling { staging, batch in
            staging.close(command.id)
            staging.stageEnd(of: command, outcome, facts: facts, reason: "", into: &batch)
        }
    }

    /// Leaves a command to a person.
    mutating func park(_ command: OpenCommand<App.Command>, reason: String) throws(StoreError) -> Range<UInt64> {
        var command = command
        command.row.stage = .parked
        command.row.reason = reason
        return try settling { [command] staging, batch in
            staging.change(command)
            staging.stage(staging.facts(command, .parked(reason)), of: command, into: &batch)
        }
    }

    // Everything, or what it was before.
    private mutating func settling(_ body: (inout Staging, inout Batch<App>) -> Void) throws(StoreError) -> Range<UInt64> {
        let before = mark
        var batch = Batch<App>(first: staged.sequence + 1)
        body(&self, &batch)
        do {
            try stageAftermath(of: &batch)
        } catch {
            rollBack(to: before)
            throw error
        }
        staged.note(App.changedScopes(from: before.staged.state, to: staged.state), at: staged.sequence)
        pending.endCount += 1
        return before.staged.sequence + 1..<staged.sequence + 1
    }

    private func prepared(_ fact: App.Action, for command: OpenCommand<App.Command>) throws(Refusal) -> [App.Action] {
        let context = Context(time: clock.next(options.clock.reading), origin: command.row.origin)
        return try App.prepare(fact, staged.state, context)
    }

    // What can't be said is left unsaid: the end is in the log, and its reason with it.
    private func facts(_ command: OpenCommand<App.Command>, _ end: CommandEnd) -> [App.Action] {
        guard let known = command.command, let fact = App.ended(known, end) else { return [] }
        return (try? prepared(fact, for: command)) ?? []
    }

    private mutating func stageEnd(
        of command: OpenCommand<App.Command>, _ outcome: CommandOutcome, facts: [App.Action], reason: String,
        into batch: inout Batch<App>
    ) {
        var header = header(of: command)
        header.kind = .end
        header.outcome = outcome
        header.reason = reason
        header.due = command.row.due
        stage(facts.first, header, of: command, into: &batch)
        stage(Array(facts.dropFirst()), of: command, into: &batch)
    }

    /// Ends a command that is taken back with the step that asked for it, or with everything after some moment.
    mutating func stageCancellation(of command: OpenCommand<App.Command>, _ end: RecordHeader, into batch: inout Batch<App>) {
        // The end of another may have ended it.
        guard outbox[command.id] != nil else { return }
        close(command.id)
        let facts = facts(command, .cancelled)
        stage(facts.first, end, of: command, into: &batch)
        for fact in facts.dropFirst() {
            var header = end
            header.kind = .action
            header.outcome = nil
            header.reason = ""
            header.due = 0
            stage(fact, header, of: command, into: &batch)
        }
    }

    private mutating func stage(_ facts: [App.Action], of command: OpenCommand<App.Command>, into batch: inout Batch<App>) {
        for fact in facts { stage(fact, header(of: command), of: command, into: &batch) }
    }

    private func header(of command: OpenCommand<App.Command>) -> RecordHeader {
        RecordHeader(
            sequence: 0, time: 0, origin: command.row.origin, step: command.row.step, cause: command.id, build: options.build)
    }

    private mutating func stage(
        _ action: App.Action?, _ template: RecordHeader, of command: OpenCommand<App.Command>, into batch: inout Batch<App>
    ) {
        var header = template
        let stamp = clock.stamp(options.clock.reading)
        staged.sequence += 1
        staged.time = stamp.time
        header.sequence = staged.sequence
        header.time = stamp.time
        header.rawTime = stamp.rawTime
        batch.further += 1
        guard let action else { return pending.flush.stage(header, payload: []) }
        let commands = App.reduce(&staged.state, action, Context(time: header.time, origin: header.origin))
        header.commands = commands.map { CommandCall($0) }
        pending.stage(header, action)
        if !commands.isEmpty {
            open(commands, askedBy: header, depth: max(command.row.depth, command.row.depth &+ 1), into: &batch)
        }
    }
}
