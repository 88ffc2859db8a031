import ChronicleValues

/// The range of a fork's records that a record merges, so that none is merged twice.
public struct ForkMark: Sendable, Equatable {
    /// The epoch of the fork, for people; identity is decided by the checksums, because moved or copied files get another epoch.
    public var epoch: UInt64
    /// Records of the fork up to this one were already present.
    public var from: UInt64
    /// The last record of the fork that is merged.
    public var through: UInt64
    /// The checksum of that record, which covers all history of the fork up to it.
    public var chain: UInt64
    /// The checksum of the first record that only this fork and its copies have; it identifies the fork.
    public var firstChain: UInt64
    /// Forks merged into this one earlier, at most `heldMax`; of a merge of several records, only in the first one.
    public var held: [HeldFork]

    public init(epoch: UInt64, from: UInt64, through: UInt64, chain: UInt64, firstChain: UInt64, held: [HeldFork] = []) {
        self.epoch = epoch
        self.from = from
        self.through = through
        self.chain = chain
        self.firstChain = firstChain
        self.held = held
    }

    public static let heldMax = 64

    /// The fork and all forks merged into it.
    public var brought: [HeldFork] { [HeldFork(firstChain: firstChain, through: through, chain: chain)] + held }

    /// Whether both bring records of a common fork.
    public func overlaps(_ other: ForkMark) -> Bool {
        let forks = Set(brought.map(\.firstChain))
        return other.brought.contains { forks.contains($0.firstChain) }
    }

    /// Whether both can't be merged into the same log; two merges of a fork may each bring a different part.
    public func repeats(_ other: ForkMark) -> Bool {
        guard firstChain == other.firstChain else { return overlaps(other) }
        return max(from, other.from) < min(through, other.through)
    }
}

extension ForkMark: RowCoding {
    public init() { self.init(epoch: 0, from: 0, through: 0, chain: 0, firstChain: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &epoch)
        try fields.field(2, &from)
        try fields.field(3, &through)
        try fields.field(4, &chain)
        try fields.field(5, &firstChain)
        try fields.list(6, &held, max: Self.heldMax)
    }
}

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
