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

extension CommandID: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, sequence)
        writer.field(2, UInt64(index))
    }

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
