import ActionLogs
import Glibc
import Synchronization

/// A log in memory whose appends can be held up, fail, and are counted.
final class ScriptedLog: ActionLog {
    private struct Script {
        var failures: [ActionLogError] = []
        var flushes: [Int] = []
        var isHeld = false
    }

    private let inner = InMemoryActionLog()
    private let script = Mutex(Script())

    /// How many records each append that succeeded had.
    var flushes: [Int] { script.withLock { $0.flushes } }

    func failNext(with error: ActionLogError) { script.withLock { $0.failures.append(error) } }

    /// Holds appends up until `release`.
    func hold() { script.withLock { $0.isHeld = true } }
    func release() { script.withLock { $0.isHeld = false } }

    var head: Head { inner.head }

    func append(_ flush: Flush) throws(ActionLogError) {
        // The store's thread has nothing else to do: it may spin here as it would wait for a disk.
        while script.withLock({ $0.isHeld }) { sched_yield() }
        if let failure = script.withLock({ $0.failures.isEmpty ? nil : $0.failures.removeFirst() }) { throw failure }
        try inner.append(flush)
        script.withLock { $0.flushes.append(flush.recordCount) }
    }

    func read(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try inner.read(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax, body)
    }

    func fold(
        from first: UInt64, through last: UInt64, _ body: (RecordOutline, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try inner.fold(from: first, through: last, body)
    }

    func sequence(atOrAfter time: Int64) throws(ActionLogError) -> UInt64 { try inner.sequence(atOrAfter: time) }
    func sequence(atOrBefore time: Int64) throws(ActionLogError) -> UInt64 { try inner.sequence(atOrBefore: time) }
    func checksum(of sequence: UInt64) throws(ActionLogError) -> UInt64? { try inner.checksum(of: sequence) }
    func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow? { try inner.key(key, of: uid) }
    func outbox() throws(ActionLogError) -> [OutboxRow] { try inner.outbox() }
    func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace? {
        try inner.keys(after: place, rowsMax: rowsMax, body)
    }
    func bookmark(_ name: String) throws(ActionLogError) -> BookmarkRow? { try inner.bookmark(name) }
    func bookmarks() throws(ActionLogError) -> [BookmarkRow] { try inner.bookmarks() }
    func checkEnds() throws(ActionLogError) { inner.checkEnds() }
    func storage() throws(ActionLogError) -> StorageUse { inner.storage() }
    func headroom() -> Headroom { inner.headroom() }
    func anchor() throws(ActionLogError) { inner.anchor() }
}
