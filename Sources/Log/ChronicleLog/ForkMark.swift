public import ChronicleValues

/// Which records of a fork a record brings, so that none is brought twice.
public struct ForkMark: Sendable, Equatable {
    /// The epoch that the fork had, for people: it gets another when its files are moved or copied, so it is told by its checksums.
    public var epoch: UInt64
    /// What came up to this record of the fork was there already.
    public var from: UInt64
    /// Through this record of the fork it is there now.
    public var through: UInt64
    /// The checksum of that record, which stands for all history of the fork up to it.
    public var chain: UInt64
    /// The checksum of the fork's first record that no other log had: its copies have it, too, and no other fork.
    public var firstChain: UInt64
    /// What came with it, because it was merged into the fork, at most `heldMax`; of a merge of several records, in the first one alone.
    public var held: [HeldFork]

    public init(epoch: UInt64, from: UInt64, through: UInt64, chain: UInt64, firstChain: UInt64, held: [HeldFork] = []) {
        self.epoch = epoch
        self.from = from
        self.through = through
        self.chain = chain
        self.firstChain = firstChain
        self.held = held
    }

    /// Forks that come with one because they were merged into it.
    public static let heldMax = 64

    /// All that it brings: the fork, and what came with it.
    public var brought: [HeldFork] { [HeldFork(firstChain: firstChain, through: through, chain: chain)] + held }

    /// Whether it brings some of what another one brings, too.
    public func overlaps(_ other: ForkMark) -> Bool {
        let forks = Set(brought.map(\.firstChain))
        return other.brought.contains { forks.contains($0.firstChain) }
    }

    /// Whether a log that has what one of them brings can't have what the other brings, too: two merges of a fork may bring one part each.
    public func repeats(_ other: ForkMark) -> Bool {
        guard firstChain == other.firstChain else { return overlaps(other) }
        return max(from, other.from) < min(through, other.through)
    }
}

extension ForkMark: CanonicalCodable {
    /// Fields: 1 epoch, 2 from, 3 through, 4 chain, 5 first chain, 6 held.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, epoch)
        writer.field(2, from)
        writer.field(3, through)
        writer.field(4, chain)
        writer.field(5, firstChain)
        for fork in held { writer.message(6, fork) }
    }

    /// Reads a mark.
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
