public import ChronicleValues

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

extension CurrentFacts: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, epoch)
        if let lock { writer.message(2, lock) }
        for invariant in invariants { writer.message(3, invariant) }
        writer.field(4, heldThrough)
        for bookmark in bookmarks { writer.message(5, NamedBookmark(row: bookmark)) }
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: epoch = try cursor.uint(bytes)
            case 2: lock = try cursor.singleMessage(bytes)
            case 3: invariants.append(try cursor.message(bytes))
            case 4: heldThrough = try cursor.uint(bytes)
            case 5: bookmarks.append((try cursor.message(bytes) as NamedBookmark).row)
            default: throw cursor.unknown()
            }
        }
    }
}

/// A bookmark with its name, which elsewhere is the key of its row.
private struct NamedBookmark: CanonicalCodable {
    var row: BookmarkRow

    init(row: BookmarkRow) { self.row = row }

    func encode(into writer: inout CanonicalWriter) {
        writer.field(1, row.name)
        writer.field(2, row.sequence)
        writer.field(3, row.record)
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(row: BookmarkRow(name: "", sequence: 0, record: 0))
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: row.name = try cursor.text(bytes)
            case 2: row.sequence = try cursor.uint(bytes)
            case 3: row.record = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
