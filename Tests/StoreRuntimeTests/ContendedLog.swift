import Records
import Synchronization

/// A log in which others are first as often as a test says, without writing anything, and that takes no more records at once than it says.
final class ContendedLog: SharedActionLog {
    /// What was asked of it, each with its deadline.
    struct Asked {
        var appends: [UInt64] = []
        var follows: [UInt64] = []
    }

    private struct State {
        var othersFirst: Int
        var asked = Asked()
    }

    let deadlineFromNow: UInt64
    let flushBytesMax = 1 << 20
    let isLeading = true
    private let recordsMax: Int
    private let copy: any ActionLog = InMemoryActionLog()
    private let state: Mutex<State>

    init(othersFirst count: Int, until deadline: UInt64 = .max, recordsMax: Int = .max) {
        deadlineFromNow = deadline
        self.recordsMax = recordsMax
        state = Mutex(State(othersFirst: count))
    }

    var asked: Asked { state.withLock { $0.asked } }

    func append(_ flush: Flush, until deadline: UInt64) throws(ActionLogError) {
        try meetOthers(until: deadline)
        guard flush.recordCount <= recordsMax else { throw .flushTooLarge(bytes: flush.byteCount, max: flushBytesMax) }
        try copy.append(flush)
    }

    func follow(until deadline: UInt64) throws(ActionLogError) -> SharedNews? {
        state.withLock { $0.asked.follows.append(deadline) }
        return nil
    }

    func confirm(until deadline: UInt64) throws(ActionLogError) { try meetOthers(until: deadline) }

    func isInDoubt(_ key: String, of uid: UInt32) -> Bool { false }

    func waitForReaders() {}

    private func meetOthers(until deadline: UInt64) throws(ActionLogError) {
        let isBehind = state.withLock { state in
            state.asked.appends.append(deadline)
            state.othersFirst -= 1
            return state.othersFirst >= 0
        }
        if isBehind { throw .othersFirst }
    }
}

// What is asked of the copy alone.
extension ContendedLog {
    var head: Head { copy.head }
    var bootID: String { copy.bootID }
    var redactions: Redactions { copy.redactions }
    var base: Base? { copy.base }

    func read(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try copy.read(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax, body)
    }

    func fold(
        from first: UInt64, through last: UInt64, _ body: (HeaderFields, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 { try copy.fold(from: first, through: last, body) }

    func sealed(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (SealedRecord) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try copy.sealed(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax, body)
    }

    func sequence(atOrAfter time: Int64) throws(ActionLogError) -> UInt64 { try copy.sequence(atOrAfter: time) }

    func sequence(atOrBefore time: Int64, in range: ClosedRange<UInt64>) throws(ActionLogError) -> UInt64 {
        try copy.sequence(atOrBefore: time, in: range)
    }

    func checksum(of sequence: UInt64) throws(ActionLogError) -> UInt64? { try copy.checksum(of: sequence) }
    func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow? { try copy.key(key, of: uid) }
    func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64) { try copy.openCommands() }

    func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace? { try copy.keys(after: place, rowsMax: rowsMax, body) }

    func bookmark(_ name: String) throws(ActionLogError) -> BookmarkRow? { try copy.bookmark(name) }
    func bookmarks() throws(ActionLogError) -> [BookmarkRow] { try copy.bookmarks() }
    func subscriptions() throws(ActionLogError) -> StoredSubscriptions { try copy.subscriptions() }
    func checkEnds() throws(ActionLogError) { try copy.checkEnds() }
    func storage() throws(ActionLogError) -> StorageUse { try copy.storage() }
    func headroom() -> Headroom { copy.headroom() }
    func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError) { try copy.redact(payloads) }
    func baseRow() throws(ActionLogError) -> BaseRow? { try copy.baseRow() }
    func anchor() throws(ActionLogError) { try copy.anchor() }
}
