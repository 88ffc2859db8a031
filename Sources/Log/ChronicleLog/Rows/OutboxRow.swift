import ChronicleValues

public struct OutboxRow: Sendable, Equatable {
    public enum Stage: UInt8, Sendable, CaseIterable {
        case waiting = 0
        /// An attempt was begun; it may or may not have reached its target.
        case started = 1
        /// It is not retried until a person says so.
        case parked = 2
    }

    public var id: CommandID
    public var call: CommandCall
    public var stage: Stage
    /// Number of begun attempts; attempts interrupted because the daemon stopped count as one at most.
    public var attempts: UInt32
    /// When it is due, in microseconds since 1970; 0: at once.
    public var due: Int64
    /// Why the last attempt failed, or why it is parked; may be empty.
    public var reason: String
    /// The step and the uid of the record that requested it.
    public var step: UInt64
    public var origin: UInt32
    /// The number of ends of commands between it and a dispatch or a delayed command; 0 for a delayed command.
    public var depth: UInt32
    /// An id among the open commands by which a later command replaces it; empty: none.
    public var cancelID: String
    /// The group whose commands run one after the other; empty: none.
    public var group: String
    /// The record that changed its arguments last; 0: none.
    public var edited: UInt64
    public var waits: UInt32
    /// Number of logged parts of its result.
    public var pieces: UInt32
    /// Size of these parts' records in bytes.
    public var pieceBytes: UInt64
    /// Amount done at the last part, in units of its target.
    public var done: UInt64
    /// Total amount; 0 if unknown.
    public var total: UInt64
    /// Whether it is held, by a person or because the log was copied, and not released since; not stored in the row.
    public var isHeld: Bool

    public init(
        id: CommandID, call: CommandCall, stage: Stage = .waiting, attempts: UInt32 = 0, due: Int64 = 0, reason: String = "",
        step: UInt64 = 0, origin: UInt32 = 0, depth: UInt32 = 0, cancelID: String = "", group: String = "",
        edited: UInt64 = 0, waits: UInt32 = 0, pieces: UInt32 = 0, pieceBytes: UInt64 = 0, done: UInt64 = 0, total: UInt64 = 0,
        isHeld: Bool = false
    ) {
        (self.id, self.call, self.stage, self.attempts, self.due, self.reason) = (id, call, stage, attempts, due, reason)
        (self.step, self.origin, self.depth, self.cancelID, self.group) = (step, origin, depth, cancelID, group)
        (self.edited, self.waits, self.pieces, self.pieceBytes, self.done) = (edited, waits, pieces, pieceBytes, done)
        (self.total, self.isHeld) = (total, isHeld)
    }
}

extension OutboxRow: RowCoding {
    public init() { self.init(id: CommandID(), call: CommandCall()) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        // The head knows whether it is held.
        try fields.message(1, &id)
        try fields.message(2, &call)
        try fields.field(3, &stage)
        try fields.field(4, &attempts)
        try fields.field(5, &due)
        try fields.field(6, &reason)
        try fields.field(7, &step)
        try fields.field(8, &origin)
        try fields.field(9, &depth)
        try fields.field(10, &cancelID)
        try fields.field(11, &group)
        try fields.field(12, &edited)
        try fields.field(13, &waits)
        try fields.field(14, &pieces)
        try fields.field(15, &pieceBytes)
        try fields.field(16, &done)
        try fields.field(17, &total)
    }
}

extension OutboxRow {
    package init(_ value: RawSpan, key: RawSpan, heldThrough: UInt64) throws(ActionLogError) {
        guard let id = RowKey.commandID(key) else { throw .damaged(sequence: 0, what: "the key of an open command") }
        let what = "the row of the open command \(id.index)"
        self = try Row.open(value, key: key, as: OutboxRow.self, sequence: id.sequence, of: what)
        guard self.id == id else { throw .damaged(sequence: id.sequence, what: what) }
        isHeld = id.sequence <= heldThrough
    }
}

/// A command as requested by a record; it is logged, not recomputed.
public struct CommandCall: Sendable, Equatable {
    public var name: String
    /// Version of the meaning and of the arguments' form.
    public var version: UInt32
    public var arguments: [UInt8]
    /// Whether it is only returned to the dispatcher and never enters the outbox.
    public var presentational: Bool

    public init(name: String, version: UInt32 = 1, arguments: [UInt8] = [], presentational: Bool = false) {
        (self.name, self.version, self.arguments, self.presentational) = (name, version, arguments, presentational)
    }
}

extension CommandCall: RowCoding {
    public init() { self.init(name: "", version: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &name)
        try fields.field(2, &version)
        try fields.field(3, &arguments)
        try fields.field(4, &presentational)
    }
}

/// Identifies a command permanently: the record that requested it, and its index there.
public struct CommandID: Sendable, Hashable, Comparable {
    public var sequence: UInt64
    /// Its index among the commands of that record, from 0.
    public var index: UInt32

    public init(sequence: UInt64, index: UInt32) {
        self.sequence = sequence
        self.index = index
    }

    /// The order in which commands start: by sequence, then by index.
    public static func < (left: CommandID, right: CommandID) -> Bool {
        (left.sequence, left.index) < (right.sequence, right.index)
    }
}

extension CommandID: CustomStringConvertible {
    public var description: String { "\(sequence).\(index)" }
}

extension CommandID: RowCoding {
    public init() { self.init(sequence: 0, index: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &sequence)
        try fields.field(2, &index)
    }
}

/// How a command ended; stored in the header of its end record.
public enum CommandOutcome: UInt8, Sendable, CaseIterable {
    /// The target executed it; the payload is its result.
    case result = 1
    /// The last attempt failed, or the result was refused.
    case failed = 2
    /// A person decided not to run it.
    case skipped = 3
    /// An action or a person cancelled it.
    case cancelled = 4
    /// A later command with the same cancel id replaced it.
    case superseded = 5
}
