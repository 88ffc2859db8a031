public import ChronicleValues

/// The rows of a log after a record, derived from the records up to it.
///
/// There may be as many keys as records, so this contains only the key of a dispatch that continues after the last record.
public struct DerivedRows: Sendable, Equatable {
    /// The last record.
    public var sequence: UInt64
    public var checksum: UInt64
    /// The time of the last record, in microseconds since 1970.
    public var time: Int64
    /// Everything except the open commands and the keys.
    public var standing = CurrentFacts()
    /// The open commands, in starting order.
    public var outbox: [OutboxRow] = []
    /// The key of a dispatch that continues after the last record, with a row for its records up to there.
    public var divided: KeyRun?

    public struct KeyRun: Sendable, Equatable {
        public var place: KeyPlace
        public var row: KeyRow

        public init(_ place: KeyPlace, _ row: KeyRow) {
            self.place = place
            self.row = row
        }
    }

    /// Creates rows without open commands, bookmarks, lock and invariants.
    public init(sequence: UInt64, checksum: UInt64, time: Int64) {
        self.sequence = sequence
        self.checksum = checksum
        self.time = time
    }
}

extension DerivedRows.KeyRun: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, UInt64(place.uid))
        writer.field(2, place.key)
        writer.message(3, row)
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(KeyPlace(uid: 0, key: ""), KeyRow(first: 0, last: 0, digest: 0))
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: place.uid = try cursor.uint32(bytes)
            case 2: place.key = try cursor.text(bytes)
            case 3: row = try cursor.singleMessage(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

extension DerivedRows.KeyRun {
    /// Number of ids in exported bytes, up to the first damage; counts without allocating them.
    package static func idCount(exported bytes: [UInt8]) -> UInt64 {
        var count: UInt64 = 0
        var cursor = CanonicalCursor(0..<max(0, bytes.count - Row.checksumBytes))
        try? countIDs(in: bytes.span.bytes, &cursor, &count)
        return count
    }

    private static func countIDs(
        in bytes: RawSpan, _ cursor: inout CanonicalCursor, _ count: inout UInt64
    ) throws(CanonicalError) {
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: _ = try cursor.uint(bytes)
            case 3:
                var row = try cursor.enter(bytes)
                try KeyRow.countIDs(in: bytes, &row, &count)
            default: _ = try cursor.enter(bytes)
            }
        }
    }
}

extension KeyRow {
    /// Number of ids in exported bytes, up to the first damage; counts without allocating them.
    package static func idCount(exported bytes: [UInt8]) -> UInt64 {
        var count: UInt64 = 0
        var cursor = CanonicalCursor(0..<max(0, bytes.count - Row.checksumBytes))
        try? countIDs(in: bytes.span.bytes, &cursor, &count)
        return count
    }

    fileprivate static func countIDs(
        in bytes: RawSpan, _ cursor: inout CanonicalCursor, _ count: inout UInt64
    ) throws(CanonicalError) {
        while let number = try cursor.nextField(in: bytes) {
            guard number == 3 else {
                _ = try cursor.uint(bytes)
                continue
            }
            var run = try cursor.enter(bytes)
            count.add(clamping: 1)
            while let number = try run.nextField(in: bytes) {
                let value = try run.uint(bytes)
                if number == 2 { count.add(clamping: value) }
            }
        }
    }
}

extension UInt64 {
    fileprivate mutating func add(clamping other: UInt64) { self += Swift.min(other, .max - self) }
}
