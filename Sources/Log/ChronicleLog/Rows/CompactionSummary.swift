import ChronicleValues

/// What a compaction kept of what its records told, which are in the archive now.
///
/// So the loss of a row is found though no record tells of it, and it is known what the ends that come later are about.
public struct CompactionSummary: Sendable, Equatable {
    /// The rows of keys, but for those of dispatches that logged nothing.
    public var keys = RowTally()
    /// The commands that were open after the last of those records, by their ids: what was asked for, by whom, in which step, and
    /// which parts of it had come.
    public var open: [OutboxRow] = []
    /// What else stood then; `nil`: an older build wrote this.
    public var standing: StandingFacts?

    public init() {}

    /// What the records up to one of them tell, but for the keys.
    public init(of rows: DerivedRows) {
        // How it is run, the running code says, and how far it has come, its row.
        open = rows.outbox.map(Self.kept)
        standing = rows.standing
    }

    /// What is kept of the row of an open command.
    public static func kept(_ row: OutboxRow) -> OutboxRow {
        OutboxRow(
            id: row.id, call: row.call, step: row.step, origin: row.origin, depth: row.depth, edited: row.edited,
            pieces: row.pieces, done: row.done, total: row.total)
    }
}

/// How many rows there are, and a digest of them in any order.
public struct RowTally: Sendable, Equatable {
    /// How many.
    public private(set) var count: UInt64 = 0
    /// The sum of what stands for each.
    public private(set) var digest: UInt64 = 0

    public init() {}

    /// Counts the row of a key.
    public mutating func add(_ row: KeyRow, at place: KeyPlace) {
        var key = Array(place.key.utf8)
        key.append(bigEndian: place.uid)
        let bytes = row.canonicalBytes
        count += 1
        digest &+= Checksum.of(bytes.span.bytes, seed: Checksum.of(key.span.bytes))
    }
}

extension RowTally: RowCoding {
    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &count)
        try fields.field(2, &digest)
    }
}
