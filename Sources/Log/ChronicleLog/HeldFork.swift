public import ChronicleValues

/// A fork that was merged into another fork.
public struct HeldFork: Sendable, Equatable {
    /// The checksum of the first record that only this fork has; it identifies the fork.
    public var firstChain: UInt64
    /// The last record of it that the other fork has.
    public var through: UInt64
    public var chain: UInt64
}

extension HeldFork: RowCoding {
    public init() { self.init(firstChain: 0, through: 0, chain: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &firstChain)
        try fields.field(2, &through)
        try fields.field(3, &chain)
    }
}
