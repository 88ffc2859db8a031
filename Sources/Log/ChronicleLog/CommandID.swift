public import ChronicleValues

/// Names a command for ever: the record that asked for it, and which of that record's commands it is.
public struct CommandID: Sendable, Hashable, Comparable {
    /// The sequence of the record that asked for the command.
    public var sequence: UInt64
    /// Its place among the commands of that record, from 0.
    public var index: UInt32

    /// Names a command.
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
    /// As people write it: `12.0`.
    public var description: String { "\(sequence).\(index)" }
}

extension CommandID: CanonicalCodable {
    /// Writes both numbers.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, sequence)
        writer.field(2, UInt64(index))
    }

    /// Reads both numbers.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(sequence: 0, index: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: sequence = try cursor.uint(bytes)
            case 2: index = try cursor.uint32(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
