public import ChronicleValues

public struct RecordHeader: Sendable, Equatable {
    public var kind: RecordKind
    /// Its position in the log, from 1 without gaps.
    public var sequence: UInt64
    /// When it was accepted, in microseconds since 1970; strictly increasing up to the largest possible time.
    public var time: Int64
    /// The reading of the clock, if it differs from `time`.
    public var rawTime: Int64?
    /// The uid of the requesting peer.
    public var origin: UInt32
    /// The user's operation that it belongs to: the sequence of its first record.
    public var step: UInt64
    /// The command that it ends or that led to it.
    public var cause: CommandID?
    /// The step that it undoes; never 0.
    public var undoes: UInt64?
    /// The moment to which it restores a place or everything: a sequence, 0 for before the first record.
    public var restores: UInt64?
    /// The records of a fork that it merges; `nil`: none.
    public var merges: ForkMark?
    /// The idempotency key of its dispatch; never empty.
    public var key: String?
    public var build: UInt32
    /// The commands it requested, including presentational ones.
    public var commands: [CommandCall]
    /// How the command in `cause` ended; only in its end record.
    public var outcome: CommandOutcome?
    /// Why it ended so, a sentence for a person; may be empty.
    public var reason: String
    /// When the ended command was due, in microseconds since 1970; 0: at once.
    public var due: Int64
    /// The machine that dispatched it, if the log is shared; otherwise empty.
    public var node: String

    public init(
        kind: RecordKind = .action, sequence: UInt64, time: Int64, rawTime: Int64? = nil, origin: UInt32 = 0, step: UInt64 = 0,
        cause: CommandID? = nil, undoes: UInt64? = nil, restores: UInt64? = nil, merges: ForkMark? = nil, key: String? = nil,
        build: UInt32 = 0,
        commands: [CommandCall] = [],
        outcome: CommandOutcome? = nil, reason: String = "", due: Int64 = 0, node: String = ""
    ) {
        (self.kind, self.sequence, self.time, self.rawTime, self.origin) = (kind, sequence, time, rawTime, origin)
        (self.step, self.cause, self.undoes, self.restores, self.merges) = (step, cause, undoes, restores, merges)
        (self.key, self.build, self.commands, self.outcome, self.reason) = (key, build, commands, outcome, reason)
        (self.due, self.node) = (due, node)
    }
}

extension RecordHeader {
    /// Whether it may follow a record of a time: it is later, or has the largest possible time.
    public func follows(_ time: Int64) -> Bool { self.time > time || self.time == .max }
}

extension RecordHeader: CanonicalCodable {
    // Numbers are never reused. The kind is omitted for an action. The raw time is stored as its difference to `time`, which is
    // never 0; the restored moment is stored plus 1.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, kind == .action ? 0 : UInt64(kind.rawValue))
        writer.field(2, sequence)
        writer.field(3, time)
        writer.field(4, (rawTime ?? time) &- time)
        writer.field(5, UInt64(origin))
        writer.field(6, step)
        if let cause { writer.message(7, cause) }
        writer.field(8, undoes ?? 0)
        writer.field(9, key ?? "")
        writer.field(10, UInt64(build))
        for command in commands { writer.message(11, command) }
        if let outcome { writer.field(12, UInt64(outcome.rawValue)) }
        writer.field(13, reason)
        writer.field(14, due)
        if let restores { writer.field(16, restores &+ 1) }
        if let merges { writer.message(17, merges) }
        writer.field(18, node)
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(sequence: 0, time: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: kind = try Self.kind(bytes, &cursor)
            case 2: sequence = try cursor.uint(bytes)
            case 3: time = try cursor.int(bytes)
            case 4: rawTime = time &+ (try cursor.int(bytes))
            case 5: origin = try cursor.uint32(bytes)
            case 6: step = try cursor.uint(bytes)
            case 7: cause = try cursor.message(bytes)
            case 8: undoes = try cursor.uint(bytes)
            case 9: key = try cursor.text(bytes)
            case 10: build = try cursor.uint32(bytes)
            case 11: commands.append(try cursor.message(bytes))
            case 12: outcome = try Self.outcome(bytes, &cursor)
            case 13: reason = try cursor.text(bytes)
            case 14: due = try cursor.int(bytes)
            case 16: restores = try Self.restores(bytes, &cursor)
            case 17: merges = try cursor.message(bytes)
            case 18: node = try cursor.text(bytes)
            default: throw cursor.unknown()
            }
        }
    }

    static func kind(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> RecordKind {
        let value = try cursor.uint(bytes)
        // An unknown kind comes from a newer version.
        guard let kind = UInt8(exactly: value).flatMap(RecordKind.init(rawValue:)) else { throw cursor.unknown() }
        guard kind != .action else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        return kind
    }

    static func restores(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> UInt64 {
        let next = try cursor.uint(bytes)
        guard next > 0 else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        return next - 1
    }

    static func outcome(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> CommandOutcome {
        let value = try cursor.uint(bytes)
        guard let outcome = UInt8(exactly: value).flatMap(CommandOutcome.init(rawValue:)) else {
            throw CanonicalError(.notCanonical, at: cursor.offset)
        }
        return outcome
    }
}

public enum RecordKind: UInt8, Sendable, CaseIterable {
    /// A dispatched action; folded.
    case action = 1
    /// The end of a command: result, failure, skip, cancellation or superseded; folded.
    case end = 2
    case bookmark = 3
    /// A new epoch began: the log was copied or restored.
    case epoch = 4
    case hold = 5
    case release = 6
    /// Dispatches are refused from here on.
    case lock = 7
    case unlock = 8
    case edit = 11
    /// A part of a command's result, before its end; its actions follow as records of their own.
    case piece = 12
    case invariant = 14

    public var name: String {
        switch self {
        case .action: "action"
        case .end: "end"
        case .bookmark: "bookmark"
        case .epoch: "epoch"
        case .hold: "hold"
        case .release: "release"
        case .lock: "lock"
        case .unlock: "unlock"
        case .edit: "edit"
        case .piece: "piece"
        case .invariant: "invariant"
        }
    }

    /// Whether a record of this kind may hold an action.
    public var isFolded: Bool { self == .action || self == .end }

    /// Whether a record of this kind with a payload of this size holds an action; an end without an action has an empty payload.
    public func holdsAction(payloadBytes: Int) -> Bool { self == .action || self == .end && payloadBytes > 0 }
}

/// The header fields that a fold needs, as in `RecordHeader`; no texts, so that decoding allocates nothing.
public struct HeaderFields: Sendable, Equatable {
    public var kind: RecordKind = .action
    public var sequence: UInt64 = 0
    public var time: Int64 = 0
    public var origin: UInt32 = 0
    public var step: UInt64 = 0
    public var cause: CommandID?
    public var undoes: UInt64?
    public var restores: UInt64?
    public var isMerge = false
    public var build: UInt32 = 0
    public var hasKey = false
    public var commandCount = 0
    public var outcome: CommandOutcome?

    init() {}

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: kind = try RecordHeader.kind(bytes, &cursor)
            case 2: sequence = try cursor.uint(bytes)
            case 3: time = try cursor.int(bytes)
            case 5: origin = try cursor.uint32(bytes)
            case 6: step = try cursor.uint(bytes)
            case 7: cause = try cursor.message(bytes)
            case 8: undoes = try cursor.uint(bytes)
            case 9:
                _ = try cursor.enter(bytes)
                hasKey = true
            case 10: build = try cursor.uint32(bytes)
            case 11:
                _ = try cursor.enter(bytes)
                commandCount += 1
            case 12: outcome = try RecordHeader.outcome(bytes, &cursor)
            case 16: restores = try RecordHeader.restores(bytes, &cursor)
            case 17:
                _ = try cursor.enter(bytes)
                isMerge = true
            // The raw time and the due time; the reason and the machine.
            case 4, 14: _ = try cursor.int(bytes)
            case 13, 18: _ = try cursor.enter(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
