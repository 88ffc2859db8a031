public import ChronicleValues

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

extension ForkMark: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, epoch)
        writer.field(2, from)
        writer.field(3, through)
        writer.field(4, chain)
        writer.field(5, firstChain)
        for fork in held { writer.message(6, fork) }
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(epoch: 0, from: 0, through: 0, chain: 0, firstChain: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: epoch = try cursor.uint(bytes)
            case 2: from = try cursor.uint(bytes)
            case 3: through = try cursor.uint(bytes)
            case 4: chain = try cursor.uint(bytes)
            case 5: firstChain = try cursor.uint(bytes)
            case 6:
                guard held.count < Self.heldMax else { throw cursor.unknown() }
                held.append(try cursor.message(bytes))
            default: throw cursor.unknown()
            }
        }
    }
}
