public import ActionLogs
internal import Synchronization
internal import LMDB

extension LMDBActionLog {
    /// What a dispatch under a key of a uid did.
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
        let found: Result<KeyRow, ActionLogError>?
        do {
            found = try environment.read { (transaction) throws(LMDBError) in
                try transaction.get(bytes.span.bytes, in: tables.keys) { value in
                    do throws(ActionLogError) {
                        let row = try Row.open(
                            value, key: bytes.span.bytes, as: KeyRow.self, sequence: 0, of: "the row of a key of uid \(uid)")
                        return .success(row)
                    } catch {
                        return .failure(error)
                    }
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
        guard let row = try found?.get() else { return nil }
        // A log that is read up to its damage knows nothing of what came after.
        return damage != nil && row.last > head.sequence ? nil : row
    }

    /// The last key of a uid in the table; empty if it has none.
    private func newestKey(of uid: UInt32) throws(ActionLogError) -> [UInt8] {
        var end: [UInt8] = []
        // The row behind those of the uid: of the next one, or, for the last uid there can be, behind the longest key.
        end.append(bigEndian: uid == .max ? uid : uid + 1)
        if uid == .max { end += Array(repeating: 0xFF, count: RowKey.keyBytesMax) }
        let keep: (RawSpan, RawSpan) -> [UInt8] = { key, _ in
            guard key.byteCount > 4, UInt32(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt32.self)) == uid
            else { return [] }
            return (4..<key.byteCount).map { key.unsafeLoadUnaligned(fromByteOffset: $0, as: UInt8.self) }
        }
        do {
            return try environment.read { (transaction) throws(LMDBError) in
                try transaction.withCursor(tables.keys) { (cursor) throws(LMDBError) in
                    let isBehind = try cursor.seek(end.span.bytes) { _, _ in true } ?? false
                    return (isBehind ? try cursor.previous(keep) : try cursor.last(keep)) ?? []
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
    }

    /// The open commands of one moment, and the last record of then.
    public func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64) {
        let result: Result<([OutboxRow], Head), ActionLogError>
        do {
            result = try environment.read { (transaction) throws(LMDBError) in
                let head: Head
                do throws(ActionLogError) { head = damage == nil ? try Self.head(transaction, tables) : self.head } catch {
                    return .failure(error)
                }
                return try openCommands(transaction, head).map { ($0, head) }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
        let (rows, head) = try result.get()
        // A log that is read up to its damage knows nothing of what came after.
        guard damage == nil else { return (rows.filter { $0.id.sequence <= head.sequence }, head.sequence) }
        position.withLock { $0.told = max($0.told, head.sequence) }
        return (rows, head.sequence)
    }

    private func openCommands(
        _ transaction: borrowing ReadTransaction, _ head: Head
    ) throws(LMDBError) -> Result<[OutboxRow], ActionLogError> {
        var rows: [OutboxRow] = []
        var failure: ActionLogError?
        let take: (RawSpan, RawSpan) -> Bool = { key, value in
            do throws(ActionLogError) {
                rows.append(try Self.outboxRow(key, value, heldThrough: head.heldThrough))
                return true
            } catch {
                failure = error
                return false
            }
        }
        try transaction.withCursor(tables.outbox) { (cursor) throws(LMDBError) in
            var goesOn = try cursor.first(take) ?? false
            while goesOn { goesOn = try cursor.next(take) ?? false }
        }
        if let failure, damage == nil { return .failure(failure) }
        return .success(rows)
    }

    private static func head(_ transaction: borrowing ReadTransaction, _ tables: Tables) throws(ActionLogError) -> Head {
        let key = RowKey.head
        let found: Result<Head, ActionLogError>?
        do {
            found = try transaction.get(key.span.bytes, in: tables.meta) { value in
                do throws(ActionLogError) {
                    return .success(try Row.open(value, key: key.span.bytes, as: Head.self, sequence: 0, of: "the head row"))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
        guard let found else { throw .damaged(sequence: 0, what: "the head row is missing") }
        return try found.get()
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
