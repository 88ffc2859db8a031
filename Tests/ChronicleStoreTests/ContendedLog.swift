import ChronicleLog
import Synchronization

/// A log that lets other writers win a given number of races and accepts a limited number of records at once.
final class ContendedLog: SharedActionLog, ForwardingLog {
    /// The calls, each with its deadline.
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
    let wrapped: any ActionLog = InMemoryActionLog()
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
        try wrapped.append(flush)
    }

    func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError) { try wrapped.redact(payloads) }

    func follow(until deadline: UInt64) throws(ActionLogError) -> ReplicationEvent? {
        state.withLock { $0.asked.follows.append(deadline) }
        return nil
    }

    func readIndex(until deadline: UInt64) throws(ActionLogError) { try meetOthers(until: deadline) }

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
