public import ChronicleLog
internal import LMDB
internal import Synchronization

extension LMDBActionLog {
    public func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow? {
        let (isNew, isKnown, commits) = position.withLock {
            ($0.newestKeys.isNew(key, of: uid), $0.newestKeys.knows(uid), $0.newestKeys.commits)
        }
        if isNew { return nil }
        if !isKnown, lock != nil {
            let newest = try newestKey(of: uid)
            position.withLock { $0.newestKeys.learn(newest, of: uid, after: commits) }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + RowKey.keyBytesMax)
        try RowKey.append(key, of: uid, to: &bytes)
        let found = try environment.read { (transaction) throws(ActionLogError) in
            try transaction.row(bytes.span.bytes, in: tables.keys, as: KeyRow.self, of: "the row of a key of uid \(uid)")
        }
        guard let row = found else { return nil }
        // A log opened up to its damage ignores later rows.
        return damage != nil && row.last > head.sequence ? nil : row
    }

    private func newestKey(of uid: UInt32) throws(ActionLogError) -> [UInt8] {
        var end: [UInt8] = []
        // Seeks past the uid's keys: to the next uid or, for the largest uid, to the largest possible key.
        end.append(bigEndian: uid == .max ? uid : uid + 1)
        if uid == .max { end += Array(repeating: 0xFF, count: RowKey.keyBytesMax) }
        let keep: (RawSpan, RawSpan) -> [UInt8] = { key, _ in
            guard key.byteCount > 4, UInt32(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt32.self)) == uid
            else { return [] }
            return (4..<key.byteCount).map { key.unsafeLoadUnaligned(fromByteOffset: $0, as: UInt8.self) }
        }
        return try environment.read { (transaction) throws(ActionLogError) in
            do throws(LMDBError) {
                return try transaction.withCursor(tables.keys) { (cursor) throws(LMDBError) in
                    let isBehind = try cursor.seek(end.span.bytes) { _, _ in true } ?? false
                    return (isBehind ? try cursor.previous(keep) : try cursor.last(keep)) ?? []
                }
            } catch {
                throw ActionLogError(error)
            }
        }
    }

    public func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64) {
        let (rows, head) = try environment.read { (transaction) throws(ActionLogError) in
            let head = damage == nil ? try Self.head(transaction, tables) : self.head
            return (try openCommands(transaction, head), head)
        }
        guard damage == nil else { return (rows.filter { $0.id.sequence <= head.sequence }, head.sequence) }
        position.withLock { $0.told = max($0.told, head.sequence) }
        return (rows, head.sequence)
    }

    private func openCommands(
        _ transaction: borrowing ReadTransaction, _ head: Head
    ) throws(ActionLogError) -> [OutboxRow] {
        var rows: [OutboxRow] = []
        do throws(ActionLogError) {
            try transaction.eachRow(of: tables.outbox, from: []) { (key, value) throws(ActionLogError) in
                rows.append(try Self.outboxRow(key, value, heldThrough: head.heldThrough))
                return true
            }
        } catch {
            guard damage != nil else { throw error }
        }
        return rows
    }

    static func head(_ transaction: borrowing ReadTransaction, _ tables: Tables) throws(ActionLogError) -> Head {
        let key = RowKey.head
        let found = try transaction.row(key.span.bytes, in: tables.meta, as: Head.self, of: "the head row")
        guard let found else { throw .damaged(sequence: 0, what: "the head row is missing") }
        return found
    }

    private static func outboxRow(_ key: RawSpan, _ value: RawSpan, heldThrough: UInt64) throws(ActionLogError) -> OutboxRow {
        guard let id = RowKey.commandID(key) else {
            throw .damaged(sequence: 0, what: "the key of an open command")
        }
        let what = "the row of the open command \(id.index)"
        var row = try Row.open(value, key: key, as: OutboxRow.self, sequence: id.sequence, of: what)
        guard row.id == id else { throw .damaged(sequence: id.sequence, what: what) }
        row.isHeld = id.sequence <= heldThrough
        return row
    }
}
