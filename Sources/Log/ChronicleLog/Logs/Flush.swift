public import ChronicleValues

/// A write batch: records, rows of keys, and changes of the outbox, committed together.
///
/// Staged in two buffers whose storage is reused up to `roomBytesMax`. `truncate(to:)` drops a batch that is refused halfway.
public struct Flush: Sendable {
    public struct Mark: Sendable, Equatable {
        var records: Int
        var recordBytes: Int
        var rows: Int
        var rowBytes: Int
        var checksum: UInt64
        var time: Int64
        var headChange: HeadDelta
        var hasBeginning: Bool
    }

    /// A change in a table other than that of the records; its bytes are in the buffer of rows.
    package struct RowChange: Sendable {
        package enum Table: Sendable { case keys, outbox, bookmarks }

        /// The numbers are sent to other machines and never reused.
        package enum Kind: UInt8, Sendable {
            case addKey = 1
            case addCommand = 2
            case changeCommand = 3
            case closeCommand = 4
            case setBookmark = 5
            case removeBookmark = 6

            package var table: Table {
                switch self {
                case .addKey: .keys
                case .addCommand, .changeCommand, .closeCommand: .outbox
                case .setBookmark, .removeBookmark: .bookmarks
                }
            }

            package var isRemoval: Bool { self == .closeCommand || self == .removeBookmark }

            /// Whether the row has to exist before the change; `nil`: it may.
            package var requiresRow: Bool? {
                switch self {
                case .addKey, .addCommand: false
                case .changeCommand, .closeCommand: true
                case .setBookmark, .removeBookmark: nil
                }
            }
        }
        package var kind: Kind
        package var key: Range<Int>
        package var value: Range<Int>
    }

    /// The sequence of the record that this flush follows.
    public private(set) var base: UInt64
    public private(set) var baseChecksum: UInt64
    /// The time of the last staged record, or of the record before the flush, in microseconds since 1970.
    public private(set) var time: Int64
    /// Changes of the head other than the end of the log.
    public var headChange = HeadDelta()
    /// Whether it contains operations of the command runner, which only the machine that runs commands may append.
    public var isFromRunner = false
    /// The replica's position after this flush; `nil` leaves it unchanged.
    public var place: ReplicaPlace?
    /// The base with which an empty log begins; `nil` for a log that has begun.
    public private(set) var beginning: BaseRow?
    package private(set) var beginningKeys = PackedKeys()

    package var records = CanonicalWriter()
    var recordEnds: [Int] = []
    package var rows = CanonicalWriter()
    package var rowChanges: [RowChange] = []
    private(set) var checksum: UInt64

    public init(after head: Head) {
        (base, baseChecksum, checksum, time) = (head.sequence, head.checksum, head.checksum, head.time)
    }

    /// Drops all content, keeps storage of usual size, and begins after the end of a log.
    public mutating func restart(after head: Head) {
        (base, baseChecksum, checksum, time) = (head.sequence, head.checksum, head.checksum, head.time)
        (headChange, isFromRunner, place) = (HeadDelta(), false, nil)
        (beginning, beginningKeys) = (nil, PackedKeys())
        records.bytes.empty(keepingAtMost: Self.roomBytesMax)
        recordEnds.empty(keepingAtMost: Self.roomEntriesMax)
        rows.bytes.empty(keepingAtMost: Self.roomBytesMax)
        rowChanges.empty(keepingAtMost: Self.roomEntriesMax)
    }

    /// Bytes of storage that a buffer keeps for the next flush: a full flush and one more usual batch.
    package static let roomBytesMax = 16 << 20
    /// Number of records and row changes for which storage is kept.
    package static let roomEntriesMax = 1 << 16

    /// The sequence of the last staged record, or of the record before the flush.
    public var sequence: UInt64 { base + UInt64(recordEnds.count) }

    public var recordCount: Int { recordEnds.count }

    public var byteCount: Int { records.bytes.count + rows.bytes.count + beginningKeys.byteCount }

    public var isEmpty: Bool { recordEnds.isEmpty && rowChanges.isEmpty && headChange == HeadDelta() && beginning == nil }

    /// A savepoint for `truncate(to:)`.
    public var mark: Mark {
        Mark(
            records: recordEnds.count, recordBytes: records.bytes.count, rows: rowChanges.count, rowBytes: rows.bytes.count,
            checksum: checksum, time: time, headChange: headChange, hasBeginning: beginning != nil)
    }

    public mutating func truncate(to mark: Mark) {
        recordEnds.removeLast(recordEnds.count - mark.records)
        records.bytes.removeLast(records.bytes.count - mark.recordBytes)
        rowChanges.removeLast(rowChanges.count - mark.rows)
        rows.bytes.removeLast(rows.bytes.count - mark.rowBytes)
        checksum = mark.checksum
        time = mark.time
        headChange = mark.headChange
        if !mark.hasBeginning, beginning != nil {
            (beginning, beginningKeys, base, baseChecksum) = (nil, PackedKeys(), 0, 0)
        }
    }

    /// Begins an empty log after a compacted base, with the keys before it; throws `contradiction` unless log and flush are
    /// empty.
    public mutating func begin(with row: BaseRow, keys: PackedKeys = PackedKeys()) throws(ActionLogError) {
        guard sequence == 0, beginning == nil, row.base.sequence > 0 else {
            throw .contradiction(what: "a log that ends at record \(sequence) can't begin after record \(row.base.sequence)")
        }
        (base, baseChecksum, checksum, time) = (row.base.sequence, row.base.checksum, row.base.checksum, row.base.time)
        (beginning, beginningKeys) = (row, keys)
    }

    /// Stages a record whose payload the closure writes; it must be the next in sequence and later than the last.
    public mutating func stage(_ header: RecordHeader, payload: (inout CanonicalWriter) -> Void) {
        precondition(header.sequence == sequence + 1, "records are staged in sequence, without a gap")
        precondition(header.follows(time) || sequence == 0, "the times of records strictly increase")
        let start = records.bytes.count
        payload(&records)
        let headerStart = records.bytes.count
        header.encode(into: &records)
        let end = records.bytes.count
        let payloadChecksum = Checksum.of(records.bytes.span.bytes.extracting(start..<headerStart))
        let lengths = RecordTrailer.lengths(payload: headerStart - start, header: end - headerStart)
        records.bytes.append(littleEndian: lengths)
        records.bytes.append(littleEndian: checksum)
        records.bytes.append(littleEndian: payloadChecksum)
        checksum = Checksum.of(records.bytes.span.bytes.extracting(headerStart..<end + RecordTrailer.byteCount - 8))
        records.bytes.append(littleEndian: checksum)
        recordEnds.append(records.bytes.count)
        time = header.time
    }

    public mutating func stage(_ header: RecordHeader, payload: [UInt8]) {
        stage(header) { $0.bytes.append(contentsOf: payload) }
    }

    /// Stages a record of another log byte for byte; throws `contradiction` if it does not follow the staged ones.
    public mutating func append(_ record: SealedRecord) throws(ActionLogError) {
        guard record.header.sequence == sequence + 1, record.previous == checksum,
            record.header.follows(time) || sequence == 0
        else {
            throw .contradiction(what: "record \(record.header.sequence) does not follow record \(sequence)")
        }
        records.bytes.append(contentsOf: record.bytes)
        checksum = record.checksum
        recordEnds.append(records.bytes.count)
        time = record.header.time
    }
}

extension Flush {
    /// Stages the row of a new idempotency key; throws `keyLength` if it is empty or longer than `RowKey.keyBytesMax` bytes.
    public mutating func stage(_ row: KeyRow, key: String, of uid: UInt32) throws(ActionLogError) {
        let start = rows.bytes.count
        try RowKey.append(key, of: uid, to: &rows.bytes)
        stage(.addKey, row, keyFrom: start)
    }

    public mutating func add(_ row: OutboxRow) {
        let start = rows.bytes.count
        RowKey.append(row.id, to: &rows.bytes)
        stage(.addCommand, row, keyFrom: start)
    }

    public mutating func change(_ row: OutboxRow) {
        let start = rows.bytes.count
        RowKey.append(row.id, to: &rows.bytes)
        stage(.changeCommand, row, keyFrom: start)
    }

    public mutating func close(_ id: CommandID) {
        let start = rows.bytes.count
        RowKey.append(id, to: &rows.bytes)
        stageRemoval(.closeCommand, keyFrom: start)
    }

    /// Stages a bookmark's row; the record is staged separately.
    public mutating func set(_ row: BookmarkRow) {
        precondition((1...Bookmark.nameBytesMax).contains(row.name.utf8.count), Self.bookmarkNameRule)
        let start = rows.bytes.count
        RowKey.append(bookmark: row.name, to: &rows.bytes)
        stage(.setBookmark, row, keyFrom: start)
    }

    public mutating func removeBookmark(_ name: String) {
        precondition((1...Bookmark.nameBytesMax).contains(name.utf8.count), Self.bookmarkNameRule)
        let start = rows.bytes.count
        RowKey.append(bookmark: name, to: &rows.bytes)
        stageRemoval(.removeBookmark, keyFrom: start)
    }

    /// Stages the change of the row that a bookmark record requires.
    public mutating func apply(_ bookmark: Bookmark, of record: UInt64) {
        if bookmark.isWithdrawn {
            removeBookmark(bookmark.name)
        } else {
            set(BookmarkRow(name: bookmark.name, sequence: bookmark.sequence, record: record))
        }
    }

    private static var bookmarkNameRule: String { "a bookmark's name has 1 to \(Bookmark.nameBytesMax) bytes" }

    private mutating func stage(_ kind: RowChange.Kind, _ row: some CanonicalCodable, keyFrom start: Int) {
        let key = start..<rows.bytes.count
        Row.append(row, key: key, to: &rows)
        rowChanges.append(RowChange(kind: kind, key: key, value: key.upperBound..<rows.bytes.count))
    }

    private mutating func stageRemoval(_ kind: RowChange.Kind, keyFrom start: Int) {
        let end = rows.bytes.count
        rowChanges.append(RowChange(kind: kind, key: start..<end, value: end..<end))
    }

    package func head(after head: Head) -> Head {
        var next = head
        next.sequence = sequence
        next.checksum = checksum
        next.time = time
        headChange.apply(to: &next)
        return next
    }

    /// Why this flush cannot follow a head; `nil` if it can.
    package func contradiction(to head: Head) -> ActionLogError? {
        let (sequence, checksum) = beginning == nil ? (base, baseChecksum) : (0, 0)
        guard sequence == head.sequence, checksum == head.checksum else {
            return .contradiction(what: "it follows record \(sequence), but the log ends at \(head.sequence)")
        }
        return nil
    }

    package func recordRange(_ index: Int) -> Range<Int> { (index == 0 ? 0 : recordEnds[index - 1])..<recordEnds[index] }
}
