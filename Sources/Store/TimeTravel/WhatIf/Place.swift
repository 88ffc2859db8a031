/// A position in an altered history: a record of the log, or an insertion after it.
public struct Place: Sendable, Hashable, Comparable {
    public var sequence: UInt64
    /// 0 for the record itself, otherwise the index of the insertion, from 1.
    public var insertion: Int

    public init(_ sequence: UInt64, insertion: Int = 0) {
        self.sequence = sequence
        self.insertion = insertion
    }

    public static func < (left: Place, right: Place) -> Bool {
        (left.sequence, left.insertion) < (right.sequence, right.insertion)
    }
}

extension Place: CustomStringConvertible {
    /// As people write it: `12`, or `12.1`.
    public var description: String { insertion == 0 ? "\(sequence)" : "\(sequence).\(insertion)" }
}
