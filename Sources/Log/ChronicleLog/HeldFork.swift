public import ChronicleValues

/// A fork that was merged into another fork.
public struct HeldFork: Sendable, Equatable {
    /// The checksum of the first record that only this fork has; it identifies the fork.
    public var firstChain: UInt64
    /// The last record of it that the other fork has.
    public var through: UInt64
    public var chain: UInt64
}

extension HeldFork: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, firstChain)
        writer.field(2, through)
        writer.field(3, chain)
    }

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
