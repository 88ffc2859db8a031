internal import ChronicleLog
internal import LMDB

extension LMDBActionLog {
    private static let pieceRows = 65_536

    /// Cuts a log that nobody has, and nobody can find, behind a record, and puts beside the rest what stood beside it then.
    ///
    /// In several transactions: what breaks off is neither the one log nor the other.
    static func cut(_ directory: String, to rows: DerivedRows) throws(ActionLogError) {
        let environment = try openEnvironment(directory, LogConfiguration(), isReadOnly: false)
        guard let opened = try existing(environment) else { throw .damaged(sequence: 0, what: "there are no tables") }
        guard rows.sequence >= opened.base?.sequence ?? 0 else { throw .contradiction(what: "the log begins later") }
        do throws(LMDBError) {
            try removeRecords(behind: rows.sequence, environment, opened.tables)
            try removeKeys(behind: rows, environment, opened.tables)
            var head = opened.head
            (head.sequence, head.checksum, head.time) = (rows.sequence, rows.checksum, rows.time)
            let standing = rows.standing
            (head.lock, head.heldThrough, head.invariants) = (standing.lock, standing.heldThrough, standing.invariants)
            head.importedThrough = min(head.importedThrough, rows.sequence)
            let cut = head
            try environment.write { (transaction) throws(LMDBError) in
                try put(rows, opened.tables, transaction)
                let key = RowKey.head
                let row = Row.sealed(cut, key: key)
                try transaction.put(key.span.bytes, row.span.bytes, in: opened.tables.meta)
            }
        } catch {
            throw ActionLogError(copying: error, to: directory, environment)
        }
    }

    private static func removeRecords(
        behind last: UInt64, _ environment: Environment, _ tables: Tables
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

    /// Removes what was done under keys later, and gives the dispatch that is cut in two what is left of it.
    private static func removeKeys(
        behind rows: DerivedRows, _ environment: Environment, _ tables: Tables
    ) throws(LMDBError) {
        let last = (sequence: rows.sequence, time: rows.time)
        try removeRows(of: tables.keys, environment) { key, value in
            guard let row = try? Row.open(value, key: key, as: KeyRow.self, sequence: 0, of: "the row of a key") else {
                return true
            }
            // What logged nothing has the time of the last record of then.
            return row.first == 0 ? row.time > last.time : row.first > last.sequence
        }
        guard let divided = rows.divided else { return }
        var key: [UInt8] = []
        do { try RowKey.append(divided.place.key, of: divided.place.uid, to: &key) } catch { return }
        let (place, row) = (key, Row.sealed(divided.row, key: key))
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.put(place.span.bytes, row.span.bytes, in: tables.keys)
        }
    }

    /// Removes the rows of a table that a closure picks, piece by piece.
    static func removeRows(
        of table: Table, _ environment: Environment, where isPicked: (RawSpan, RawSpan) -> Bool
    ) throws(LMDBError) {
        var start: [UInt8] = [0]
        while true {
            var (picked, last, count): ([[UInt8]], [UInt8]?, Int) = ([], nil, 0)
            func look(_ key: RawSpan, _ value: RawSpan) -> Bool {
                if isPicked(key, value) { picked.append([UInt8](key)) }
                count += 1
                if count == pieceRows { last = [UInt8](key) }
                return count < pieceRows
            }
            let from = start
            try environment.read { (transaction) throws(LMDBError) in
                try transaction.withCursor(table) { (cursor) throws(LMDBError) in
                    var goesOn = try cursor.seek(from.span.bytes, look) ?? false
                    while goesOn { goesOn = try cursor.next(look) ?? false }
                }
            }
            let keys = picked
            if !keys.isEmpty {
                try environment.write { (transaction) throws(LMDBError) in
                    for key in keys { try transaction.delete(key.span.bytes, in: table) }
                }
            }
            guard let last else { return }
            start = last + [0]
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
            let row = Row.sealed(bookmark, key: key)
            try transaction.put(key.span.bytes, row.span.bytes, in: tables.meta)
        }
        try removeAll(from: [0], in: tables.outbox, transaction) { _ in true }
        for command in rows.outbox {
            var key: [UInt8] = []
            RowKey.append(command.id, to: &key)
            let row = Row.sealed(command, key: key)
            try transaction.put(key.span.bytes, row.span.bytes, in: tables.outbox)
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
