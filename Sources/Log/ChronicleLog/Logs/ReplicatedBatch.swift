public import ChronicleValues

/// A flush in the form that is sent to other machines.
public struct ReplicatedBatch: Sendable, Equatable {
    struct RowChange: Sendable, Equatable {
        var kind: Flush.RowChange.Kind
        var key: [UInt8]
        var value: [UInt8]
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
            RowChange(kind: $0.kind, key: Array(flush.rows.bytes[$0.key]), value: Array(flush.rows.bytes[$0.value]))
        }
    }
}

extension ReplicatedBatch.RowChange {
    /// Throws `contradiction` if the key does not fit the kind of change, and `damaged` if the value can't be read.
    ///
    /// - Parameter last: the last record of the batch.
    func check(through last: UInt64) throws(ActionLogError) {
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
            try row.check(through: sequence)
            let start = rows.bytes.count
            rows.bytes += row.key
            let end = rows.bytes.count
            rows.bytes += row.value
            rowChanges.append(RowChange(kind: row.kind, key: start..<end, value: end..<rows.bytes.count))
        }
        headChange.merge(shared.headChange)
    }

    /// The changed rows of open commands, in the order of the changes; `nil`: the command ended.
    public func commandChanges() throws(ActionLogError) -> [(id: CommandID, row: OutboxRow?)] {
        var changes: [(id: CommandID, row: OutboxRow?)] = []
        let bytes = rows.bytes.span.bytes
        for change in rowChanges {
            switch change.kind {
            case .addCommand, .changeCommand, .closeCommand: break
            case .addKey, .setBookmark, .removeBookmark: continue
            }
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

    public var changesBookmarks: Bool { rowChanges.contains { $0.kind == .setBookmark || $0.kind == .removeBookmark } }
}

extension ReplicatedBatch: CanonicalCodable {
    // Numbers are never reused. Batches of older versions contain 7 and 8, changes of a removed table; they are skipped.
    private static let kinds: [(number: UInt64, kind: Flush.RowChange.Kind)] = [
        (1, .addKey), (2, .addCommand), (3, .changeCommand), (4, .closeCommand), (5, .setBookmark), (6, .removeBookmark),
    ]
    private static let removedKinds: ClosedRange<UInt64> = 7...8

    /// Fields: 1 the record that it follows, 2 its checksum, 3 records: list of messages of 1 bytes, 4 changes of rows: list of messages
    /// of 1 kind, 2 key, 3 value, 5 changes of the head.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, base)
        writer.field(2, baseChecksum)
        for record in records { writer.message(3) { $0.field(1, record) } }
        for row in rows {
            writer.message(4) { writer in
                writer.field(1, Self.kinds.first { $0.kind == row.kind }?.number ?? 0)
                writer.field(2, row.key)
                writer.field(3, row.value)
            }
        }
        if headChange != HeadDelta() { writer.message(5, headChange) }
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        (base, baseChecksum) = (0, 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: base = try cursor.uint(bytes)
            case 2: baseChecksum = try cursor.uint(bytes)
            case 3:
                var inner = try cursor.enter(bytes)
                guard try inner.nextField(in: bytes) == 1 else { throw inner.unknown() }
                records.append(try inner.bytes(bytes))
            case 4:
                var inner = try cursor.enter(bytes)
                if let row = try Self.row(bytes, &inner) { rows.append(row) }
            case 5: headChange = try cursor.singleMessage(bytes)
            default: throw cursor.unknown()
            }
        }
    }

    private static func row(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> RowChange? {
        var row = RowChange(kind: .addKey, key: [], value: [])
        var isRemoved = false
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1:
                let number = try cursor.uint(bytes)
                isRemoved = removedKinds.contains(number)
                if isRemoved { continue }
                guard let kind = kinds.first(where: { $0.number == number })?.kind else { throw cursor.unknown() }
                row.kind = kind
            case 2: row.key = try cursor.bytes(bytes)
            case 3: row.value = try cursor.bytes(bytes)
            default: throw cursor.unknown()
            }
        }
        return isRemoved ? nil : row
    }
}

extension HeadDelta {
    /// Adds later changes, which replace earlier ones of the same field.
    mutating func merge(_ later: HeadDelta) {
        if let heldThrough = later.heldThrough { self.heldThrough = heldThrough }
        if let lock = later.lock { self.lock = lock }
        if let throttles = later.throttles { self.throttles = throttles }
        if let invariants = later.invariants { self.invariants = invariants }
        if let importedThrough = later.importedThrough { self.importedThrough = importedThrough }
    }
}

extension HeadDelta: CanonicalCodable {
    /// Fields, each present only if it changes: 1 message of 1 the sequence up to which commands are held, 2 message of 1 throttles,
    /// 3 message of 1 invariants, 4 message of 1 the last imported record, 5 the new lock, 6 an empty message: unlocked.
    public func encode(into writer: inout CanonicalWriter) {
        if let heldThrough { writer.message(1) { $0.field(1, heldThrough) } }
        if let throttles { writer.message(2) { for throttle in throttles { $0.message(1, throttle) } } }
        if let invariants { writer.message(3) { for invariant in invariants { $0.message(1, invariant) } } }
        if let importedThrough { writer.message(4) { $0.field(1, importedThrough) } }
        switch lock {
        case .lock(let lock): writer.message(5, lock)
        case .unlock: writer.message(6) { _ in }
        case nil: break
        }
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) {
            guard number != 5 else {
                lock = .lock(try cursor.singleMessage(bytes))
                continue
            }
            var inner = try cursor.enterSingle(bytes)
            switch number {
            case 1: heldThrough = try Self.number(bytes, &inner)
            case 2: throttles = try Self.list(bytes, &inner)
            case 3: invariants = try Self.list(bytes, &inner)
            case 4: importedThrough = try Self.number(bytes, &inner)
            case 6: lock = .unlock
            default: throw cursor.unknown()
            }
        }
    }

    private static func number(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> UInt64 {
        guard let number = try cursor.nextField(in: bytes) else { return 0 }
        guard number == 1 else { throw cursor.unknown() }
        return try cursor.uint(bytes)
    }

    private static func list<Element: CanonicalCodable>(
        _ bytes: RawSpan, _ cursor: inout CanonicalCursor
    ) throws(CanonicalError) -> [Element] {
        var elements: [Element] = []
        while let number = try cursor.nextField(in: bytes) {
            guard number == 1 else { throw cursor.unknown() }
            elements.append(try cursor.message(bytes))
        }
        return elements
    }
}
