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

extension BaseRow: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        encodeBase(into: &writer)
        writer.field(5, state)
        encodeKept(into: &writer)
    }

    /// The encoded fields before and after a state of `byteCount` bytes.
    public func bytes(aroundState byteCount: Int) -> (before: [UInt8], after: [UInt8]) {
        var (before, after) = (CanonicalWriter(), CanonicalWriter())
        encodeBase(into: &before)
        if byteCount > 0 { before.beginMessage(5, byteCount: byteCount) }
        encodeKept(into: &after)
        return (before.bytes, after.bytes)
    }

    private func encodeBase(into writer: inout CanonicalWriter) {
        writer.field(1, base.sequence)
        writer.field(2, base.checksum)
        writer.field(3, base.time)
        writer.field(4, base.archive ?? "")
    }

    private func encodeKept(into writer: inout CanonicalWriter) {
        writer.field(6, kept.keys)
        for row in kept.open { writer.message(7, row) }
        if let standing = kept.standing { writer.message(8, standing) }
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(base: Base(sequence: 0, checksum: 0, time: 0, archive: nil), state: [])
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: base.sequence = try cursor.uint(bytes)
            case 2: base.checksum = try cursor.uint(bytes)
            case 3: base.time = try cursor.int(bytes)
            case 4: base.archive = try cursor.text(bytes)
            case 5: state = try cursor.bytes(bytes)
            case 6: kept.keys = try cursor.singleMessage(bytes)
            case 7: kept.open.append(try cursor.message(bytes))
            case 8: kept.standing = try cursor.singleMessage(bytes)
            default: throw cursor.unknown()
            }
        }
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
        self.sequence = sequence
        self.checksum = checksum
        self.time = time
        self.archive = archive
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
