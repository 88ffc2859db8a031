import Chronicle
import ChronicleLog

extension StagedLog {
    /// Stages a command order and its consequences, or throws and changes nothing.
    mutating func accept(_ order: CommandOrder<App.Action>) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        if let shared, order.origin == nil {
            guard shared.isLeading else { throw .stopping }
            pending.flush.isFromRunner = true
        }
        return DispatchResult(epoch: staged.epoch, sequences: try carryOut(order))
    }

    private mutating func carryOut(_ order: CommandOrder<App.Action>) throws(StoreError) -> Range<UInt64> {
        switch order {
        case .begin(let id, let attempt): try begin(id, attempt: attempt)
        case .end(let id, let result):
            let command = try started(id)
            switch result {
            case .result(let fact): return try end(command, bringing: fact)
            case .failed(let reason): return try fail(command, reason)
            }
        case .piece(let id, let piece, let fact):
            let command = try started(id)
            return try parking(command) { stagedLog throws(StoreError) in try stagedLog.take(piece, bringing: fact, of: command) }
        case .postpone(let id, let due, let reason):
            return try putOff(started(id)) { row in
                row.due = due
                row.reason = reason
            }
        case .wait(let id, let due):
            return try putOff(started(id)) { row in
                row.due = due
                row.attempts -= min(row.attempts, 1)
                row.waits = max(row.waits, row.waits &+ 1)
            }
        case .interrupt(let id):
            // Keeps the count above 0, so that an import of this history does not attempt the command again under another id.
            return try putOff(started(id)) { $0.attempts = max(1, $0.attempts - min($0.attempts, 1)) }
        case .park(let id, let reason): return try park(open(id), reason: reason)
        case .retry(let id, _): try retry(id)
        case .skip(let id, let uid): return try end(open(id), .skipped, reason: "by uid \(uid)")
        case .cancel(let id, let uid): return try end(open(id), .cancelled, reason: "by uid \(uid)")
        case .edit(let id, let arguments, let uid): return try edit(open(id), arguments, by: uid)
        case .hold(let uid): return hold(through: .max, by: uid)
        case .release(let uid): return hold(through: 0, by: uid)
        }
        return staged.sequence + 1..<staged.sequence + 1
    }

    private mutating func putOff(
        _ command: OpenCommand<App.Command>, _ change: (inout OutboxRow) -> Void
    ) throws(StoreError) -> Range<UInt64> {
        // A later command was requested during the attempt, and now displaces this one.
        if command.command?.policy.pace != nil, let last = outbox.commands(named: command.row.cancelID).last, last != command.id {
            return try parking(command) { stagedLog throws(StoreError) in try stagedLog.end(command, .superseded, reason: "") }
        }
        var command = command
        command.row.stage = .waiting
        change(&command.row)
        self.change(command)
        return staged.sequence + 1..<staged.sequence + 1
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

    private mutating func begin(_ id: CommandID, attempt: UInt32?) throws(StoreError) {
        var command = try open(id)
        if let attempt, command.row.stage == .started, command.row.attempts >= attempt { return }
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

    private mutating func hold(through sequence: UInt64, by uid: UInt32) -> Range<UInt64> {
        let first = staged.sequence + 1
        guard outbox.heldThrough != sequence else { return first..<first }
        stageMark(sequence == 0 ? .release : .hold, by: uid)
        pending.flush.headChange.heldThrough = sequence
        outbox.hold(through: sequence)
        return first..<first + 1
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
