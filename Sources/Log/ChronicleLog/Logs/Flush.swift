public import ChronicleValues

/// What is to be committed together: records, the rows of keys, and changes of the outbox.
///
/// Everything is staged in two growing buffers that keep their room from flush to flush, up to `roomBytesMax`. A batch that is
/// refused half-way is dropped with `truncate(to:)`.
public struct Flush: Sendable {
    /// A place to go back to.
    public struct Mark: Sendable, Equatable {
        var records: Int
        var recordBytes: Int
        var rows: Int
        var rowBytes: Int
        var checksum: UInt64
        var time: Int64
        var headChange: HeadChange
        var hasBeginning: Bool
    }

    /// One change of a table other than that of the records, in the buffer of rows.
    package struct RowChange: Sendable {
        package enum Kind: Sendable {
            case addKey, addCommand, changeCommand, closeCommand
            case setBookmark, removeBookmark

            /// Whether a row is to be there before, or not to be.
            var isConditional: Bool {
                switch self {
                case .addKey, .addCommand, .changeCommand, .closeCommand: true
                case .setBookmark, .removeBookmark: false
                }
            }
        }
        package var kind: Kind
        package var key: Range<Int>
        package var value: Range<Int>
    }

    /// The sequence of the record that this flush follows.
    public private(set) var base: UInt64
    /// The checksum of that record.
    public private(set) var baseChecksum: UInt64
    /// The time of the last staged record, or of the one before the flush, in microseconds since 1970.
    public private(set) var time: Int64
    /// What it changes in the head beside where the log ends.
    public var headChange = HeadChange()
    /// Whether the runner of commands says something in it, which only the machine that runs them may.
    public var isFromRunner = false
    /// How far a copy is with it; `nil`: that stays as it is.
    public var place: ReplicaPlace?
    /// The base with which an empty log begins; `nil`: the log has begun.
    public private(set) var beginning: BaseRow?
    /// The keys of the records that the base stands for.
    package private(set) var beginningKeys = PackedKeys()

    package var records = CanonicalWriter()
    var recordEnds: [Int] = []
    package var rows = CanonicalWriter()
    package var rowChanges: [RowChange] = []
    private(set) var checksum: UInt64

    /// Begins behind the end of a log.
    public init(after head: Head) {
        base = head.sequence
        baseChecksum = head.checksum
        checksum = head.checksum
        time = head.time
    }

    /// Drops everything, keeps the room of a usual flush, and begins behind the end of a log.
    public mutating func restart(after head: Head) {
        base = head.sequence
        baseChecksum = head.checksum
        checksum = head.checksum
        time = head.time
        headChange = HeadChange()
        isFromRunner = false
        place = nil
        (beginning, beginningKeys) = (nil, PackedKeys())
        records.bytes.empty(keepingAtMost: Self.roomBytesMax)
        recordEnds.empty(keepingAtMost: Self.roomEntriesMax)
        rows.bytes.empty(keepingAtMost: Self.roomBytesMax)
        rowChanges.empty(keepingAtMost: Self.roomEntriesMax)
    }

    /// Bytes of room that a buffer keeps for the next flush: what a full flush takes, and more than it by a usual batch.
    package static let roomBytesMax = 16 << 20
    /// Records and changes of rows for which room is kept.
    package static let roomEntriesMax = 1 << 16

    /// The sequence of the last staged record, or of the one that this flush follows.
    public var sequence: UInt64 { base + UInt64(recordEnds.count) }

    /// How many records are staged.
    public var recordCount: Int { recordEnds.count }

    /// The staged records and rows, in bytes.
    public var byteCount: Int { records.bytes.count + rows.bytes.count + beginningKeys.byteCount }

    /// Whether there is nothing to commit.
    public var isEmpty: Bool { recordEnds.isEmpty && rowChanges.isEmpty && headChange == HeadChange() && beginning == nil }

    /// The place that `truncate(to:)` comes back to.
    public var mark: Mark {
        Mark(
            records: recordEnds.count, recordBytes: records.bytes.count, rows: rowChanges.count, rowBytes: rows.bytes.count,
            checksum: checksum, time: time, headChange: headChange, hasBeginning: beginning != nil)
    }

    /// Drops what was staged since a mark of this flush.
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

    /// Begins an empty log behind the record of a base, as one that was compacted does, with the keys of the records up to it.
    ///
    /// Throws `contradiction` when the log has begun, or something is staged.
    public mutating func begin(with row: BaseRow, keys: PackedKeys = PackedKeys()) throws(ActionLogError) {
        guard sequence == 0, beginning == nil, row.base.sequence > 0 else {
            throw .contradiction(what: "a log that ends at record \(sequence) can't begin behind record \(row.base.sequence)")
        }
        (base, baseChecksum, checksum, time) = (row.base.sequence, row.base.checksum, row.base.checksum, row.base.time)
        (beginning, beginningKeys) = (row, keys)
    }

    /// Stages a record whose payload the closure writes: the next in sequence, and later than the last.
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

    /// Stages a record with a payload that is there already.
    public mutating func stage(_ header: RecordHeader, payload: [UInt8]) {
        stage(header) { $0.bytes.append(contentsOf: payload) }
    }

    /// Stages a record of another log's history, byte for byte.
    ///
    /// Throws `contradiction` when it does not follow what is staged.
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
