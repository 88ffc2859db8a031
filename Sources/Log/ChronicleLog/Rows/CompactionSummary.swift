import ChronicleValues

/// The rows that the archived records of a compacted log determine.
///
/// They are needed to detect lost rows, and to resolve the commands to which later records refer.
public struct CompactionSummary: Sendable, Equatable {
    /// Tally of the key rows, except those of dispatches that logged nothing.
    public var keys = RowTally()
    /// The commands that were open after the last compacted record, in the order of their ids; only the fields that `kept` retains.
    public var open: [OutboxRow] = []
    /// The other rows; `nil` if an older version wrote the base.
    public var standing: CurrentFacts?

    public init() {}

    /// The rows after a record; `keys` is empty.
    public init(of rows: DerivedRows) {
        // The running code decides how a command is run, and attempts are only in the row.
        open = rows.outbox.map(Self.kept)
        standing = rows.standing
    }

    /// The part of an open command's row that records determine.
    public static func kept(_ row: OutboxRow) -> OutboxRow {
        OutboxRow(
            id: row.id, call: row.call, step: row.step, origin: row.origin, depth: row.depth, edited: row.edited,
            pieces: row.pieces, done: row.done, total: row.total)
    }
}

/// The number of rows, and a digest that does not depend on their order.
public struct RowTally: Sendable, Equatable {
    public private(set) var count: UInt64 = 0
    /// The sum of the rows' checksums.
    public private(set) var digest: UInt64 = 0

    public init() {}

    /// Adds the row of a key.
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
