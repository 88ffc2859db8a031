import Chronicle
import ChronicleLog

extension StagedLog {
    /// Opens the commands that a record requested, and ends the ones they displace once the batch is staged.
    mutating func open(_ commands: [App.Command], askedBy header: RecordHeader, depth: UInt32, into batch: inout Batch<App>) {
        for (index, command) in commands.enumerated() where !command.isPresentational {
            let policy = command.policy
            let isTooDeep = depth > Limits.commandDepthMax && !policy.isDelayed
            let isTooMuch = depth > 0 && !isTooDeep && !policy.isCancellation && !rateGuard.admits(at: header.time)
            if !isTooDeep, !isTooMuch, let (cancelID, end) = policy.displacement {
                for id in outbox.commands(named: cancelID) where policy.displacesBegun || outbox[id]?.row.stage != .started {
                    displace(id, end, into: &batch)
                }
            }
            if policy.isCancellation { continue }
            var row = OutboxRow(index, policy, askedBy: header, depth: depth)
            if let interval = policy.interval {
                row.due = max(row.due, outbox.due(row.cancelID, asked: header.time, interval: interval))
            }
            if isTooMuch {
                row.stage = .parked
                row.reason =
                    "It was requested by the end of a command, after \(rateGuard.perMinuteMax) others within a minute, which looks like "
                    + "a loop: find out what requests it, then retry or skip it."
            }
            let opened = OpenCommand(row: row, command: command)
            outbox.put(opened)
            pending.flush.add(row)
            // The report of a parked command may request more, which is parked silently.
            if isTooDeep && depth == Limits.commandDepthMax + 1 || isTooMuch && !batch.tellsParked {
                batch.displaced.append(.parked(opened))
            }
        }
    }

    private mutating func displace(_ id: CommandID, _ end: CommandEnd, into batch: inout Batch<App>) {
        guard let command = outbox[id] else { return }
        close(id)
        batch.displaced.append(.displaced(command, end))
    }

    private mutating func close(_ id: CommandID) {
        outbox.close(id)
        pending.flush.close(id)
    }

    mutating func followUp(_ batch: inout Batch<App>) throws(StoreError) {
        try stageFollowUps(of: &batch)
        guard outbox.counts.open <= Limits.openCommandsMax else { throw .tooManyCommands }
    }

    /// Limits the delayed commands of dispatches, not counting replacements; an undo has no limit, because a taken slot could block it.
    func checkScheduled(by dispatch: Dispatch<App.Action>, before: (all: Int, own: Int)) throws(StoreError) {
        let (all, own) = outbox.scheduled(of: dispatch.origin)
        guard all <= max(before.all, Limits.delayedCommandsMax) else {
            throw .tooManyDelayedCommands(max: Limits.delayedCommandsMax)
        }
        let share = Limits.share(of: Limits.delayedCommandsMax, besides: all - own)
        guard dispatch.isOfOwner, own > max(before.own, share) else { return }
        throw .tooManyDelayedCommands(max: share, of: dispatch.origin)
    }

    /// Stages the consequences of a batch after its own records, so that these have consecutive sequences.
    mutating func stageFollowUps(of batch: inout Batch<App>) throws(StoreError) {
        while let next = batch.nextDisplaced() {
            guard batch.count + batch.followUpCount < batch.recordsMax else { throw .batchTooLarge }
            switch next {
            case .displaced(let command, let end):
                // A command that was cancelled and requested again in the same batch continues as the later one.
                let goesOn = !outbox.commands(named: command.row.cancelID).isEmpty
                let facts = facts(command, goesOn ? .superseded : end)
                stageEnd(of: command, CommandOutcome(end), facts: facts, reason: "", into: &batch)
            case .parked(let command):
                batch.tellsParked = true
                defer { batch.tellsParked = false }
                stage(facts(command, .parked(command.row.reason)), of: command, into: &batch)
            }
        }
    }

    mutating func end(_ command: OpenCommand<App.Command>, _ end: CommandEnd, reason: String) throws(StoreError) {
        try stagingEnd { stagedLog, batch in
            stagedLog.close(command.id)
            stagedLog.stageEnd(
                of: command, CommandOutcome(end), facts: stagedLog.facts(command, end), reason: reason, into: &batch)
        }
    }

    /// Ends a command with the action that its target returned; if `prepare` refuses it, the command has failed.
    mutating func end(_ command: OpenCommand<App.Command>, bringing fact: App.Action?) throws(StoreError) {
        let facts: [App.Action]
        do throws(Refusal) {
            facts =
                try fact.map { [self] fact throws(Refusal) in try App.prepare(fact, staged.state, context(of: command)) } ?? []
        } catch {
            return try fail(command, error.message)
        }
        try parking(command) { [bytesMax = options.stateBytesMax] stagedLog throws(StoreError) in
            try stagedLog.stagingEnd(bytesMax: bytesMax) { stagedLog, batch in
                stagedLog.close(command.id)
                stagedLog.stageEnd(of: command, .result, facts: facts, reason: "", into: &batch)
            }
        }
    }

    mutating func fail(_ command: OpenCommand<App.Command>, _ reason: String) throws(StoreError) {
        try parking(command) { stagedLog throws(StoreError) in try stagedLog.end(command, .failed(reason), reason: reason) }
    }

    /// Parks a command if its end would break an invariant or takes too long to check.
    mutating func parking(
        _ command: OpenCommand<App.Command>, _ end: (inout StagedLog) throws(StoreError) -> Void
    ) throws(StoreError) {
        let reason: String
        do throws(StoreError) { return try end(&self) } catch {
            switch error {
            case .invariantBroken(let name, _, _):
                reason = "Its result would break the invariant \(name). Retry it when it no longer does, or skip it."
            case .invariantTooCostly(let name):
                reason =
                    "Its result takes too long to check against the invariant \(name). Simplify the invariant and retry it, or skip it."
            case .stateFull(_, let max):
                reason = "Its result would make the state larger than \(max) bytes. Remove something, then retry it."
            default: throw error
            }
        }
        try park(command, reason: reason)
    }

    mutating func park(_ command: OpenCommand<App.Command>, reason: String) throws(StoreError) {
        var command = command
        command.row.stage = .parked
        command.row.reason = reason
        do throws(StoreError) {
            try stagingEnd { [command] stagedLog, batch in
                stagedLog.change(command)
                stagedLog.stage(stagedLog.facts(command, .parked(reason)), of: command, into: &batch)
            }
        } catch {
            switch error {
            // Only visible in the list of commands.
            case .invariantBroken, .invariantTooCostly: change(command)
            default: throw error
            }
        }
    }

    // All or nothing. An end without a result is small and bounded by the number of open commands, so it is accepted at any size.
    private mutating func stagingEnd(
        bytesMax: Int = .max, _ body: (inout StagedLog, inout Batch<App>) -> Void
    ) throws(StoreError) {
        let before = mark
        var batch = Batch<App>(first: staged.sequence + 1)
        body(&self, &batch)
        do {
            try stageFollowUps(of: &batch)
            try checkChanges(from: before.state, bytesMax: bytesMax)
        } catch {
            rollBack(to: before)
            throw error
        }
        pending.endCount += 1
    }

    func context(of command: OpenCommand<App.Command>) -> Context {
        Context(time: nextTime(options.clock.wall()), origin: command.row.origin)
    }

    private func facts(_ command: OpenCommand<App.Command>, _ end: CommandEnd) -> [App.Action] {
        guard let known = command.command else { return [] }
        return App.facts(of: known, end, in: staged.state, context(of: command))
    }

    private mutating func stageEnd(
        of command: OpenCommand<App.Command>, _ outcome: CommandOutcome, facts: [App.Action], reason: String,
        into batch: inout Batch<App>
    ) {
        var command = command
        // A delayed command that was run begins a step with its end, as if its action had been dispatched then.
        let wasRun = outcome == .result || outcome == .failed
        if wasRun, command.command?.policy.isDelayed == true { command.row.step = staged.sequence + 1 }
        var header = header(of: command)
        header.kind = .end
        header.outcome = outcome
        header.reason = reason
        header.due = command.row.due
        stage(facts.first, header, of: command, into: &batch)
        stage(Array(facts.dropFirst()), of: command, into: &batch)
    }

    /// Ends a command that is cancelled with the undo of its step, or of everything after some moment.
    mutating func stageCancellation(of command: OpenCommand<App.Command>, _ end: RecordHeader, into batch: inout Batch<App>) {
        // The end of another command may have ended it.
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

    func header(of command: OpenCommand<App.Command>) -> RecordHeader {
        RecordHeader(
            sequence: 0, time: 0, origin: command.row.origin, step: command.row.step, cause: command.id, build: options.build)
    }

    mutating func stage(
        _ action: App.Action?, _ header: consuming RecordHeader, of command: OpenCommand<App.Command>,
        into batch: inout Batch<App>
    ) {
        let depth = command.row.depth
        batch.followUpCount += 1
        append(action, header, at: options.clock.wall(), depth: max(depth, depth &+ 1), into: &batch)
    }
}

extension CommandOutcome {
    /// The outcome for a kind of end; a parked command has failed so far.
    init(_ end: CommandEnd) {
        self =
            switch end {
            case .failed, .parked: .failed
            case .skipped: .skipped
            case .cancelled: .cancelled
            case .superseded: .superseded
            }
    }
}

extension StagedLog {
    /// Stages a command order and its consequences, or throws and changes nothing.
    mutating func stageCommandOrder(_ order: CommandOrder<App.Action>) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        if let shared, order.origin == nil {
            guard shared.isLeading else { throw .stopping }
            pending.flush.isFromRunner = true
        }
        let first = staged.sequence + 1
        try carryOut(order)
        return DispatchResult(epoch: staged.epoch, sequences: first..<staged.sequence + 1)
    }

    private mutating func carryOut(_ order: CommandOrder<App.Action>) throws(StoreError) {
        switch order {
        case .begin(let id, let attempt): try begin(id, attempt: attempt)
        case .end(let id, let fact): try end(started(id), bringing: fact)
        case .fail(let id, let reason): try fail(started(id), reason)
        case .piece(let id, let piece, let fact):
            let command = try started(id)
            try parking(command) { stagedLog throws(StoreError) in try stagedLog.take(piece, bringing: fact, of: command) }
        case .postpone(let id, let due, let reason):
            try putOff(started(id)) { row in
                row.due = due
                row.reason = reason
            }
        case .wait(let id, let due):
            try putOff(started(id)) { row in
                row.due = due
                row.attempts -= min(row.attempts, 1)
                row.waits = max(row.waits, row.waits &+ 1)
            }
        case .interrupt(let id):
            // Keeps the count above 0, so that an import of this history does not attempt the command again under another id.
            try putOff(started(id)) { $0.attempts = max(1, $0.attempts - min($0.attempts, 1)) }
        case .park(let id, let reason): try park(open(id), reason: reason)
        case .retry(let id, _): try retry(id)
        case .skip(let id, let uid): try end(open(id), .skipped, reason: "by uid \(uid)")
        case .cancel(let id, let uid): try end(open(id), .cancelled, reason: "by uid \(uid)")
        case .edit(let id, let arguments, let uid): try edit(open(id), arguments, by: uid)
        case .hold(let uid): hold(through: .max, by: uid)
        case .release(let uid): hold(through: 0, by: uid)
        }
    }

    private mutating func putOff(
        _ command: OpenCommand<App.Command>, _ change: (inout OutboxRow) -> Void
    ) throws(StoreError) {
        // A later command was requested during the attempt, and now displaces this one.
        if command.command?.policy.pace != nil, let last = outbox.commands(named: command.row.cancelID).last, last != command.id {
            return try parking(command) { stagedLog throws(StoreError) in try stagedLog.end(command, .superseded, reason: "") }
        }
        var command = command
        command.row.stage = .waiting
        change(&command.row)
        self.change(command)
    }

    private func open(_ id: CommandID) throws(StoreError) -> OpenCommand<App.Command> {
        guard let command = outbox[id] else { throw .commandClosed(id) }
        return command
    }

    private func started(_ id: CommandID) throws(StoreError) -> OpenCommand<App.Command> {
        let command = try open(id)
        guard command.row.stage == .started else { throw .commandClosed(id) }
        return command
    }

    private mutating func begin(_ id: CommandID, attempt: UInt32) throws(StoreError) {
        var command = try open(id)
        if command.row.stage == .started, command.row.attempts >= attempt { return }
        guard command.row.stage != .parked else { throw .commandClosed(id) }
        guard !outbox.isHeld(id) else { throw .commandHeld(id) }
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        if command.row.attempts == 0, command.row.waits == 0, let interval = command.command?.policy.interval {
            outbox.throttle(command.row.cancelID, from: nextTime(options.clock.wall()), for: interval)
            pending.flush.headChange.throttles = outbox.throttles
        }
        command.row.stage = .started
        command.row.attempts = max(command.row.attempts, command.row.attempts &+ 1)
        change(command)
    }

    private mutating func retry(_ id: CommandID) throws(StoreError) {
        var command = try open(id)
        guard command.row.stage != .started else { throw .commandRunning(id) }
        guard !outbox.isHeld(id) else { throw .commandHeld(id) }
        command.row.stage = .waiting
        command.row.due = 0
        change(command)
    }

    mutating func change(_ command: OpenCommand<App.Command>) {
        outbox.put(command)
        pending.flush.change(command.row)
    }

    private mutating func hold(through sequence: UInt64, by uid: UInt32) {
        guard outbox.heldThrough != sequence else { return }
        stageMark(sequence == 0 ? .release : .hold, by: uid)
        pending.flush.headChange.heldThrough = sequence
        outbox.hold(through: sequence)
    }

    @discardableResult
    mutating func stageMark(
        _ kind: RecordKind, by uid: UInt32, about command: CommandID? = nil,
        payload: (inout CanonicalWriter) -> Void = { _ in }
    ) -> UInt64 {
        var header = RecordHeader(kind: kind, sequence: 0, time: 0, origin: uid, cause: command, build: options.build)
        place(&header, at: options.clock.wall())
        header.step = header.sequence
        pending.flush.stage(header, payload: payload)
        return header.sequence
    }
}
