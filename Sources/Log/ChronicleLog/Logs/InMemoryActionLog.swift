internal import ChronicleValues
internal import Synchronization

/// An action log in memory, with the bytes and checks of the log on disk, for tests and daemons without a directory.
public final class InMemoryActionLog: ReplicableLog {
    private struct Content {
        var head: Head
        /// The records after the base.
        var records: [[UInt8]] = []
        var rows: [Flush.RowChange.Table: [[UInt8]: [UInt8]]] = [:]
        var bytes = 0
        var redactions = Redactions()
        /// Set only by an import; a log in memory is never compacted.
        var base: BaseRow?
        var place: ReplicaPlace?

        mutating func set(_ key: [UInt8], to value: [UInt8]?, in table: Flush.RowChange.Table) -> [UInt8]? {
            let old = rows[table, default: [:]][key]
            rows[table, default: [:]][key] = value
            return old
        }
    }

    private let content: Mutex<Content>

    /// Creates an empty log; it reads no clock, so the default epoch is random.
    public init(epoch: UInt64? = nil, storeID: String? = nil) {
        content = Mutex(
            Content(head: Head(epoch: epoch ?? .random(in: 1..<1 << 51), storeID: storeID ?? Head.newStoreID())))
    }

    public var head: Head { content.withLock { $0.head } }

    public var edits: LogEdits { content.withLock { LogEdits(base: $0.base?.base, redactions: $0.redactions) } }

    public func baseRow() -> BaseRow? { content.withLock { $0.base } }

    public var place: ReplicaPlace? { content.withLock { $0.place } }

    public func headroom() -> FreeSpace { FreeSpace() }

    public func storage() -> StorageUse {
        content.withLock {
            StorageUse(
                records: $0.records.count, keys: $0.rows[.keys]?.count ?? 0, commands: $0.rows[.outbox]?.count ?? 0,
                usedBytes: $0.bytes)
        }
    }

    public func append(_ flush: Flush) throws(ActionLogError) { try append(flush) { () throws(ActionLogError) in } }

    /// Holds the lock while `isSettled` runs, so reads wait for the decision.
    public func append(_ flush: Flush, once isSettled: () throws(ActionLogError) -> Void) throws(ActionLogError) {
        try content.withLock { (content) throws(ActionLogError) in
            if let contradiction = flush.contradiction(to: content.head) { throw contradiction }
            // Changed in place and undone on failure: copying the tables would cost their whole size per flush.
            var undo: [(table: Flush.RowChange.Table, key: [UInt8], old: [UInt8]?)] = []
            do throws(ActionLogError) {
                try Self.apply(flush, to: &content, &undo)
                try isSettled()
            } catch {
                for change in undo.reversed() { _ = content.set(change.key, to: change.old, in: change.table) }
                throw error
            }
            if let place = flush.place { content.place = place }
            if let beginning = flush.beginning { content.base = beginning }
            for index in 0..<flush.recordCount { content.records.append(Array(flush.records.bytes[flush.recordRange(index)])) }
            content.bytes += flush.byteCount
            content.head = flush.head(after: content.head)
        }
    }

    private static func apply(
        _ flush: Flush, to content: inout Content,
        _ undo: inout [(table: Flush.RowChange.Table, key: [UInt8], old: [UInt8]?)]
    ) throws(ActionLogError) {
        func set(_ key: [UInt8], to value: [UInt8]?, _ table: Flush.RowChange.Table, exists: Bool?) throws(ActionLogError) {
            let old = content.set(key, to: value, in: table)
            undo.append((table, key, old))
            guard exists != (old == nil) else {
                throw .contradiction(what: "a row exists that should not, or a required row is missing")
            }
        }
        try flush.beginningKeys.forEach { (key, row) throws(ActionLogError) in
            try set(Array(key), to: Array(row), .keys, exists: false)
        }
        for change in flush.rowChanges {
            let (key, value) = (Array(flush.rows.bytes[change.key]), Array(flush.rows.bytes[change.value]))
            try set(key, to: change.kind.isRemoval ? nil : value, change.kind.table, exists: change.kind.requiresRow)
        }
    }

    public func redact(
        _ payloads: [(sequence: UInt64, payload: [UInt8])], at place: ReplicaPlace?,
        once isSettled: () throws(ActionLogError) -> Void
    ) throws(ActionLogError) {
        var values: [(sequence: UInt64, value: [UInt8])] = []
        for (sequence, payload) in payloads {
            values.append((sequence, RecordTrailer.redacting(try sealed(sequence), payload: payload)))
        }
        try isSettled()
        content.withLock { content in
            if let place { content.place = place }
            for (sequence, value) in values {
                content.records[Int(sequence - (content.base?.base.sequence ?? 0)) - 1] = value
                content.redactions.append(sequence)
            }
        }
    }

    public func become(_ place: ReplicaPlace?, storeID: String, epoch: UInt64) throws(ActionLogError) {
        try content.withLock { (content) throws(ActionLogError) in
            let isOther = content.head.storeID != storeID || content.head.epoch != epoch
            guard !isOther || content.head.sequence == 0 else {
                throw .contradiction(what: "the log is not empty, and differs from the shared log")
            }
            (content.head.storeID, content.head.epoch, content.place) = (storeID, epoch, place)
        }
    }

    public func walk(
        _ start: RecordWalk, _ body: (RawSpan, RecordCheck, UInt64) throws(ActionLogError) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        // A copy that shares storage, because the closure may call the log.
        let (head, base, records) = content.withLock { ($0.head, $0.base?.base, $0.records) }
        var walk = start
        try walk.begin(behind: base, through: head.sequence)
        func value(_ sequence: UInt64) -> [UInt8] { records[Int(sequence - (base?.sequence ?? 0)) - 1] }
        if !walk.isDone, walk.isLinked, walk.previous == nil {
            let before = walk.next - 1
            walk.previous = try RecordCheck(value(before).span.bytes, sequence: before).checksum
        }
        while !walk.isDone {
            let value = value(walk.next)
            _ = walk.take(walk.next, value.span.bytes) { (check, sequence) throws(ActionLogError) in
                try body(value.span.bytes, check, sequence)
            }
        }
        if let error = walk.error { throw error }
        return walk.next
    }

    public func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow? {
        var bytes: [UInt8] = []
        try RowKey.append(key, of: uid, to: &bytes)
        guard let value = content.withLock({ $0.rows[.keys]?[bytes] }) else { return nil }
        return try KeyRow(value.span.bytes, key: bytes.span.bytes)
    }

    public func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace? {
        var start: [UInt8] = []
        if let place { try RowKey.append(place.key, of: place.uid, to: &start) }
        let behind = rows(of: .keys).0.filter { start.lexicographicallyPrecedes($0.key) }
        var last: KeyPlace?
        for (key, value) in behind.prefix(max(rowsMax, 0)) {
            let place = try KeyPlace(key.span.bytes)
            body(place, try KeyRow(value.span.bytes, key: key.span.bytes))
            last = place
        }
        return behind.count > rowsMax ? last : nil
    }

    public func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64) {
        let (stored, head) = rows(of: .outbox)
        var rows: [OutboxRow] = []
        for (key, value) in stored {
            rows.append(try OutboxRow(value.span.bytes, key: key.span.bytes, heldThrough: head.heldThrough))
        }
        return (rows, head.sequence)
    }

    public func bookmarks(named name: String?) throws(ActionLogError) -> [BookmarkRow] {
        if let name {
            var key: [UInt8] = []
            RowKey.append(bookmark: name, to: &key)
            guard let value = content.withLock({ $0.rows[.bookmarks]?[key] }) else { return [] }
            return [try BookmarkRow(value.span.bytes, key: key.span.bytes)]
        }
        var rows: [BookmarkRow] = []
        for (key, value) in self.rows(of: .bookmarks).0 { rows.append(try BookmarkRow(value.span.bytes, key: key.span.bytes)) }
        return rows
    }

    private func rows(of table: Flush.RowChange.Table) -> ([(key: [UInt8], value: [UInt8])], Head) {
        let (rows, head) = content.withLock { ($0.rows[table] ?? [:], $0.head) }
        return (rows.map { (key: $0.key, value: $0.value) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }, head)
    }
}
