import ActionCoding
import ActionLogs
public import Reducing
import Synchronization

extension Store {
    /// Puts an order of the runner or of a person in line; from any thread, without waiting.
    public nonisolated func enqueue(_ order: CommandOrder<App.Action>, reply: @escaping Reply) {
        add(.order(order, reply)) { reply(.failure($0)) }
    }

    /// Gives an order and waits until it is on disk.
    @discardableResult
    public nonisolated func submit(
        _ order: CommandOrder<App.Action>
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await withCheckedContinuation { continuation in
            enqueue(order) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Has a listener told of every open command now, and then after each flush of what it changed; `nil` ends that.
    ///
    /// There is one listener: it takes the place of the one before. Throws `.stopping` and `.busy`.
    public nonisolated func listen(_ listener: CommandListener<App.Command>?) async throws(StoreError) {
        let refusal: StoreError? = await withCheckedContinuation { continuation in
            let call = Call.seldom { store in
                store.commit()
                store.listener = listener
                listener?(store.outbox.all)
                continuation.resume(returning: nil)
            }
            add(call) { continuation.resume(returning: $0) }
        }
        if let refusal { throw refusal }
    }

    /// The open commands as they stand on disk, in the order in which they start.
    ///
    /// - Throws: `.queryBusy`, `.damaged`, `.unreadable`.
    public nonisolated func commands() async throws(StoreError) -> [OpenCommand<App.Command>] {
        try await queries.admit(.short) { queries throws(StoreError) in
            try await queries.breathe()
            return try StoreError.reading { () throws(ActionLogError) in try self.log.outbox() }
                .map { OpenCommand(row: $0, command: Self.command(of: $0)) }
        }
    }

    /// Names the log in what is told to the world; the same after every restart.
    public nonisolated var id: String { log.head.storeID }

    /// Where a test kills the process; the runner's places are among them.
    public nonisolated var crashPoints: CrashPoints { options.crashPoints }

    /// The command of a row; `nil` if this version can't read it.
    static func command(of row: OutboxRow) -> App.Command? { try? App.Command(canonical: row.call.arguments) }

    func judge(_ order: CommandOrder<App.Action>) -> Result<Acknowledgement<App.Command>, StoreError> {
        pending.orderCount += 1
        do {
            try checkWritable()
            return .success(Acknowledgement(epoch: staged.epoch, sequences: try accept(order)))
        } catch {
            if case .commandClosed = error, case .end = order { statistics.lateEnds.add(1, ordering: .relaxed) }
            return .failure(error)
        }
    }

    private func accept(_ order: CommandOrder<App.Action>) throws(StoreError) -> Range<UInt64> {
        switch order {
        case .begin(let id): try begin(id)
        case .end(let id, let result):
            let command = try started(id)
            switch result {
            case .result(let fact): return try end(command, .result, bringing: fact)
            case .failed(let reason): return try end(command, .failed, reason: reason, telling: .failed(reason))
            }
        case .postpone(let id, let due, let reason):
            var command = try started(id)
            command.row.stage = .waiting
            command.row.due = due
            command.row.reason = reason
            change(command)
        case .park(let id, let reason): return try park(open(id), reason: reason)
        case .retry(let id, _): try retry(id)
        case .skip(let id, let uid): return try end(open(id), .skipped, reason: "by uid \(uid)", telling: .skipped)
        case .cancel(let id, let uid): return try end(open(id), .cancelled, reason: "by uid \(uid)", telling: .cancelled)
        case .hold(let uid): return hold(through: .max, by: uid)
        case .release(let uid): return hold(through: 0, by: uid)
        }
        return staged.sequence + 1..<staged.sequence + 1
    }

    private func open(_ id: CommandID) throws(StoreError) -> OpenCommand<App.Command> {
        guard let command = outbox[id] else { throw .commandClosed(id) }
        return command
    }

    /// A command with an attempt under way: anything else brings nothing back.
    private func started(_ id: CommandID) throws(StoreError) -> OpenCommand<App.Command> {
        let command = try open(id)
        guard command.row.stage == .started else { throw .commandClosed(id) }
        return command
    }

    private func begin(_ id: CommandID) throws(StoreError) {
        var command = try open(id)
        guard command.row.stage != .parked else { throw .commandClosed(id) }
        guard !outbox.isHeld(id) else { throw .commandHeld(id) }
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        command.row.stage = .started
        command.row.attempts = max(command.row.attempts, command.row.attempts &+ 1)
        change(command)
    }

    private func retry(_ id: CommandID) throws(StoreError) {
        var command = try open(id)
        guard command.row.stage != .started else { throw .commandRunning(id) }
        command.row.stage = .waiting
        command.row.due = 0
        change(command)
    }

    func change(_ command: OpenCommand<App.Command>) {
        outbox.put(command)
        pending.flush.change(command.row)
    }

    private func hold(through sequence: UInt64, by uid: UInt32) -> Range<UInt64> {
        let first = staged.sequence + 1
        // Holding twice, or releasing what is not held, is done already.
        guard outbox.heldThrough != sequence else { return first..<first }
        stageMark(sequence == 0 ? .release : .hold, by: uid)
        pending.flush.heldThrough = sequence
        outbox.hold(through: sequence)
        return first..<first + 1
    }

    /// Stages a record of somebody that holds no action, and gives its sequence.
    @discardableResult
    func stageMark(_ kind: RecordKind, by uid: UInt32, payload: (inout CanonicalWriter) -> Void = { _ in }) -> UInt64 {
        let sequence = staged.sequence + 1
        let stamp = clock.stamp(options.clock.reading)
        staged.sequence = sequence
        staged.time = stamp.time
        let header = RecordHeader(
            kind: kind, sequence: sequence, time: stamp.time, rawTime: stamp.rawTime, origin: uid, step: sequence,
            build: options.build)
        pending.flush.stage(header, payload: payload)
        return sequence
    }
}
