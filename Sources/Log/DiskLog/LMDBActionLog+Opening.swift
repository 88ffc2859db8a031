public import ChronicleLog
internal import ChronicleValues
internal import CMachine
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
        try opened.checkEnd()
        try opened.checkAnchor(in: directory)
        let log = LMDBActionLog(opened, in: directory, lock: lock)
        try Directory.removeUnfinished(in: directory)
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
        if let database = try Database(environment) { return try database.opened() }
        let identity = LogIdentity(
            format: LogIdentity.format, storeID: Head.newStoreID(), machineID: configuration.machineID,
            inode: environment.inode, created: now)
        let head = Head(epoch: UInt64(max(now, 1)), storeID: identity.storeID)
        do {
            return try environment.write { (transaction) throws(LMDBError) in
                let tables = try Tables(transaction)
                try transaction.put(identity, key: RowKey.identity, in: tables.meta)
                try transaction.put(head, key: RowKey.head, in: tables.meta)
                return Opened(database: Database(environment: environment, tables: tables), identity: identity, head: head)
            }
        } catch {
            switch error {
            case .mapFull: throw .storageFull(.map, message: FreeSpace.mapMessage(mapBytes: environment.usage.mapBytes))
            case .diskFull: throw .storageFull(.disk, message: "the disk is full: the log can't be created")
            default: throw ActionLogError(reading: error, sequence: 0)
            }
        }
    }
}

extension LMDBActionLog {
    // The record, the hold and the new identity are one transaction, so a crash leaves the log either foreign or own.
    func beginEpoch(_ identity: LogIdentity, _ configuration: LogConfiguration, now: Int64) throws(ActionLogError) {
        let head = head
        // If all commands are held, including future ones, they stay held in the copy.
        let change = EpochChange(
            epoch: max(max(head.epoch, head.epoch &+ 1), UInt64(max(now, 1))), previous: head.epoch,
            heldThrough: max(head.heldThrough, head.sequence))
        let time = max(now, head.time.adding(clamping: 1))
        let header = RecordHeader(
            kind: .epoch, sequence: head.sequence + 1, time: time, rawTime: time == now ? nil : now, step: head.sequence + 1)
        var flush = Flush(after: head)
        flush.stage(header) { change.encode(into: &$0) }
        flush.headChange.heldThrough = change.heldThrough
        var identity = identity
        identity.machineID = configuration.machineID
        identity.inode = environment.inode
        try append(flush, identity: identity, epoch: change.epoch) { () throws(ActionLogError) in }
    }
}

public struct LogConfiguration: Sendable {
    /// Size of the map in bytes; `nil`: 64 GiB, or the log's previous size if that is larger.
    public var mapBytes: Int?
    public var readersMax: UInt32
    /// The machine's id; a log last opened on another machine begins a new epoch.
    public var machineID: String
    /// The clock, in microseconds since 1970.
    public var now: @Sendable () -> Int64

    public init(
        mapBytes: Int? = nil, readersMax: UInt32 = 256, machineID: String = SystemIdentity.machineID,
        now: @escaping @Sendable () -> Int64 = SystemIdentity.now
    ) {
        (self.mapBytes, self.readersMax, self.machineID, self.now) = (mapBytes, readersMax, machineID, now)
    }
}

/// The identity of the environment, stored in it; changes with a new epoch.
struct LogIdentity: Equatable {
    static let format: UInt32 = 1
    static let compactedFormat: UInt32 = 2

    var format: UInt32
    var storeID: String
    /// The machine that last opened it for writing; empty if unknown.
    var machineID: String
    /// The inode of the data file, by which copies are detected.
    var inode: UInt64
    var created: Int64

    /// Whether the file was copied, restored or moved from another machine.
    func isForeign(machineID: String, inode: UInt64) -> Bool {
        if self.inode != inode { return true }
        return !self.machineID.isEmpty && !machineID.isEmpty && self.machineID != machineID
    }
}

extension LogIdentity: RowCoding {
    init() { self.init(format: 0, storeID: "", machineID: "", inode: 0, created: 0) }

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &format)
        try fields.field(2, &storeID)
        try fields.field(3, &machineID)
        try fields.field(4, &inode)
        try fields.field(5, &created)
    }
}

public enum SystemIdentity {
    /// The machine's id, 32 hex digits; empty if missing.
    public static let machineID = SmallFile.line("/etc/machine-id") ?? ""

    /// The time of day, in microseconds since 1970.
    @Sendable public static func now() -> Int64 { wall_microseconds() }
}
