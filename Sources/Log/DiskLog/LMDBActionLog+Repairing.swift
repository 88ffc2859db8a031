public import ChronicleLog
internal import Glibc
internal import LMDB
internal import Synchronization

extension LMDBActionLog {
    /// Opens a log exclusively, to rebuild its rows from its records; begins no epoch.
    ///
    /// A damaged head row is rebuilt from the records, and an unreadable file `head` is ignored. Throws the errors of `open`, and `noLog`.
    ///
    /// - Returns: the log, and whether its head row was damaged.
    public static func openForRepair(
        directory: String, configuration: LogConfiguration = LogConfiguration()
    ) throws(ActionLogError) -> (log: LMDBActionLog, isHeadLost: Bool) {
        try requireLog(in: directory)
        try requireSafePlace(directory)
        let lock = try DirectoryLock(directory: directory)
        try LogExchange(in: directory).finish()
        let environment = try openEnvironment(directory, configuration, isReadOnly: false)
        guard let database = try Database(environment) else { throw Database.withoutTables }
        var isHeadLost = false
        var opened: Opened
        do throws(ActionLogError) {
            opened = try database.opened()
            try opened.checkEnd()
        } catch {
            guard case .damaged = error, (try? database.head()) == nil else { throw error }
            isHeadLost = true
            let identity = try database.identity()
            let base = try database.base(of: identity)
            opened = Opened(
                database: database, identity: identity, head: try end(of: database, identity, base), base: base,
                redactions: try database.redactions())
        }
        if let anchor = anchor(of: directory) {
            try opened.checkAnchor(in: directory)
            // Records don't show which of them were imported; the locks of imported records are not active here.
            if isHeadLost { opened.head.importedThrough = anchor.importedThrough }
        }
        return (LMDBActionLog(opened, in: directory, lock: lock), isHeadLost)
    }

    /// A head made from the last record or the base; its epoch is a guess, and all commands are held.
    private static func end(
        of database: Database, _ identity: LogIdentity, _ base: Base?
    ) throws(ActionLogError) -> Head {
        var head = Head(epoch: 0, storeID: identity.storeID)
        if let base { (head.sequence, head.checksum, head.time) = (base.sequence, base.checksum, base.time) }
        if let last = try database.lastSequence(about: 0) {
            let check = try database.checked(last)
            (head.sequence, head.checksum, head.time) = (last, check.checksum, check.fields.time)
        }
        // The first epoch. Later ones are in records or in the base, except in a base of an older version.
        head.epoch = UInt64(max(1, base == nil ? identity.created : SystemIdentity.now()))
        head.heldThrough = head.sequence
        return head
    }

    /// The content of the file `head`; `nil` if it is missing or damaged.
    private static func anchor(of directory: String) -> Head? {
        guard let bytes = SmallFile.bytes("\(directory)/\(headFile)") else { return nil }
        let key = RowKey.head
        return try? Row.open(bytes.span.bytes, key: key.span.bytes, as: Head.self, sequence: 0, of: "the file")
    }
}

extension LMDBActionLog: RepairableLog {
    public func legibleRows() throws(ActionLogError) -> (outbox: [OutboxRow], bookmarks: [BookmarkRow], illegible: Int) {
        var (outbox, bookmarks, illegible): ([OutboxRow], [BookmarkRow], Int) = ([], [], 0)
        try environment.read { (transaction) throws(ActionLogError) in
            try transaction.eachRow(of: tables.outbox, from: []) { (key, value) throws(ActionLogError) in
                if let row = try? OutboxRow(value, key: key, heldThrough: 0) { outbox.append(row) } else { illegible += 1 }
                return true
            }
            try transaction.eachRow(of: tables.meta, from: RowKey.bookmark) { (key, value) throws(ActionLogError) in
                guard RowKey.bookmarkName(key) != nil else { return false }
                if let row = try? BookmarkRow(value, key: key) { bookmarks.append(row) } else { illegible += 1 }
                return true
            }
        }
        return (outbox, bookmarks, illegible)
    }

    public func put(_ rows: DerivedRows, head: Head) throws(ActionLogError) {
        try writing { (transaction) throws(LMDBError) in
            try Self.put(rows, tables, transaction)
            try transaction.put(head, key: RowKey.head, in: tables.meta)
        }
        position.withLock { $0.head = head }
        try writeAnchor()
    }

    public func removeKeys(where isWrong: (KeyPlace, KeyRow) throws(ActionLogError) -> Bool) throws(ActionLogError) -> Int {
        var removed = 0
        try environment.eachPiece(of: tables.keys) { (piece) throws(ActionLogError) in
            var wrong: [[UInt8]] = []
            for (key, value) in piece {
                if let place = RowKey.keyPlace(key.span.bytes),
                    let row = try? KeyRow(value.span.bytes, key: key.span.bytes), !(try isWrong(place, row))
                {
                    continue
                }
                wrong.append(key)
            }
            removed += wrong.count
            let keys = wrong
            guard !keys.isEmpty else { return }
            try writing { (transaction) throws(LMDBError) in
                for key in keys { try transaction.delete(key.span.bytes, in: tables.keys) }
            }
        }
        return removed
    }

    public func put(_ keys: [DerivedRows.KeyRun]) throws(ActionLogError) {
        var rows: [(key: [UInt8], row: KeyRow)] = []
        for run in keys {
            var key: [UInt8] = []
            try RowKey.append(run.place.key, of: run.place.uid, to: &key)
            rows.append((key, run.row))
        }
        let made = rows
        try writing { (transaction) throws(LMDBError) in
            for (key, row) in made { try transaction.put(row, key: key, in: tables.keys) }
        }
    }

    private func writing(_ body: (borrowing WriteTransaction) throws(LMDBError) -> Void) throws(ActionLogError) {
        try checkWritable()
        try write(byteCount: 1 << 20) { (transaction) throws(LMDBError) in try body(transaction) }
        position.withLock { $0.newestKeys.forget() }
    }
}
