public import ChronicleLog
internal import LMDB
internal import Synchronization

/// The action log on disk: one locked LMDB environment.
///
/// Records, keys, open commands and the head are tables of one environment, so a flush is one transaction. FORMAT.md specifies
/// the files.
public final class LMDBActionLog: ReplicableLog, LogFiles {
    struct Position {
        var head: Head
        // The last record reported by `openCommands`, which may be after `head` during a commit or in a read-only log.
        var told: UInt64 = 0
        // After an unknown outcome, all further flushes fail with this error.
        var failure: ActionLogError?
        var newestKeys = KeyCache()
        var redactions: Redactions
        var place: ReplicaPlace?
        var meanwhile: CompactedCopy.ConcurrentChanges?
        // The environment that a compaction has replaced, until the compaction ends.
        var replaced: Environment?
    }

    /// The environment that reads use, and its base.
    struct Contents {
        var environment: Environment
        var base: Base?
    }

    // A compaction replaces it as a whole; a read continues on the contents it began with.
    let current: Mutex<Contents>
    let tables: Tables
    public let directory: String
    let lock: DirectoryLock?
    let position: Mutex<Position>
    private let anchoring = Mutex(())

    /// The first damage of a log that was opened read-only; `nil` if it is intact.
    public let damage: ActionLogError?

    init(_ opened: Opened, in directory: String, lock: consuming DirectoryLock?, damage: ActionLogError? = nil) {
        current = Mutex(Contents(environment: opened.database.environment, base: opened.base))
        tables = opened.database.tables
        self.directory = directory
        self.lock = lock
        self.position = Mutex(Position(head: opened.head, redactions: opened.redactions, place: opened.place))
        self.damage = damage
    }

    var contents: Contents { current.withLock { $0 } }
    var environment: Environment { current.withLock { $0.environment } }
    var database: Database { Database(environment: environment, tables: tables) }

    public var edits: LogEdits {
        LogEdits(base: current.withLock { $0.base }, redactions: position.withLock { $0.redactions })
    }

    public func baseRow() throws(ActionLogError) -> BaseRow? {
        let contents = contents
        guard contents.base != nil else { return nil }
        return try Database(environment: contents.environment, tables: tables).base()
    }

    public var head: Head { position.withLock { $0.head } }

    /// The last record that reads return.
    var readable: UInt64 { position.withLock { max($0.head.sequence, $0.told) } }

    public func headroom() -> FreeSpace {
        let usage = environment.usage
        return FreeSpace(
            diskFreeBytes: FileSystem.freeBytes(directory) ?? 0, mapFreeBytes: mapFreeBytes(usage), mapBytes: usage.mapBytes)
    }

    // Free pages inside the used part count only if the map is nearly full, because counting them walks a list. Some never count:
    // each commit frees a few pages that only later commits can use.
    private func mapFreeBytes(_ usage: MapUsage) -> Int {
        let behind = usage.mapBytes - usage.usedBytes
        guard behind < usage.mapBytes / 16 else { return behind }
        let pages = try? environment.read { (transaction) throws(LMDBError) in try transaction.freePages() }
        return behind + max(0, (pages ?? 0) - Self.circulatingPages) * usage.pageBytes
    }

    private static let circulatingPages = 256

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

    public func writeAnchor() throws(ActionLogError) {
        // Concurrent writers would use the same temporary name.
        try anchoring.withLock { _ throws(ActionLogError) in
            let row = Row.sealed(head, key: RowKey.head)
            try OutputFile.write(row.span.bytes, name: Self.headFile, directory: directory)
        }
    }

    static let headFile = "head"
    static let dataFile = "data.mdb"
    static let readersFile = "lock.mdb"
}
