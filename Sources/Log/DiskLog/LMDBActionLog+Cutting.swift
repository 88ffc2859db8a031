internal import ChronicleLog
internal import LMDB

extension LMDBActionLog {
    private static let pieceRows = 65_536

    /// Removes everything after a record from an unfinished copy, and replaces the rows by those of that time.
    ///
    /// Uses several transactions: a crash in between leaves an unfinished copy, which is not opened as a log.
    static func cut(_ directory: String, to rows: DerivedRows) throws(ActionLogError) {
        let environment = try openEnvironment(directory, LogConfiguration(), isReadOnly: false)
        guard let opened = try existing(environment) else { throw .damaged(sequence: 0, what: "there are no tables") }
        guard rows.sequence >= opened.base?.sequence ?? 0 else { throw .contradiction(what: "the log begins later") }
        do throws(LMDBError) {
            try removeRecords(after: rows.sequence, environment, opened.tables)
            try removeKeys(after: rows, environment, opened.tables)
            var head = opened.head
            (head.sequence, head.checksum, head.time) = (rows.sequence, rows.checksum, rows.time)
            let standing = rows.standing
            (head.lock, head.heldThrough, head.invariants) = (standing.lock, standing.heldThrough, standing.invariants)
            head.importedThrough = min(head.importedThrough, rows.sequence)
            let cut = head
            try environment.write { (transaction) throws(LMDBError) in
                try put(rows, opened.tables, transaction)
                try transaction.put(cut, key: RowKey.head, in: opened.tables.meta)
            }
        } catch {
            throw ActionLogError(copying: error, to: directory, environment)
        }
    }

    private static func removeRecords(
        after last: UInt64, _ environment: Environment, _ tables: Tables
    ) throws(LMDBError) {
        while true {
            var piece: [UInt64] = []
            try environment.read { (transaction) throws(LMDBError) in
                _ = try transaction.scan(tables.records, from: last + 1) { sequence, _ in
                    piece.append(sequence)
                    return piece.count < pieceRows
                }
            }
            guard !piece.isEmpty else { return }
            let sequences = piece
            try environment.write { (transaction) throws(LMDBError) in
                for sequence in sequences.reversed() { try transaction.delete(sequence, in: tables.records) }
            }
        }
    }

    /// Removes damaged key rows and those of later dispatches, and shortens the row of the dispatch that the cut divides.
    private static func removeKeys(
        after rows: DerivedRows, _ environment: Environment, _ tables: Tables
    ) throws(LMDBError) {
        let last = (sequence: rows.sequence, time: rows.time)
        try environment.eachPiece(of: tables.keys) { (piece) throws(LMDBError) in
            let removed = piece.filter { key, value in
                guard
                    let row = try? Row.open(
                        value.span.bytes, key: key.span.bytes, as: KeyRow.self, sequence: 0, of: "the row of a key")
                else { return true }
                // A dispatch without records has the time of the last record before it.
                return row.first == 0 ? row.time > last.time : row.first > last.sequence
            }
            try environment.write { (transaction) throws(LMDBError) in
                for row in removed { try transaction.delete(row.key.span.bytes, in: tables.keys) }
            }
        }
        guard let divided = rows.divided else { return }
        var key: [UInt8] = []
        do { try RowKey.append(divided.place.key, of: divided.place.uid, to: &key) } catch { return }
        let place = key
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.put(divided.row, key: place, in: tables.keys)
        }
    }

    /// Replaces the bookmarks and the open commands.
    static func put(
        _ rows: DerivedRows, _ tables: Tables, _ transaction: borrowing WriteTransaction
    ) throws(LMDBError) {
        try removeAll(from: RowKey.bookmark, in: tables.meta, transaction) { RowKey.bookmarkName($0) != nil }
        for bookmark in rows.standing.bookmarks {
            var key: [UInt8] = []
            RowKey.append(bookmark: bookmark.name, to: &key)
            try transaction.put(bookmark, key: key, in: tables.meta)
        }
        try removeAll(from: [0], in: tables.outbox, transaction) { _ in true }
        for command in rows.outbox {
            var key: [UInt8] = []
            RowKey.append(command.id, to: &key)
            try transaction.put(command, key: key, in: tables.outbox)
        }
    }

    private static func removeAll(
        from first: [UInt8], in table: Table, _ transaction: borrowing WriteTransaction, while isOfThese: (RawSpan) -> Bool
    ) throws(LMDBError) {
        var keys: [[UInt8]] = []
        func take(_ key: RawSpan, _: RawSpan) -> Bool {
            guard isOfThese(key) else { return false }
            keys.append([UInt8](key))
            return true
        }
        try transaction.withCursor(table) { (cursor) throws(LMDBError) in
            var goesOn = try cursor.seek(first.span.bytes, take) ?? false
            while goesOn { goesOn = try cursor.next(take) ?? false }
        }
        for key in keys { try transaction.delete(key.span.bytes, in: table) }
    }
}
