public import ChronicleValues

/// The row of a base in the table `meta`.
public struct BaseRow: Sendable, Equatable {
    public var base: Base
    /// The canonical bytes of the state after the record of the base.
    public var state: [UInt8]
    /// The rows at that record.
    public var kept: CompactionSummary

    public init(base: Base, state: [UInt8], kept: CompactionSummary = CompactionSummary()) {
        self.base = base
        self.state = state
        self.kept = kept
    }
}

extension BaseRow: RowCoding {
    public init() { self.init(base: Base(sequence: 0, checksum: 0, time: 0, archive: nil), state: []) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try codeBase(&fields)
        try fields.field(5, &state)
        try codeKept(&fields)
    }

    private mutating func codeBase<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        var archive = base.archive ?? ""
        try fields.field(1, &base.sequence)
        try fields.field(2, &base.checksum)
        try fields.field(3, &base.time)
        try fields.field(4, &archive)
        base.archive = archive.isEmpty ? nil : archive
    }

    private mutating func codeKept<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        var keys = kept.keys == RowTally() ? nil : kept.keys
        try fields.message(6, &keys)
        kept.keys = keys ?? RowTally()
        try fields.list(7, &kept.open, max: .max)
        try fields.message(8, &kept.standing)
    }

    /// The encoded fields before and after a state of `byteCount` bytes.
    public func bytes(aroundState byteCount: Int) -> (before: [UInt8], after: [UInt8]) {
        var (copy, before, after) = (self, RowWriter(), RowWriter())
        copy.codeBase(&before)
        if byteCount > 0 { before.writer.beginMessage(5, byteCount: byteCount) }
        copy.codeKept(&after)
        return (before.writer.bytes, after.writer.bytes)
    }
}

extension BaseRow {
    /// Number of rows besides the state in `exportedBytes`, up to the first damage; counts without allocating them.
    package static func rowCount(exported bytes: [UInt8]) -> Int {
        var count = 0
        var cursor = CanonicalCursor(0..<max(0, bytes.count - Row.checksumBytes))
        try? countRows(in: bytes.span.bytes, &cursor, &count)
        return count
    }

    private static func countRows(
        in bytes: RawSpan, _ cursor: inout CanonicalCursor, _ count: inout Int
    ) throws(CanonicalError) {
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1, 2, 3: _ = try cursor.uint(bytes)
            case 7:
                _ = try cursor.enter(bytes)
                count += 1
            case 8:
                var standing = try cursor.enter(bytes)
                while let number = try standing.nextField(in: bytes) {
                    if number == 1 || number == 4 {
                        _ = try standing.uint(bytes)
                    } else {
                        _ = try standing.enter(bytes)
                        count += 1
                    }
                }
            default: _ = try cursor.enter(bytes)
            }
        }
    }
}

/// The beginning of a compacted log: the records up to here are removed, and its row contains the state after them.
public struct Base: Sendable, Equatable {
    /// The last compacted record.
    public var sequence: UInt64
    public var checksum: UInt64
    /// Its time, in microseconds since 1970.
    public var time: Int64
    /// The name of the newest archive; `nil` for a log that began here and never had the records.
    public var archive: String?

    public init(sequence: UInt64, checksum: UInt64, time: Int64, archive: String?) {
        (self.sequence, self.checksum, self.time, self.archive) = (sequence, checksum, time, archive)
    }
}

/// A row in an export: the message and its checksum, seeded with that of an empty key.
public protocol ExportedRow: CanonicalCodable {}

extension KeyRow: ExportedRow {}
extension OutboxRow: ExportedRow {}
extension BaseRow: ExportedRow {}
extension DerivedRows.KeyRun: ExportedRow {}

extension ExportedRow {
    public var exportedBytes: [UInt8] { Row.sealed(self, key: []) }

    /// Decodes `exportedBytes`; throws `damaged`.
    public init(exported bytes: [UInt8]) throws(ActionLogError) {
        self = try Row.open(bytes.span.bytes, key: [UInt8]().span.bytes, as: Self.self, sequence: 0, of: "a row")
    }
}

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

/// The redacted records, in the order of the redactions.
///
/// A redacted record keeps its checksum, so only this list shows whether a state folded earlier is still valid.
public struct Redactions: Sendable, Equatable {
    /// The records, with one entry per redaction.
    public private(set) var sequences: [UInt64] = []

    public init() {}

    public var count: UInt64 { UInt64(sequences.count) }

    /// Whether no redaction after the first `count` ones affects a state up to a record.
    public func leave(_ sequence: UInt64, foldedAfter count: UInt64) -> Bool {
        guard count < sequences.count else { return count == sequences.count }
        return !sequences[Int(count)...].contains { $0 <= sequence }
    }

    package mutating func append(_ sequence: UInt64) { sequences.append(sequence) }
}

extension Redactions: RowCoding {
    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        var messages = sequences.map { NumberMessage(value: $0) }
        try fields.list(1, &messages, max: .max)
        sequences = messages.map(\.value)
    }
}
