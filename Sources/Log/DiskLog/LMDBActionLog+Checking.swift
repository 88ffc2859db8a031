public import ChronicleLog
internal import Glibc
internal import LMDB

extension LMDBActionLog {
    /// Reads the header row, the head row, the last record and the file `head` again.
    public func checkEnds() throws(ActionLogError) {
        let (opened, damage) = try Self.lookAtEnds(of: environment, tables, in: directory)
        if let damage { throw damage }
        guard opened != nil else { throw .damaged(sequence: 0, what: "there are no tables") }
    }

    /// Compares the head row with the last record and with the file `head`.
    static func checkEnds(
        _ environment: Environment, _ tables: Tables, _ opened: Opened, in directory: String
    ) throws(ActionLogError) {
        try checkEnd(environment, tables, opened.head, opened.base)
        do throws(ActionLogError) {
            try checkAnchor(directory, environment, tables, opened.head, opened.base)
        } catch {
            // The file may belong to the environment that has replaced this one.
            if LogExchange(in: directory).files.data == environment.inode { throw error }
        }
    }

    // The head row and the last record are written together; if they differ, one is damaged.
    static func checkEnd(
        _ environment: Environment, _ tables: Tables, _ head: Head, _ base: Base?
    ) throws(ActionLogError) {
        let last: UInt64?
        do {
            last = try environment.read { (transaction) throws(LMDBError) in
                try transaction.withCursor(tables.records) { (cursor) throws(LMDBError) in
                    try cursor.last { key, _ in
                        key.byteCount == 8 ? key.unsafeLoadUnaligned(as: UInt64.self) : 0
                    }
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: head.sequence)
        }
        let end = last ?? base?.sequence ?? 0
        guard end == head.sequence else {
            throw .damaged(
                sequence: min(end, head.sequence) + 1, what: "the log ends at \(end), its head says \(head.sequence)")
        }
        guard head.sequence > 0 else { return }
        if let base, head.sequence == base.sequence {
            guard head.checksum == base.checksum, head.time == base.time else {
                throw .damaged(sequence: head.sequence, what: "the head row names another record than the base")
            }
            return
        }
        let check = try checked(head.sequence, environment, tables)
        guard check.checksum == head.checksum, check.fields.time == head.time else {
            throw .damaged(sequence: head.sequence, what: "the head row names another record")
        }
    }

    // The file `head` was true when written: the log may be longer now, but not shorter or different.
    static func checkAnchor(
        _ directory: String, _ environment: Environment, _ tables: Tables, _ head: Head, _ base: Base?
    ) throws(ActionLogError) {
        let path = "\(directory)/\(headFile)"
        guard let bytes = SmallFile.bytes(path) else {
            guard errno == ENOENT else { throw Directory.error("reading \(path)", errno) }
            return
        }
        let key = RowKey.head
        let anchor = try Row.open(
            bytes.span.bytes, key: key.span.bytes, as: Head.self, sequence: 0,
            of: "the file \(path), which can be removed if the log is known to be whole")
        guard anchor.storeID == head.storeID else {
            throw .damaged(sequence: 0, what: "the file \(path) is of another log")
        }
        guard anchor.sequence <= head.sequence else {
            throw .damaged(
                sequence: head.sequence + 1, what: "the log ends at \(head.sequence), it had reached \(anchor.sequence)")
        }
        guard anchor.sequence > base?.sequence ?? 0 else { return }
        guard try checked(anchor.sequence, environment, tables).checksum == anchor.checksum else {
            throw .damaged(sequence: anchor.sequence, what: "the record is not the one that the file \(path) names")
        }
    }

    static func checked(
        _ sequence: UInt64, _ environment: Environment, _ tables: Tables
    ) throws(ActionLogError) -> (checksum: UInt64, fields: HeaderFields) {
        do throws(ActionLogError) {
            return try environment.read { (transaction) throws(ActionLogError) in try check(sequence, transaction, tables) }
        } catch {
            throw error.about(sequence)
        }
    }

    static func check(
        _ sequence: UInt64, _ transaction: borrowing ReadTransaction, _ tables: Tables
    ) throws(ActionLogError) -> (checksum: UInt64, fields: HeaderFields) {
        let found: (UInt64, HeaderFields)?
        do throws(ActionLogError) {
            found = try transaction.get(sequence, in: tables.records) { (value) throws(ActionLogError) in
                let check = try RecordCheck(value, sequence: sequence)
                return (check.checksum, try check.fields(value, sequence: sequence))
            }
        } catch {
            throw error.about(sequence)
        }
        guard let found else { throw .damaged(sequence: sequence, what: "the record is missing") }
        return found
    }
}
