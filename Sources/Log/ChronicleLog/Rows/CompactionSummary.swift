import ChronicleValues

/// The rows that the archived records of a compacted log determine.
///
/// They show whether a row was lost, and to which commands later ends refer.
public struct CompactionSummary: Sendable, Equatable {
    /// The rows of keys, but for those of dispatches that logged nothing.
    public var keys = RowTally()
    /// The commands that were open after the last of those records, by id: call, origin, step and progress.
    public var open: [OutboxRow] = []
    /// The other rows; `nil`: an older version wrote this.
    public var standing: StandingFacts?

    public init() {}

    /// The rows after a record, without the keys.
    public init(of rows: DerivedRows) {
        // The running code decides how a command is run, and its row has its attempts.
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
