public import ChronicleLog
internal import Glibc
internal import LMDB

extension LMDBActionLog {
    /// Copies the log into a new or empty directory while it is in use; returns the copy's head.
    ///
    /// Opening the copy for writing begins a new epoch with all commands held. Throws `notPermitted` if the directory is not
    /// empty, is a symbolic link or can't be written, and `storageFull`.
    public func backUp(to directory: String) throws(ActionLogError) -> Head {
        guard !Directory.isLink(directory) else { throw .notPermitted(what: "\(directory) is a symbolic link") }
        return try Self.copying(to: directory) { (file) throws(ActionLogError) in
            do throws(LMDBError) { try environment.copy(to: file.descriptor) } catch {
                throw ActionLogError(copying: error, to: directory, environment)
            }
        }
    }

    /// Copies a backup, or a log that no process has open, into a new or empty directory.
    ///
    /// The copy appears complete or not at all, even after a crash; it is not opened. Opening it for writing begins a new epoch
    /// with all commands held. Throws `noLog` if there is no backup.
    ///
    /// - Parameters:
    ///   - sharedLog: a complete copy of this shared log stays its copy; any other copy is detached before it becomes visible.
    ///   - cut: receives the unfinished copy, read-only and up to its first damage, and returns what to cut it down to; `nil`
    ///     keeps all of it. If it throws, nothing is left.
    public static func restore(
        from backup: String, to directory: String, asCopyOf sharedLog: String? = nil,
        cuttingTo cut: ((LMDBActionLog) throws(ActionLogError) -> DerivedRows)? = nil
    ) throws(ActionLogError) -> Head {
        let staysCopy: (ReplicaPlace) -> Bool = { cut == nil && $0.name == sharedLog }
        try requireLog(in: backup)
        guard let source = InputFile("\(backup)/data.mdb") else { throw Directory.error("reading \(backup)/data.mdb", errno) }
        return try copying(to: directory, cuttingTo: cut, where: staysCopy) { (file) throws(ActionLogError) in
            try requireSafePlace(directory)
            var copied = 0
            while true {
                let piece = source.next(1 << 20)
                if piece.isEmpty { break }
                try file.append(piece.span.bytes)
                copied += piece.count
            }
            // A read error looks like the end of the file.
            guard copied == source.byteCount else { throw Directory.error("reading \(backup)/data.mdb", errno) }
        }
    }

    // The copy is made in a private subdirectory and moved when complete. After a failure that subdirectory is removed last,
    // because it keeps other copies away.
    private static func copying(
        to directory: String, cuttingTo cut: ((LMDBActionLog) throws(ActionLogError) -> DerivedRows)? = nil,
        where staysCopy: (ReplicaPlace) -> Bool = { _ in true },
        _ copy: (inout OutputFile) throws(ActionLogError) -> Void
    ) throws(ActionLogError) -> Head {
        let (unfinished, made) = try beginCopy(in: directory)
        do throws(ActionLogError) {
            var file = try OutputFile(dataFile, in: unfinished)
            try copy(&file)
            try file.finish(.none)
            if let cut { try Self.cut(unfinished, to: try cut(try openReadOnly(directory: unfinished))) }
            let head = try markAsCopy(unfinished, where: staysCopy)
            try Directory.move("\(unfinished)/\(dataFile)", to: "\(directory)/\(dataFile)")
            // The log is complete without the head. A head without data would block the next attempt.
            try? Directory.move("\(unfinished)/\(headFile)", to: "\(directory)/\(headFile)")
            Directory.remove(unfinished)
            try Directory.synchronise(directory)
            return head
        } catch {
            for name in [headFile, dataFile] { unlink("\(directory)/\(name)") }
            Directory.remove(unfinished)
            for path in made.reversed() { rmdir(path) }
            throw error
        }
    }

    /// Creates the directory of an unfinished copy; also returns the created parents, the outermost first.
    ///
    /// Of concurrent attempts, in any process, one succeeds; the others find the directory not empty and must remove nothing in
    /// it.
    private static func beginCopy(in directory: String) throws(ActionLogError) -> (unfinished: String, made: [String]) {
        let made = try Directory.createEmpty(directory)
        let name = "copy\(OutputFile.temporarySuffix)"
        let unfinished = "\(directory)/\(name)"
        do throws(ActionLogError) {
            guard try Directory.make(unfinished) else { throw Directory.notEmpty(directory) }
            // Another copy may have been completed since the first check.
            guard try Directory.isEmpty(directory, but: name) else {
                rmdir(unfinished)
                throw Directory.notEmpty(directory)
            }
        } catch {
            for path in made.reversed() { rmdir(path) }
            throw error
        }
        return (unfinished, made)
    }

    // No file has the inode 0, so the copy counts as one wherever it is, even with the original's inode. The commit also flushes
    // the copied data.
    private static func markAsCopy(
        _ directory: String, where staysCopy: (ReplicaPlace) -> Bool
    ) throws(ActionLogError) -> Head {
        let environment = try openEnvironment(directory, LogConfiguration(), isReadOnly: false)
        guard let database = try Database(environment) else { throw Database.withoutTables }
        let opened = try database.opened()
        try opened.checkEnd()
        var identity = opened.identity
        identity.inode = 0
        do {
            try environment.write { [identity] (transaction) throws(LMDBError) in
                try transaction.put(identity, key: RowKey.identity, in: database.tables.meta)
                if let place = opened.place, !staysCopy(place) {
                    let key = RowKey.replica
                    _ = try transaction.delete(key.span.bytes, in: database.tables.meta)
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
        let anchor = Row.sealed(opened.head, key: RowKey.head)
        try OutputFile.write(anchor.span.bytes, name: headFile, directory: directory)
        return opened.head
    }
}

extension ActionLogError {
    /// The error of a complete or partial copy of an environment to a directory.
    init(copying error: LMDBError, to directory: String, _ environment: Environment) {
        self =
            switch error {
            case .mapFull: .storageFull(.map, message: FreeSpace.mapMessage(mapBytes: environment.usage.mapBytes))
            case .diskFull: .storageFull(.disk, message: "the disk is full: \(directory) can't be written")
            // LMDB takes a short write for an I/O error.
            case .io(EIO) where (FileSystem.freeBytes(directory) ?? .max) < Environment.pieceBytesMax * 2:
                .storageFull(.disk, message: "the disk is full: \(directory) can't be written")
            case .io(ECANCELED): .contradiction(what: "the compaction was cancelled")
            case .io(let code): Directory.error("writing \(directory)", code)
            default: ActionLogError(reading: error, sequence: 0)
            }
    }
}

extension LMDBActionLog {
    private static let pieceRows = 65_536

    /// Removes everything after a record from an unfinished copy, and replaces the rows by those of that time.
    ///
    /// Uses several transactions: a crash in between leaves an unfinished copy, which is not opened as a log.
    static func cut(_ directory: String, to rows: DerivedRows) throws(ActionLogError) {
        let environment = try openEnvironment(directory, LogConfiguration(), isReadOnly: false)
        guard let database = try Database(environment) else { throw Database.withoutTables }
        let opened = try database.opened()
        guard rows.sequence >= opened.base?.sequence ?? 0 else { throw .contradiction(what: "the log begins later") }
        do throws(LMDBError) {
            try removeRecords(after: rows.sequence, environment, database.tables)
            try removeKeys(after: rows, environment, database.tables)
            var head = opened.head
            (head.sequence, head.checksum, head.time) = (rows.sequence, rows.checksum, rows.time)
            let standing = rows.standing
            (head.lock, head.heldThrough, head.invariants) = (standing.lock, standing.heldThrough, standing.invariants)
            head.importedThrough = min(head.importedThrough, rows.sequence)
            let cut = head
            try environment.write { (transaction) throws(LMDBError) in
                try put(rows, database.tables, transaction)
                try transaction.put(cut, key: RowKey.head, in: database.tables.meta)
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
                guard let row = try? KeyRow(value.span.bytes, key: key.span.bytes) else { return true }
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
