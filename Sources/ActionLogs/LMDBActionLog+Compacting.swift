internal import Glibc
internal import LMDB
internal import Synchronization

extension LMDBActionLog {
    /// Puts a base in the place of all records up to its own, and of the keys that are not kept.
    ///
    /// What stays is copied to a new environment, which then takes the place of this one. Comes from the thread of the appends.
    /// Whoever reads at that moment finishes with what was there. Throws `contradiction` when the base is not a record of
    /// this log, `storageFull`, and `unknownOutcome` when it can't be known which of the two is on disk.
    public func compact(
        to base: Base, state: [UInt8], keeping isKept: (KeyRow) -> Bool
    ) throws(ActionLogError) {
        guard lock != nil else { throw .notPermitted(what: "the log is open for reading alone") }
        let (head, failure) = position.withLock { ($0.head, $0.failure) }
        if let failure { throw failure }
        guard base.sequence >= first, base.sequence <= head.sequence, try checksum(of: base.sequence) == base.checksum else {
            throw .contradiction(what: "\(base.sequence) can't be where the log begins")
        }
        let path = "\(directory)/\(Self.compactedDirectory)"
        Directory.remove(path)
        try Directory.create(path)
        let new: Environment
        do throws(ActionLogError) {
            new = try copied(to: path, BaseRow(base: base, state: state), keeping: isKept)
        } catch {
            Directory.remove(path)
            throw error
        }
        guard rename("\(path)/data.mdb", "\(directory)/data.mdb") == 0 else {
            let code = errno
            Directory.remove(path)
            throw Directory.error("writing \(directory)/data.mdb", code)
        }
        current.withLock { $0 = new }
        position.withLock { position in
            position.base = base
            position.newestKeys = NewestKeys()
        }
        do throws(ActionLogError) {
            // Who looks at the log from another process must find the readers of this one.
            guard rename("\(path)/lock.mdb", "\(directory)/lock.mdb") == 0 else {
                throw Directory.error("writing \(directory)/lock.mdb", errno)
            }
            rmdir(path)
            try Directory.synchronise(directory)
            try anchor()
        } catch {
            let failure = ActionLogError.unknownOutcome(what: error.description)
            position.withLock { $0.failure = failure }
            throw failure
        }
    }

    private static let compactedDirectory = "compacted.new"
    private static let pieceBytesMax = 16 << 20

    private func copied(
        to path: String, _ base: BaseRow, keeping isKept: (KeyRow) -> Bool
    ) throws(ActionLogError) -> Environment {
        let old = environment
        do throws(LMDBError) {
            let new = try Environment(directory: path, options: EnvironmentOptions(mapBytes: old.usage.mapBytes))
            let made = try new.write { (transaction) throws(LMDBError) in try Self.tables(transaction) }
            // Every method uses the handles that were opened first.
            precondition(made == tables, "the tables of two environments are opened in the same order")
            try copyRecords(after: base.base.sequence, from: old, to: new)
            try copyRows(of: tables.keys, from: old, to: new) { key, value in
                guard
                    let row = try? Row.open(
                        value.span.bytes, key: key.span.bytes, as: KeyRow.self, sequence: 0, of: "the row of a key")
                else { return true }
                return row.last > base.base.sequence || isKept(row)
            }
            try copyRows(of: tables.outbox, from: old, to: new) { _, _ in true }
            try copyRows(of: tables.meta, from: old, to: new) { key, _ in key != RowKey.identity }
            try seal(base, in: new)
            return new
        } catch {
            switch error {
            case .mapFull: throw .storageFull(.map, message: Headroom.mapMessage(mapBytes: old.usage.mapBytes))
            case .diskFull: throw .storageFull(.disk, message: "the disk is full: the log can't be compacted")
            case .io(let code): throw Directory.error("writing \(path)", code)
            default: throw ActionLogError(reading: error, sequence: 0)
            }
        }
    }

    private func seal(_ base: BaseRow, in new: Environment) throws(LMDBError) {
        guard var identity = try? Self.meta(environment, tables, RowKey.identity, as: LogIdentity.self, of: "the header row")
        else { throw .corruption(0) }
        identity.format = LogIdentity.compactedFormat
        identity.inode = new.inode
        let rows = [
            (RowKey.identity, Row.sealed(identity, key: RowKey.identity)), (RowKey.base, Row.sealed(base, key: RowKey.base)),
        ]
        try new.write { (transaction) throws(LMDBError) in
            for (key, value) in rows { try transaction.put(key.span.bytes, value.span.bytes, in: tables.meta) }
        }
    }

    private func copyRecords(after base: UInt64, from old: Environment, to new: Environment) throws(LMDBError) {
        var next = base + 1
        while true {
            var piece: [(UInt64, [UInt8])] = []
            var bytes = 0
            try old.read { (transaction) throws(LMDBError) in
                _ = try transaction.scan(tables.records, from: next) { sequence, value in
                    piece.append((sequence, [UInt8](value)))
                    bytes += value.byteCount
                    return bytes < Self.pieceBytesMax
                }
            }
            guard let last = piece.last else { return }
            let records = piece
            try new.write { (transaction) throws(LMDBError) in
                for (sequence, value) in records { try transaction.append(sequence, value.span.bytes, in: tables.records) }
            }
            next = last.0 + 1
        }
    }

    private func copyRows(
        of table: Table, from old: Environment, to new: Environment, where isKept: ([UInt8], [UInt8]) -> Bool
    ) throws(LMDBError) {
        var start: [UInt8] = [0]
        while true {
            var piece: [([UInt8], [UInt8])] = []
            var bytes = 0
            let take: (RawSpan, RawSpan) -> Bool = { key, value in
                piece.append(([UInt8](key), [UInt8](value)))
                bytes += key.byteCount + value.byteCount
                return bytes < Self.pieceBytesMax
            }
            let from = start
            try old.read { (transaction) throws(LMDBError) in
                try transaction.withCursor(table) { (cursor) throws(LMDBError) in
                    var goesOn = try cursor.seek(from.span.bytes, take) ?? false
                    while goesOn { goesOn = try cursor.next(take) ?? false }
                }
            }
            guard let last = piece.last else { return }
            let rows = piece.filter(isKept)
            try new.write { (transaction) throws(LMDBError) in
                for (key, value) in rows { try transaction.put(key.span.bytes, value.span.bytes, in: table) }
            }
            start = last.0 + [0]
        }
    }
}
