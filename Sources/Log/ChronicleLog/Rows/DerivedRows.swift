public import ChronicleValues

/// What stands beside the records of a log, as those up to one of them say it.
///
/// Of keys there may be as many as records, so they are not here; but for the one dispatch that goes on behind the last record.
public struct DerivedRows: Sendable, Equatable {
    /// The last of the records.
    public var sequence: UInt64
    /// The checksum of that record.
    public var checksum: UInt64
    /// The time of that record, in microseconds since 1970.
    public var time: Int64
    /// What stood then of what the records say.
    public var standing = StandingFacts()
    /// The open commands, in the order in which they start.
    public var outbox: [OutboxRow] = []
    /// The key of a dispatch with records on both sides of the end, and what its row says of those before it.
    public var divided: KeyRun?

    /// A row of keys with its place.
    public struct KeyRun: Sendable, Equatable {
        /// Whose key it is, and which.
        public var place: KeyPlace
        /// What was done under it.
        public var row: KeyRow

        public init(_ place: KeyPlace, _ row: KeyRow) {
            self.place = place
            self.row = row
        }
    }

    /// Makes those of a log of which nothing but its end is known.
    public init(sequence: UInt64, checksum: UInt64, time: Int64) {
        self.sequence = sequence
        self.checksum = checksum
        self.time = time
    }
}

extension DerivedRows.KeyRun: CanonicalCodable {
    /// Fields: 1 uid, 2 key, 3 row.
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
    /// How many ids there are in what `exportedBytes` gave, up to where it is damaged; none of them is made.
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
    /// How many ids there are in what `exportedBytes` gave, up to where it is damaged; none of them is made.
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
