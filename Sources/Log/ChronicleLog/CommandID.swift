public import ChronicleValues

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
