public import Chronicle
public import ChronicleLog
public import ChronicleValues

/// The open commands, including staged changes, with an undo log of these changes.
struct Outbox<Command: NamedCommand>: Sendable {
    private enum Undo {
        case row(CommandID, OpenCommand<Command>?)
        case held(through: UInt64)
        case throttles([Throttle])
    }

    private var commands: [CommandID: OpenCommand<Command>] = [:]
    // The commands that a later one can displace, by cancel id. A set, because one cancel id may have as many commands as may be open.
    private var named: [ExactText: Set<CommandID>] = [:]
    private var undo: [Undo] = []
    private(set) var counts = CommandCounts()
    private var scheduledOfOwners: [UInt32: Int] = [:]
    private(set) var heldThrough: UInt64
    private(set) var throttles: [Throttle]

    init(_ rows: [OutboxRow], heldThrough: UInt64, throttles: [Throttle] = [], read: (OutboxRow) -> Command?) {
        self.heldThrough = heldThrough
        self.throttles = throttles
        for row in rows { set(row.id, OpenCommand(row: row, command: read(row))) }
    }

    subscript(id: CommandID) -> OpenCommand<Command>? { commands[id] }

    func commands(named cancelID: String) -> [CommandID] { named[ExactText(cancelID)]?.sorted() ?? [] }

    func commands(where isPicked: (OpenCommand<Command>) -> Bool) -> [OpenCommand<Command>] {
        commands.values.filter(isPicked).sorted { $0.id < $1.id }
    }

    /// An open command that one of these records requested and that may hold a text of it.
    func firstWithText(of sequences: Set<UInt64>) -> CommandID? {
        commands.first { sequences.contains($0.key.sequence) && $0.value.command?.mayHoldText != false }?.key
    }

    func scheduled(of owner: UInt32) -> (all: Int, own: Int) { (counts.scheduled, scheduledOfOwners[owner] ?? 0) }

    func isHeld(_ id: CommandID) -> Bool { id.sequence <= heldThrough }

    /// Whether all commands are held, including future ones; in a copied log only its initial ones are.
    var holdsAll: Bool { heldThrough == .max }

    mutating func put(_ command: OpenCommand<Command>) { change(command.id, to: command) }

    mutating func close(_ id: CommandID) { change(id, to: nil) }

    mutating func hold(through sequence: UInt64) {
        undo.append(.held(through: heldThrough))
        setHeld(through: sequence)
    }

    /// Takes over the held range and the throttles from a head that other machines wrote.
    mutating func follow(_ head: Head) {
        if heldThrough != head.heldThrough { hold(through: head.heldThrough) }
        throttles = head.throttles
    }

    /// The due time of a command that is requested now; 0: at once.
    func due(_ name: String, asked: Int64, interval: Duration) -> Int64 {
        guard !throttles.isEmpty else { return 0 }
        let checksum = Throttle.checksum(of: name)
        return Throttle.due(asked: asked, interval: interval.microseconds, until: throttles.first { $0.name == checksum }?.until)
    }

    mutating func throttle(_ name: String, from now: Int64, for interval: Duration) {
        undo.append(.throttles(throttles))
        let throttle = Throttle(name: name, until: now.adding(clamping: interval.microseconds))
        throttles.removeAll { $0.until <= now || $0.name == throttle.name }
        throttles.append(throttle)
        guard throttles.count > Limits.throttlesMax else { return }
        if let first = throttles.indices.min(by: { throttles[$0].until < throttles[$1].until }) { throttles.remove(at: first) }
    }

    var mark: Int { undo.count }

    mutating func undo(to mark: Int) {
        while undo.count > mark, let last = undo.popLast() {
            switch last {
            case .row(let id, let before): set(id, before)
            case .held(let sequence): setHeld(through: sequence)
            case .throttles(let before): throttles = before
            }
        }
    }

    /// The changes since the last call, each command once; called after a flush.
    mutating func takeChanges() -> [OutboxChange<Command>] {
        guard !undo.isEmpty else { return [] }
        var changes: [OutboxChange<Command>] = []
        var seen: Set<CommandID> = []
        for change in undo {
            switch change {
            case .row(let id, let before):
                guard seen.insert(id).inserted else { continue }
                if let command = shown(id) {
                    changes.append(.open(command))
                } else if before != nil {
                    changes.append(.closed(id))
                }
            case .throttles: break
            case .held: changes.append(.held(through: heldThrough))
            }
        }
        undo = []
        return changes
    }

    var all: [OutboxChange<Command>] {
        [.held(through: heldThrough)] + commands.keys.sorted().compactMap { shown($0).map { .open($0) } }
    }

    private func shown(_ id: CommandID) -> OpenCommand<Command>? {
        guard var command = commands[id] else { return nil }
        command.row.isHeld = isHeld(id)
        return command
    }

    private mutating func change(_ id: CommandID, to command: OpenCommand<Command>?) {
        undo.append(.row(id, commands[id]))
        set(id, command)
    }

    private mutating func set(_ id: CommandID, _ command: OpenCommand<Command>?) {
        let before = commands.updateValue(command, forKey: id)
        if let before { count(before, -1) }
        if let command { count(command, 1) }
        let (old, new) = (before.map { ExactText($0.row.cancelID) }, command.map { ExactText($0.row.cancelID) })
        guard old != new else { return }
        if let name = old, !name.text.isEmpty {
            named[name]?.remove(id)
            if named[name]?.isEmpty == true { named[name] = nil }
        }
        if let name = new, !name.text.isEmpty { named[name, default: []].insert(id) }
    }

    private mutating func count(_ command: OpenCommand<Command>, _ by: Int) {
        let row = command.row
        counts.open += by
        if row.stage == .started { counts.started += by }
        if row.stage == .parked { counts.parked += by }
        if isHeld(row.id) { counts.held += by }
        if command.command?.policy.isScheduled == true {
            counts.scheduled += by
            scheduledOfOwners[row.origin, default: 0] += by
        }
    }

    private mutating func setHeld(through sequence: UInt64) {
        heldThrough = sequence
        counts.held = sequence == 0 ? 0 : commands.keys.count { isHeld($0) }
    }
}

extension Dictionary {
    fileprivate mutating func updateValue(_ value: Value?, forKey key: Key) -> Value? {
        guard let value else { return removeValue(forKey: key) }
        return updateValue(value, forKey: key)
    }
}

public enum OutboxChange<Command: NamedCommand>: Sendable {
    /// A new or changed command.
    case open(OpenCommand<Command>)
    case closed(CommandID)
    /// Commands of records up to this one are held; 0: none.
    case held(through: UInt64)
}

/// Called on the store's thread after each flush that changed the open commands: must not block.
public typealias CommandListener<Command: NamedCommand> = @Sendable ([OutboxChange<Command>]) -> Void

/// A command that was requested and has not ended.
public struct OpenCommand<Command: NamedCommand>: Sendable {
    /// The stored row: stage, attempts, due time, reason, step, origin.
    public var row: OutboxRow
    /// The command; `nil` if this version can't read it: it is then never run and can only be skipped.
    public var command: Command?

    public var id: CommandID { row.id }
}

/// An operation on open commands, requested by the runner or a person and ordered with the dispatches.
public enum CommandOrder<Action: Sendable>: Sendable {
    /// Starts an attempt, whose target may be called after the answer; has no effect if this attempt, by its number, has started.
    /// Errors: `.commandClosed`, also for a parked command; `.commandHeld`; `.storageFull`.
    case begin(CommandID, attempt: UInt32)
    /// Ends the current attempt and the command, which succeeded, with the event that the target returned, if any; may use space that is
    /// reserved from dispatches. Errors: `.commandClosed`, also without a current attempt.
    case end(CommandID, Action?)
    /// Ends the current attempt and the command, which failed for good. Errors: as `end`.
    case fail(CommandID, reason: String)
    /// Logs a partial result of the current attempt, with its progress; an index that was logged before is skipped. Errors:
    /// `.commandClosed`; `.refused` by `prepare`, or for a piece out of order or above the limit; `.storageFull`; `.batchTooLarge`.
    case piece(CommandID, ResultPiece, Action?)
    /// The current attempt failed; retries at a time in microseconds since 1970. Errors: `.commandClosed`.
    case postpone(CommandID, due: Int64, reason: String)
    /// Does not count the current attempt: its target asked to be called at a time in microseconds since 1970. Errors: `.commandClosed`.
    case wait(CommandID, due: Int64)
    /// The runner's stop interrupted the attempt, which keeps its due time; all interruptions count as one. Errors: `.commandClosed`.
    case interrupt(CommandID)
    /// Parks the command until a person decides. Errors: `.commandClosed`.
    case park(CommandID, reason: String)
    /// Retries the command at once, parked or not. Errors: `.commandClosed`; `.commandRunning` during an attempt; `.commandHeld`.
    case retry(CommandID, by: UInt32)
    /// Skips the command. Errors: `.commandClosed`.
    case skip(CommandID, by: UInt32)
    /// Cancels the command. Errors: `.commandClosed`.
    case cancel(CommandID, by: UInt32)
    /// Replaces the arguments; the command gets a new id for its target and 0 attempts, and stays parked if it was.
    /// Errors: `.commandClosed`; `.commandRunning` during an attempt; `.badArguments`; `.storageFull`.
    case edit(CommandID, arguments: Value, by: UInt32)
    /// Holds all commands, including future ones.
    case hold(by: UInt32)
    case release(by: UInt32)

    /// The uid of the person; `nil` for the runner.
    var origin: UInt32? {
        switch self {
        case .begin, .end, .fail, .piece, .postpone, .wait, .interrupt, .park: nil
        case .retry(_, let uid), .skip(_, let uid), .cancel(_, let uid), .edit(_, _, let uid), .hold(let uid), .release(let uid):
            uid
        }
    }
}

extension CommandCall {
    public init(_ command: some NamedCommand & CanonicalCodable) {
        self.init(
            name: command.name, version: command.version, arguments: command.canonicalBytes,
            presentational: command.isPresentational)
    }
}

/// Limits the rate at which command ends request commands, to stop loops: a burst of `perMinuteMax`, then as many per minute.
struct RateGuard: Sendable {
    let perMinuteMax: Int
    private(set) var refused: UInt64 = 0
    // The time at which all admitted commands would have come at an even rate, in microseconds since 1970.
    private var reached: Int64 = .min

    init(perMinuteMax: Int) { self.perMinuteMax = perMinuteMax }

    private static var minute: Int64 { 60_000_000 }

    /// Whether one more command may be requested at a time in microseconds since 1970; counts it if so.
    mutating func admits(at now: Int64) -> Bool {
        let next = max(reached, now).adding(clamping: Self.minute / Int64(perMinuteMax))
        guard next <= now.adding(clamping: Self.minute) else {
            refused += 1
            return false
        }
        reached = next
        return true
    }
}

extension OutboxRow {
    /// The first row of a command.
    ///
    /// A delayed command starts at depth 0, so a timer may request itself forever. The rate of commands still bounds short delays.
    /// - Parameter depth: command ends between the record and a dispatch or a delayed command.
    public init(_ index: Int, _ policy: CommandPolicy?, askedBy header: RecordHeader, depth: UInt32) {
        self.init(
            id: CommandID(sequence: header.sequence, index: UInt32(index)), call: header.commands[index],
            due: policy?.due(at: header.time) ?? 0, step: header.step,
            origin: header.origin, depth: policy?.isDelayed == true ? 0 : depth, cancelID: policy?.cancelID ?? "",
            group: policy?.group ?? "")
        parkIfTooDeep()
    }

    /// The row of a command that is open in a base: it knows neither how the command is run nor when it was requested.
    /// - Parameter time: of the base.
    init(kept row: OutboxRow, _ policy: CommandPolicy?, at time: Int64) {
        self = row
        (cancelID, group, due) = (policy?.cancelID ?? "", policy?.group ?? "", policy?.due(at: time) ?? 0)
        parkIfTooDeep()
    }

    private mutating func parkIfTooDeep() {
        guard depth > Limits.commandDepthMax else { return }
        stage = .parked
        reason = "It was requested by the end of a command, which was requested by another end, \(depth) times in a row."
    }

    /// Replaces the call: the command gets a new id for its target and no attempts, and keeps its position, its due time and the reason for
    /// which it is parked.
    mutating func edit(to call: CommandCall, by record: UInt64, _ policy: CommandPolicy?) {
        (self.call, edited, attempts, waits, pieceBytes) = (call, record, 0, 0, 0)
        setProgress(0, 0, of: 0)
        (cancelID, group) = (policy?.cancelID ?? "", policy?.group ?? "")
    }

    mutating func setProgress(_ pieces: UInt32, _ done: UInt64, of total: UInt64) {
        (self.pieces, self.done, self.total) = (pieces, done, total)
    }
}

extension CommandPolicy {
    /// The due time of a command that is requested at a time; 0: at once.
    fileprivate func due(at time: Int64) -> Int64 { wait == .zero ? 0 : time.adding(clamping: wait.microseconds) }
}
