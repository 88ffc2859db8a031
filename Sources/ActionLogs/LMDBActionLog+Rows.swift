internal import LMDB

extension LMDBActionLog {
    /// What a dispatch under a key of a uid did.
    public func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow? {
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

    /// The open commands.
    public func outbox() throws(ActionLogError) -> [OutboxRow] {
        let head = head
        var rows: [OutboxRow] = []
        var failure: ActionLogError?
        do {
            try environment.read { (transaction) throws(LMDBError) in
                try transaction.withCursor(tables.outbox) { (cursor) throws(LMDBError) in
                    let take: (RawSpan, RawSpan) -> Bool = { key, value in
                        do throws(ActionLogError) {
                            rows.append(try Self.outboxRow(key, value, heldThrough: head.heldThrough))
                            return true
                        } catch {
                            failure = error
                            return false
                        }
                    }
                    var goesOn = try cursor.first(take) ?? false
                    while goesOn { goesOn = try cursor.next(take) ?? false }
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
        if let failure {
            if damage == nil { throw failure }
        }
        return damage == nil ? rows : rows.filter { $0.id.sequence <= head.sequence }
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
