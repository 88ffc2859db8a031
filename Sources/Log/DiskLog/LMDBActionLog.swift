public import ChronicleLog
internal import LMDB
internal import Synchronization

/// The action log of a daemon: one LMDB environment under a lock of its own.
///
/// Records, the rows of keys, the open commands and the head are tables of one environment, so that a flush is one
/// transaction. The form of the files is specified in FORMAT.md.
public final class LMDBActionLog: ReplicableLog {
    struct Tables: Equatable {
        var records: Table
        var keys: Table
        var outbox: Table
        var meta: Table
    }

    struct Position {
        var head: Head
        // The last record that somebody was told of before the head is known here, or beside a log that is open for reading alone.
        var told: UInt64 = 0
        // After an outcome that is not known every further flush is refused with it.
        var failure: ActionLogError?
        var newestKeys = NewestKeys()
        var redactions: Redactions
        // How far it is as a copy of a shared log.
        var place: ReplicaPlace?
        // While the log is compacted.
        var meanwhile: CompactedCopy.ConcurrentChanges?
        // The environment that a compaction took the place of, until that ends.
        var replaced: Environment?
    }

    /// What is read: an environment, and the base that it begins with.
    struct Contents {
        var environment: Environment
        var base: Base?
        var first: UInt64 { (base?.sequence ?? 0) + 1 }
    }

    // A compaction puts another in its place as a whole; who began with the one before finishes with it.
    let current: Mutex<Contents>
    let tables: Tables
    /// The directory that it lies in.
    public let directory: String
    let lock: DirectoryLock?
    let position: Mutex<Position>
    private let anchoring = Mutex(())

    /// Where a log that was opened for reading alone stops being what was written; `nil` when it is whole.
    public let damage: ActionLogError?

    init(
        environment: Environment, tables: Tables, directory: String, lock: consuming DirectoryLock?, head: Head,
        base: Base? = nil, redactions: Redactions, place: ReplicaPlace? = nil, damage: ActionLogError? = nil
    ) {
        current = Mutex(Contents(environment: environment, base: base))
        self.tables = tables
        self.directory = directory
        self.lock = lock
        self.position = Mutex(Position(head: head, redactions: redactions, place: place))
        self.damage = damage
    }

    var contents: Contents { current.withLock { $0 } }
    var environment: Environment { current.withLock { $0.environment } }

    /// Where the log begins if it was compacted.
    public var base: Base? { current.withLock { $0.base } }

    /// What was put into records since they were written.
    public var redactions: Redactions { position.withLock { $0.redactions } }

    /// The base with its state, and with what was kept beside it.
    public func baseRow() throws(ActionLogError) -> BaseRow? {
        let contents = contents
        guard contents.base != nil else { return nil }
        return try Self.meta(contents.environment, tables, RowKey.base, as: BaseRow.self, of: "the base")
    }

    public var head: Head { position.withLock { $0.head } }

    /// The last record that can be read.
    var readable: UInt64 { position.withLock { max($0.head.sequence, $0.told) } }

    /// How much can still be written.
    public func headroom() -> Headroom {
        let usage = environment.usage
        return Headroom(
            diskFreeBytes: FileSystem.freeBytes(directory) ?? 0, mapFreeBytes: mapFreeBytes(usage), mapBytes: usage.mapBytes)
    }

    // Free pages inside the used part count only near the end, because finding them means to walk their list; and some never
    // do, because every commit frees a few that only later ones can use.
    private func mapFreeBytes(_ usage: MapUsage) -> Int {
        let behind = usage.mapBytes - usage.usedBytes
        guard behind < usage.mapBytes / 16 else { return behind }
        let pages = try? environment.read { (transaction) throws(LMDBError) in try transaction.freePages() }
        return behind + max(0, (pages ?? 0) - Self.circulatingPages) * usage.pageBytes
    }

    private static let circulatingPages = 256

    /// How large the log is.
    public func storage() throws(ActionLogError) -> StorageUse {
        let usage = environment.usage
        do {
            return try environment.read { (transaction) throws(LMDBError) in
                StorageUse(
                    records: try transaction.count(tables.records), keys: try transaction.count(tables.keys),
                    commands: try transaction.count(tables.outbox), usedBytes: usage.usedBytes, mapBytes: usage.mapBytes,
                    freePages: try transaction.freePages(), pageBytes: usage.pageBytes)
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
    }

    /// Writes the head to a file beside the environment.
    public func anchor() throws(ActionLogError) {
        // Two at once would write to the same temporary name.
        try anchoring.withLock { _ throws(ActionLogError) in
            let row = Row.sealed(head, key: RowKey.head)
            try OutputFile.write(row.span.bytes, name: Self.headFile, directory: directory)
        }
    }

    static let headFile = "head"
    static let dataFile = "data.mdb"
    static let readersFile = "lock.mdb"
}
