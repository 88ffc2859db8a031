import ChronicleValues

/// A command as requested by a record; it is logged, not recomputed.
public struct CommandCall: Sendable, Equatable {
    public var name: String
    /// Version of the meaning and of the arguments' form.
    public var version: UInt32
    public var arguments: [UInt8]
    /// Whether it is only returned to the dispatcher and never enters the outbox.
    public var presentational: Bool

    public init(name: String, version: UInt32 = 1, arguments: [UInt8] = [], presentational: Bool = false) {
        self.name = name
        self.version = version
        self.arguments = arguments
        self.presentational = presentational
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
