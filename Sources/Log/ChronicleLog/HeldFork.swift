public import ChronicleValues

/// A fork whose records came within another one, into which it was merged.
public struct HeldFork: Sendable, Equatable {
    /// The checksum of its first record that no other log had, which tells which fork it is.
    public var firstChain: UInt64
    /// Through this record of it the other one has it.
    public var through: UInt64
    /// The checksum of that record.
    public var chain: UInt64
}

extension HeldFork: CanonicalCodable {
    /// Fields: 1 first chain, 2 through, 3 chain.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, firstChain)
        writer.field(2, through)
        writer.field(3, chain)
    }

    /// Reads one.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(firstChain: 0, through: 0, chain: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: firstChain = try cursor.uint(bytes)
            case 2: through = try cursor.uint(bytes)
            case 3: chain = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
