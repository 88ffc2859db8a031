public import ChronicleLog
internal import ChronicleValues
internal import Glibc
internal import LMDB

extension LMDBActionLog {
    /// Opens the log of a directory; creates both if necessary.
    ///
    /// Takes the lock, refuses network file systems and files that others may write to, and checks the ends of the log; damage in
    /// the middle is found on reading. A copied or restored log begins a new epoch with its open commands held. A copy of a
    /// shared log instead continues at its position, without the copy id of its original.
    public static func open(
        directory: String, configuration: LogConfiguration = LogConfiguration()
    ) throws(ActionLogError) -> LMDBActionLog {
        try Directory.create(directory)
        try requireSafePlace(directory)
        let lock = try DirectoryLock(directory: directory)
        let exchange = LogExchange(in: directory)
        try exchange.finish()
        exchange.abandon()
        let now = configuration.now()
        if isUnused(directory) { try create(in: directory, configuration, now: now) }
        let environment = try openEnvironment(directory, configuration, isReadOnly: false)
        let opened = try prepare(environment, configuration, now: now)
        try checkEnd(environment, opened.tables, opened.head, opened.base)
        try checkAnchor(directory, environment, opened.tables, opened.head, opened.base)
        let log = LMDBActionLog(
            environment: environment, tables: opened.tables, directory: directory, lock: lock,
            head: opened.head, base: opened.base, redactions: opened.redactions, place: opened.place)
        try Directory.removeUnfinished(in: directory)
        Directory.removeOldCaches(in: directory + "/travel")
        if opened.identity.isForeign(machineID: configuration.machineID, inode: environment.inode) {
            if let place = opened.place {
                try log.settle(place, opened.identity, configuration)
            } else {
                try log.beginEpoch(opened.identity, configuration, now: now)
            }
        }
        return log
    }

    /// Whether a directory has no log, or only zeros in its file, as after a power failure during creation.
    static func isUnused(_ directory: String) -> Bool {
        guard let bytes = SmallFile.bytes("\(directory)/\(dataFile)") else { return errno == ENOENT || errno == ENOTDIR }
        return bytes.count < SmallFile.bytesMax && bytes.allSatisfy { $0 == 0 }
    }

    /// Creates an empty log; its file gets its name once the content is durable.
    private static func create(in directory: String, _ configuration: LogConfiguration, now: Int64) throws(ActionLogError) {
        let unfinished = "\(directory)/created\(OutputFile.temporarySuffix)"
        Directory.remove(unfinished)
        defer { Directory.remove(unfinished) }
        _ = try Directory.make(unfinished)
        _ = try prepare(try openEnvironment(unfinished, configuration, isReadOnly: false), configuration, now: now)
        try Directory.move("\(unfinished)/\(dataFile)", to: "\(directory)/\(dataFile)")
        try Directory.synchronise(directory)
    }

    static func requireSafePlace(_ directory: String) throws(ActionLogError) {
        let name: String?
        do { name = try FileSystem.networkName(directory) } catch { throw ActionLogError(reading: error, sequence: 0) }
        if let name { throw .networkFileSystem(name: name) }
        try Directory.requireOwn(directory, dataFile)
    }

    struct Opened {
        var tables: Tables
        var identity: LogIdentity
        var head: Head
        var base: Base?
        var redactions = Redactions()
        var place: ReplicaPlace?
    }

    static func openEnvironment(
        _ directory: String, _ configuration: LogConfiguration, isReadOnly: Bool
    ) throws(ActionLogError) -> Environment {
        // LMDB writes to this file on opening and would follow a link.
        let readers = "\(directory)/\(readersFile)"
        guard !Directory.isLink(readers) else { throw Directory.linkToRemove(readers) }
        let options = EnvironmentOptions(
            mapBytes: configuration.mapBytes, readersMax: configuration.readersMax, isReadOnly: isReadOnly)
        do {
            return try Environment(directory: directory, options: options)
        } catch {
            switch error {
            case .io(EWOULDBLOCK): throw .locked(pid: 0)
            case .io(let code): throw Directory.error("opening the log in \(directory)", code)
            case .diskFull: throw .storageFull(.disk, message: "the disk is full: the log in \(directory) can't be opened")
            default: throw ActionLogError(reading: error, sequence: 0)
            }
        }
    }

    // Opens the tables, or creates them with identity and first head in one transaction.
    private static func prepare(
        _ environment: Environment, _ configuration: LogConfiguration, now: Int64
    ) throws(ActionLogError) -> Opened {
        if let opened = try existing(environment) { return opened }
        let identity = LogIdentity(
            format: LogIdentity.format, storeID: Head.newStoreID(), machineID: configuration.machineID,
            inode: environment.inode, created: now)
        let head = Head(epoch: UInt64(max(now, 1)), storeID: identity.storeID)
        do {
            return try environment.write { (transaction) throws(LMDBError) in
                let tables = try Self.tables(transaction)
                let (identityKey, headKey) = (RowKey.identity, RowKey.head)
                let identityRow = Row.sealed(identity, key: identityKey)
                let headRow = Row.sealed(head, key: headKey)
                try transaction.insert(identityKey.span.bytes, identityRow.span.bytes, in: tables.meta)
                try transaction.insert(headKey.span.bytes, headRow.span.bytes, in: tables.meta)
                return Opened(tables: tables, identity: identity, head: head)
            }
        } catch {
            switch error {
            case .mapFull: throw .storageFull(.map, message: FreeSpace.mapMessage(mapBytes: environment.usage.mapBytes))
            case .diskFull: throw .storageFull(.disk, message: "the disk is full: the log can't be created")
            default: throw ActionLogError(reading: error, sequence: 0)
            }
        }
    }

    static func tables(_ transaction: borrowing WriteTransaction) throws(LMDBError) -> Tables {
        Tables(
            records: try transaction.table("records", keys: .integers), keys: try transaction.table("keys", keys: .bytes),
            outbox: try transaction.table("outbox", keys: .bytes), meta: try transaction.table("meta", keys: .bytes))
    }

    static func existing(_ environment: Environment) throws(ActionLogError) -> Opened? {
        guard let tables = try tables(environment) else { return nil }
        let identity = try meta(environment, tables, RowKey.identity, as: LogIdentity.self, of: "the header row")
        guard (LogIdentity.format...LogIdentity.compactedFormat).contains(identity.format) else {
            throw .newerFormat(sequence: 0, what: "the log's format is \(identity.format)")
        }
        let head = try meta(environment, tables, RowKey.head, as: Head.self, of: "the head row")
        guard head.storeID == identity.storeID else { throw .damaged(sequence: 0, what: "the head row belongs to another log") }
        var opened = Opened(tables: tables, identity: identity, head: head)
        let redactions = try found(environment, tables, RowKey.redactions, as: Redactions.self, of: "the list of redactions")
        if let redactions { opened.redactions = redactions }
        opened.place = try found(environment, tables, RowKey.replica, as: ReplicaPlace.self, of: "the place of the copy")
        if identity.format == LogIdentity.compactedFormat {
            opened.base = try meta(environment, tables, RowKey.base, as: BaseRow.self, of: "the base").base
        }
        return opened
    }

    // All tables were created in one transaction, so a single missing one is damage.
    static func tables(_ environment: Environment) throws(ActionLogError) -> Tables? {
        let found: [Table?]
        do {
            found = try environment.read { (transaction) throws(LMDBError) in
                [
                    try transaction.table("records", keys: .integers), try transaction.table("keys", keys: .bytes),
                    try transaction.table("outbox", keys: .bytes), try transaction.table("meta", keys: .bytes),
                ]
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
        let tables = found.compactMap { $0 }
        if tables.isEmpty { return nil }
        guard tables.count == found.count else { throw .damaged(sequence: 0, what: "a table is missing") }
        return Tables(records: tables[0], keys: tables[1], outbox: tables[2], meta: tables[3])
    }

    static func meta<Value: CanonicalCodable>(
        _ environment: Environment, _ tables: Tables, _ key: [UInt8], as type: Value.Type, of row: String
    ) throws(ActionLogError) -> Value {
        guard let value = try found(environment, tables, key, as: type, of: row) else {
            throw .damaged(sequence: 0, what: "\(row) is missing")
        }
        return value
    }

    private static func found<Value: CanonicalCodable>(
        _ environment: Environment, _ tables: Tables, _ key: [UInt8], as type: Value.Type, of row: String
    ) throws(ActionLogError) -> Value? {
        try environment.read { (transaction) throws(ActionLogError) in
            try transaction.row(key.span.bytes, in: tables.meta, as: type, of: row)
        }
    }
}
