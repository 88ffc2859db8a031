import ChronicleValues

/// The position of a machine's copy of a shared log.
public struct ReplicaPlace: Sendable, Equatable {
    /// The name of the shared log.
    public var name: String
    /// Number of batches that the copy has applied; the next batch has the next number.
    public var number: UInt64
    /// The id of the last of them; before the first, that of the founding.
    public var batch: [UInt8]
    /// The number of the last batch that redacted records; 0: none did.
    public var redaction: UInt64 = 0
    /// A unique id of this copy, independent of the machine's name; 0: none yet.
    public var copyID: UInt64 = 0

    public init(name: String, number: UInt64 = 0, batch: [UInt8] = []) {
        self.name = name
        self.number = number
        self.batch = batch
    }
}

extension ReplicaPlace: RowCoding {
    public init() { self.init(name: "") }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &name)
        try fields.field(2, &number)
        try fields.field(3, &batch)
        try fields.field(4, &redaction)
        try fields.field(5, &copyID)
    }
}

/// A log that can be a machine's copy of a shared log.
public protocol ReplicableLog: ActionLog {
    /// The position as a copy; `nil` for a log that is not shared.
    var place: ReplicaPlace? { get }

    /// Commits a flush as `append` does, but calls the closure after all checks and writes and before the commit; if it throws,
    /// nothing is committed.
    ///
    /// Throws what `append` and the closure throw.
    func append(_ flush: Flush, once isSettled: () throws(ActionLogError) -> Void) throws(ActionLogError)

    /// Replaces payloads as `redact` does, but calls the closure before the commit.
    ///
    /// - Parameter place: the position as a copy after that; `nil` leaves it unchanged.
    func redact(
        _ payloads: [(sequence: UInt64, payload: [UInt8])], at place: ReplicaPlace?,
        once isSettled: () throws(ActionLogError) -> Void
    ) throws(ActionLogError)

    /// Becomes an empty copy of another log, or an unshared log if the place is `nil`.
    ///
    /// Throws `contradiction` if it would be the copy of another log and is not empty.
    func become(_ place: ReplicaPlace?, storeID: String, epoch: UInt64) throws(ActionLogError)
}

extension ReplicableLog {
    public func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError) {
        try redact(payloads, at: nil) { () throws(ActionLogError) in }
    }
}

/// A change by other machines that this copy has applied.
public enum ReplicationEvent: Sendable {
    case appended(Flush)
    /// Records from this one on were redacted.
    case redacted(from: UInt64)
}

/// A log that other machines append to as well.
///
/// An append throws `othersFirst` if another append came first: nothing of the flush is or will be written, and it must be
/// decided again after `follow` has applied the changes. It also throws `unavailable` if nothing can be appended now, and
/// `inDoubt`.
public protocol SharedActionLog: ActionLog {
    var flushBytesMax: Int { get }

    /// Whether this machine runs the commands; only then are operations of its runner accepted.
    var isLeading: Bool { get }

    /// The deadline of an operation that begins now, in nanoseconds of the monotonic clock; at least one attempt is made even
    /// after it.
    var deadlineFromNow: UInt64 { get }

    func append(_ flush: Flush, until deadline: UInt64) throws(ActionLogError)

    /// Applies some changes of other machines to this copy and returns them; `nil` if this copy is up to date.
    ///
    /// Called on the thread of the appends. Throws what `append` throws.
    func follow(until deadline: UInt64) throws(ActionLogError) -> ReplicationEvent?

    /// Waits briefly on the thread of the appends before applied changes are read again; reading failed because no reader slot
    /// was free.
    func waitForReaders()

    /// Whether an append with a key of a uid is in doubt.
    func isInDoubt(_ key: String, of uid: UInt32) -> Bool

    /// Confirms that this copy is up to date; throws `othersFirst` if it is not.
    func readIndex(until deadline: UInt64) throws(ActionLogError)
}

extension SharedActionLog {
    public func append(_ flush: Flush) throws(ActionLogError) { try append(flush, until: deadlineFromNow) }

    public func follow() throws(ActionLogError) -> ReplicationEvent? { try follow(until: deadlineFromNow) }
}

/// A flush in the form that is sent to other machines.
public struct ReplicatedBatch: Sendable, Equatable {
    struct RowChange: Sendable, Equatable {
        /// The kind of a change; 7 and 8, in batches of older versions, are changes of a removed table and are skipped.
        struct Number: RawRepresentable, Sendable, Equatable {
            var rawValue: UInt8 = 1

            init() {}

            init?(rawValue: UInt8) {
                guard 1...8 ~= rawValue else { return nil }
                self.rawValue = rawValue
            }
        }

        var number: Number
        var key: [UInt8]
        var value: [UInt8]

        var kind: Flush.RowChange.Kind? { Flush.RowChange.Kind(rawValue: number.rawValue) }
    }

    /// The record that it follows.
    public private(set) var base: UInt64
    public private(set) var baseChecksum: UInt64
    var records: [[UInt8]] = []
    var rows: [RowChange] = []
    var headChange = HeadDelta()

    public var recordCount: Int { records.count }

    /// Whether it adds a row for a key of a uid.
    public func brings(_ key: String, of uid: UInt32) -> Bool {
        var bytes: [UInt8] = []
        do throws(ActionLogError) { try RowKey.append(key, of: uid, to: &bytes) } catch { return false }
        return rows.contains { $0.kind == .addKey && $0.key == bytes }
    }

    /// Whether all actions of its records satisfy a condition; throws `damaged`.
    public func holds(onlyActions isAction: ([UInt8]) -> Bool) throws(ActionLogError) -> Bool {
        var sequence = base
        for bytes in records {
            sequence &+= 1
            let record = try SealedRecord(bytes, sequence: sequence)
            guard record.header.kind.holdsAction(payloadBytes: record.payload.count) else { continue }
            if !isAction(record.payloadBytes) { return false }
        }
        return true
    }

    /// Maximum number of ids in all key rows of a batch, because a run of any length takes only a few bytes of a row.
    ///
    /// Valid batches stay below it: each id takes at least a byte of a record, and a batch has fewer bytes than this.
    static let idsMax: UInt64 = 1 << 21

    /// Whether its key rows contain at most this many ids; counts them without allocating them.
    fileprivate func handsOutAtMost(_ max: UInt64) -> Bool {
        var left = max
        for row in rows where row.kind == .addKey {
            let count = KeyRow.idCount(exported: row.value)
            guard count <= left else { return false }
            left -= count
        }
        return true
    }

    /// Copies a flush, which must not begin a log with a base.
    public init(_ flush: Flush) {
        precondition(flush.beginning == nil, "a shared log begins empty, or with a copy")
        (base, baseChecksum, headChange) = (flush.base, flush.baseChecksum, flush.headChange)
        records = flush.recordEnds.indices.map { Array(flush.records.bytes[flush.recordRange($0)]) }
        rows = flush.rowChanges.map {
            RowChange(
                number: RowChange.Number(rawValue: $0.kind.rawValue) ?? RowChange.Number(),
                key: Array(flush.rows.bytes[$0.key]), value: Array(flush.rows.bytes[$0.value]))
        }
    }
}

extension ReplicatedBatch.RowChange {
    /// Throws `contradiction` if the key does not fit the kind of change, and `damaged` if the value can't be read.
    ///
    /// - Parameter last: the last record of the batch.
    func check(_ kind: Flush.RowChange.Kind, through last: UInt64) throws(ActionLogError) {
        let isEmpty = self.value.isEmpty
        let key = self.key.span.bytes
        let value = self.value.span.bytes
        let name = "the row of a batch"
        let isOfKind: Bool
        switch kind {
        case .addKey:
            let row = try Row.open(value, key: key, as: KeyRow.self, sequence: 0, of: name)
            isOfKind =
                row.first <= row.last && (row.first == 0) == (row.last == 0) && row.last <= last
                && RowKey.keyPlace(key).map { $0.key.utf8.count <= RowKey.keyBytesMax } ?? false
        case .addCommand, .changeCommand:
            let row = try Row.open(value, key: key, as: OutboxRow.self, sequence: 0, of: name)
            isOfKind = RowKey.commandID(key) == row.id
        case .closeCommand: isOfKind = RowKey.commandID(key) != nil && isEmpty
        case .setBookmark:
            isOfKind = RowKey.bookmarkName(key).map { $0.utf8.count <= Bookmark.nameBytesMax } ?? false
            _ = try Row.open(value, key: key, as: BookmarkRow.self, sequence: 0, of: name)
        case .removeBookmark: isOfKind = RowKey.bookmarkName(key) != nil && isEmpty
        }
        guard isOfKind else { throw .contradiction(what: "a batch of the shared log changes a row of another kind") }
    }
}

extension Flush {
    /// Stages a flush of another machine after the staged records.
    ///
    /// Throws `contradiction` if it does not follow them or a row change is invalid, and `damaged` if a record or row is damaged.
    public mutating func append(_ shared: ReplicatedBatch) throws(ActionLogError) {
        guard shared.base == sequence, shared.baseChecksum == checksum else {
            throw .contradiction(
                what: "a batch follows record \(shared.base), but this log ends with a different record \(sequence)")
        }
        for bytes in shared.records { try append(SealedRecord(bytes, sequence: sequence + 1)) }
        guard shared.handsOutAtMost(ReplicatedBatch.idsMax) else {
            throw .contradiction(what: "a batch of the shared log assigns more than \(ReplicatedBatch.idsMax) ids")
        }
        for row in shared.rows {
            guard let kind = row.kind else { continue }
            try row.check(kind, through: sequence)
            let start = rows.bytes.count
            rows.bytes += row.key
            let end = rows.bytes.count
            rows.bytes += row.value
            rowChanges.append(RowChange(kind: kind, key: start..<end, value: end..<rows.bytes.count))
        }
        headChange.merge(shared.headChange)
    }

    /// The changed rows of open commands, in the order of the changes; `nil`: the command ended.
    public func commandChanges() throws(ActionLogError) -> [(id: CommandID, row: OutboxRow?)] {
        var changes: [(id: CommandID, row: OutboxRow?)] = []
        let bytes = rows.bytes.span.bytes
        for change in rowChanges where change.kind.table == .outbox {
            let key = bytes.extracting(change.key)
            guard let id = RowKey.commandID(key) else { throw .damaged(sequence: 0, what: "the key of an open command") }
            let row =
                change.kind == .closeCommand
                ? nil
                : try Row.open(
                    bytes.extracting(change.value), key: key, as: OutboxRow.self, sequence: id.sequence, of: "a row of the outbox"
                )
            changes.append((id, row))
        }
        return changes
    }

    public var changesBookmarks: Bool { rowChanges.contains { $0.kind.table == .bookmarks } }
}

extension ReplicatedBatch: RowCoding {
    /// Creates a batch without changes.
    public init() { (base, baseChecksum) = (0, 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &base)
        try fields.field(2, &baseChecksum)
        var messages = records.map { BytesMessage(value: $0) }
        try fields.list(3, &messages, max: .max)
        records = messages.map(\.value)
        try fields.list(4, &rows, max: .max)
        var headChange = headChange == HeadDelta() ? nil : headChange
        try fields.message(5, &headChange)
        self.headChange = headChange ?? HeadDelta()
    }
}

extension ReplicatedBatch.RowChange: RowCoding {
    init() { self.init(number: Number(), key: [], value: []) }

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &number)
        try fields.field(2, &key)
        try fields.field(3, &value)
    }
}
