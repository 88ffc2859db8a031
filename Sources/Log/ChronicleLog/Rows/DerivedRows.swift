import ChronicleValues

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

extension DerivedRows.KeyRun: RowCoding {
    public init() { self.init(KeyPlace(uid: 0, key: ""), KeyRow()) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &place.uid)
        try fields.field(2, &place.key)
        try fields.message(3, &row)
    }
}

extension DerivedRows.KeyRun {
    /// Number of ids in exported bytes, up to the first damage; counts without allocating them.
    package static func idCount(exported bytes: [UInt8]) -> UInt64 {
        KeyRow.idCount(bytes) { (bytes, cursor, count) throws(CanonicalError) in
            while let number = try cursor.nextField(in: bytes) {
                guard number == 3 else {
                    if number == 1 { _ = try cursor.uint(bytes) } else { _ = try cursor.enter(bytes) }
                    continue
                }
                var row = try cursor.enter(bytes)
                try KeyRow.countIDs(in: bytes, &row, &count)
            }
        }
    }
}

extension KeyRow {
    /// Number of ids in exported bytes, up to the first damage; counts without allocating them.
    package static func idCount(exported bytes: [UInt8]) -> UInt64 { idCount(bytes, countIDs) }

    fileprivate static func idCount(
        _ bytes: [UInt8], _ body: (RawSpan, inout CanonicalCursor, inout UInt64) throws(CanonicalError) -> Void
    ) -> UInt64 {
        var (count, cursor) = (0 as UInt64, CanonicalCursor(0..<max(0, bytes.count - Row.checksumBytes)))
        try? body(bytes.span.bytes, &cursor, &count)
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

/// The rows that the records up to one of them determine, besides the open commands.
///
/// A base contains those of its record, because the records are in the archive.
public struct CurrentFacts: Sendable, Equatable {
    /// The last epoch that a record began, or in which a log was compacted; 0: unknown.
    public var epoch: UInt64 = 0
    public var lock: Lock?
    /// The invariants, in the order in which they were set.
    public var invariants: [Invariant] = []
    /// Commands of records up to here are held.
    public var heldThrough: UInt64 = 0
    /// The bookmarks, in the order of the records that set them.
    public var bookmarks: [BookmarkRow] = []

    public init() {}
}

extension CurrentFacts {
    /// The facts before the first record of a log; current ones replace those that the base of an older version lacks.
    ///
    /// - Parameters:
    ///   - kept: the rows of the base; `nil`: the log has none.
    ///   - base: the record of the base; 0: the log has none.
    ///   - bookmarks: the current ones.
    package init(_ kept: CompactionSummary?, after base: UInt64, _ head: Head, bookmarks: [BookmarkRow]) {
        let known = kept?.standing
        self = known ?? CurrentFacts()
        if known == nil {
            lock = head.lock.flatMap { $0.record <= base ? $0 : nil }
            self.bookmarks = bookmarks.filter { $0.record <= base }
        }
        // Only the head knows which imported facts are active in this log.
        if head.importedThrough > base || known == nil && base > 0 { heldThrough = head.heldThrough }
        if head.importedThrough > base || known == nil {
            invariants = head.invariants.filter { $0.record <= max(base, head.importedThrough) }
        }
    }
}

extension CurrentFacts: RowCoding {
    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &epoch)
        try fields.message(2, &lock)
        try fields.list(3, &invariants, max: .max)
        try fields.field(4, &heldThrough)
        var named = bookmarks.map { NamedBookmark(row: $0) }
        try fields.list(5, &named, max: .max)
        bookmarks = named.map(\.row)
    }
}

/// A bookmark with its name, which elsewhere is the key of its row.
private struct NamedBookmark: RowCoding {
    var row = BookmarkRow()

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &row.name)
        try fields.field(2, &row.sequence)
        try fields.field(3, &row.record)
    }
}
