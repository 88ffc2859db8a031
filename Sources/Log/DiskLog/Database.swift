internal import ChronicleLog
internal import ChronicleValues
internal import Glibc
internal import LMDB

/// The tables of a log.
struct Tables: Equatable {
    var records: Table
    var keys: Table
    var outbox: Table
    var meta: Table

    init(_ transaction: borrowing WriteTransaction) throws(LMDBError) {
        records = try transaction.table("records", keys: .integers)
        keys = try transaction.table("keys", keys: .bytes)
        outbox = try transaction.table("outbox", keys: .bytes)
        meta = try transaction.table("meta", keys: .bytes)
    }

    /// `nil` without tables; all were created in one transaction, so a single missing one is damage.
    init?(_ transaction: borrowing ReadTransaction) throws(ActionLogError) {
        let found: [Table?]
        do throws(LMDBError) {
            found = [
                try transaction.table("records", keys: .integers), try transaction.table("keys", keys: .bytes),
                try transaction.table("outbox", keys: .bytes), try transaction.table("meta", keys: .bytes),
            ]
        } catch {
            throw ActionLogError(error)
        }
        let tables = found.compactMap(\.self)
        if tables.isEmpty { return nil }
        guard tables.count == found.count else { throw .damaged(sequence: 0, what: "a table is missing") }
        (records, keys, outbox, meta) = (tables[0], tables[1], tables[2], tables[3])
    }

    func head(_ transaction: borrowing ReadTransaction) throws(ActionLogError) -> Head {
        let head = try transaction.row(RowKey.head, in: meta, as: Head.self, of: "the head row")
        guard let head else { throw .damaged(sequence: 0, what: "the head row is missing") }
        return head
    }

    func check(
        _ sequence: UInt64, _ transaction: borrowing ReadTransaction
    ) throws(ActionLogError) -> (checksum: UInt64, fields: HeaderFields) {
        let found: (UInt64, HeaderFields)?
        do throws(ActionLogError) {
            found = try transaction.get(sequence, in: records) { (value) throws(ActionLogError) in
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

/// An environment with the tables of a log.
struct Database {
    let environment: Environment
    let tables: Tables

    static let withoutTables = ActionLogError.damaged(sequence: 0, what: "there are no tables")

    init(environment: Environment, tables: Tables) { (self.environment, self.tables) = (environment, tables) }

    /// `nil` if the environment has no tables.
    init?(_ environment: Environment) throws(ActionLogError) {
        let tables = try environment.read { (transaction) throws(ActionLogError) in try Tables(transaction) }
        guard let tables else { return nil }
        self.init(environment: environment, tables: tables)
    }

    func opened() throws(ActionLogError) -> Opened {
        let identity = try identity()
        guard (LogIdentity.format...LogIdentity.compactedFormat).contains(identity.format) else {
            throw .newerFormat(sequence: 0, what: "the log's format is \(identity.format)")
        }
        let head = try head()
        guard head.storeID == identity.storeID else { throw .damaged(sequence: 0, what: "the head row belongs to another log") }
        return Opened(
            database: self, identity: identity, head: head, base: try base(of: identity), redactions: try redactions(),
            place: try row(RowKey.replica, as: ReplicaPlace.self, of: "the place of the copy"))
    }

    func identity() throws(ActionLogError) -> LogIdentity {
        try required(RowKey.identity, as: LogIdentity.self, of: "the header row")
    }

    func head() throws(ActionLogError) -> Head { try required(RowKey.head, as: Head.self, of: "the head row") }

    func base() throws(ActionLogError) -> BaseRow { try required(RowKey.base, as: BaseRow.self, of: "the base") }

    func base(of identity: LogIdentity) throws(ActionLogError) -> Base? {
        identity.format == LogIdentity.compactedFormat ? try base().base : nil
    }

    func redactions() throws(ActionLogError) -> Redactions {
        try row(RowKey.redactions, as: Redactions.self, of: "the list of redactions") ?? Redactions()
    }

    private func required<Value: CanonicalCodable>(
        _ key: [UInt8], as type: Value.Type, of name: String
    ) throws(ActionLogError) -> Value {
        guard let value = try row(key, as: type, of: name) else { throw .damaged(sequence: 0, what: "\(name) is missing") }
        return value
    }

    private func row<Value: CanonicalCodable>(
        _ key: [UInt8], as type: Value.Type, of name: String
    ) throws(ActionLogError) -> Value? {
        try environment.read { (transaction) throws(ActionLogError) in
            try transaction.row(key, in: tables.meta, as: type, of: name)
        }
    }

    func checked(_ sequence: UInt64) throws(ActionLogError) -> (checksum: UInt64, fields: HeaderFields) {
        do throws(ActionLogError) {
            return try environment.read { (transaction) throws(ActionLogError) in try tables.check(sequence, transaction) }
        } catch {
            throw error.about(sequence)
        }
    }

    func lastSequence(about sequence: UInt64) throws(ActionLogError) -> UInt64? {
        do throws(LMDBError) {
            return try environment.read { (transaction) throws(LMDBError) in
                try transaction.withCursor(tables.records) { (cursor) throws(LMDBError) in
                    try cursor.last { key, _ in key.byteCount == 8 ? key.unsafeLoadUnaligned(as: UInt64.self) : 0 }
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: sequence)
        }
    }
}

/// The rows of a log that are read when it is opened.
struct Opened {
    let database: Database
    var identity: LogIdentity
    var head: Head
    var base: Base?
    var redactions = Redactions()
    var place: ReplicaPlace?

    /// Compares the head row with the last record and with the file `head`.
    func checkEnds(in directory: String) throws(ActionLogError) {
        try checkEnd()
        do throws(ActionLogError) { try checkAnchor(in: directory) } catch {
            // The file may belong to the environment that has replaced this one.
            if LogExchange(in: directory).files.data == database.environment.inode { throw error }
        }
    }

    // The head row and the last record are written together; if they differ, one is damaged.
    func checkEnd() throws(ActionLogError) {
        let end = try database.lastSequence(about: head.sequence) ?? base?.sequence ?? 0
        guard end == head.sequence else {
            throw .damaged(
                sequence: min(end, head.sequence) + 1, what: "the log ends at \(end), but its head says \(head.sequence)")
        }
        guard head.sequence > 0 else { return }
        if let base, head.sequence == base.sequence {
            guard head.checksum == base.checksum, head.time == base.time else {
                throw .damaged(sequence: head.sequence, what: "the head row names a different record than the base")
            }
            return
        }
        let check = try database.checked(head.sequence)
        guard check.checksum == head.checksum, check.fields.time == head.time else {
            throw .damaged(sequence: head.sequence, what: "the head row names a different record")
        }
    }

    // The file `head` was true when written: the log may be longer now, but not shorter or different.
    func checkAnchor(in directory: String) throws(ActionLogError) {
        let path = "\(directory)/\(LMDBActionLog.headFile)"
        guard let bytes = SmallFile.bytes(path) else {
            guard errno == ENOENT else { throw Directory.error("reading \(path)", errno) }
            return
        }
        let key = RowKey.head
        let anchor = try Row.open(
            bytes.span.bytes, key: key.span.bytes, as: Head.self, sequence: 0,
            of: "the file \(path), which can be removed if the log is known to be complete")
        guard anchor.storeID == head.storeID else {
            throw .damaged(sequence: 0, what: "the file \(path) belongs to another log")
        }
        guard anchor.sequence <= head.sequence else {
            throw .damaged(
                sequence: head.sequence + 1, what: "the log ends at \(head.sequence), but it had reached \(anchor.sequence)")
        }
        guard anchor.sequence > base?.sequence ?? 0 else { return }
        guard try database.checked(anchor.sequence).checksum == anchor.checksum else {
            throw .damaged(sequence: anchor.sequence, what: "the record differs from the one that the file \(path) names")
        }
    }
}
