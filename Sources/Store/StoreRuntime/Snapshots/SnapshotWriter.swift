import Records
import Synchronization
import Values

/// Writes snapshots on a thread of its own, from a shared copy of the state, when it is worth its while.
///
/// Of two kinds, as the policy says: the newest, from which a start goes on, and those all along the log, for reading the past.
final class SnapshotWriter<State: CanonicalCodable>: Sendable {
    private struct Request: Sendable {
        var present: CommittedState<State>
        var head: Head
        var candidate: SnapshotPolicy.Use
        var done: @Sendable () -> Void
    }

    private struct Content {
        var request: Request?
        var isWriting = false
        var last: SnapshotFact
        var policy: SnapshotPolicy
    }

    private let content: Mutex<Content>
    private let files: SnapshotStore
    private let history: HistorySnapshots
    private let freeBytesMin: Int
    private let fingerprint: String
    private let log: any ActionLog
    private let onSnapshot: @Sendable (AnchoredHead) -> Void
    private let thread = SerialThread(name: "snapshots")

    /// - Parameters:
    ///   - freeBytesMin: what the disk must keep for the log, whatever is written here.
    ///   - onSnapshot: told of each that a start can go on from.
    init(
        _ files: SnapshotStore, of log: any ActionLog, fingerprint: String, after last: SnapshotFact, freeBytesMin: Int,
        onSnapshot: @escaping @Sendable (AnchoredHead) -> Void = { _ in }
    ) {
        self.files = files
        self.freeBytesMin = freeBytesMin
        self.log = log
        self.onSnapshot = onSnapshot
        self.fingerprint = fingerprint
        history = files.history
        content = Mutex(
            Content(
                last: last, policy: SnapshotPolicy(start: last.sequence, history: last.sequence, stateBytes: last.bytes)))
        thread.onSignal { [weak self] in self?.write() }
    }

    deinit { thread.end() }

    /// The newest snapshot on disk.
    var last: SnapshotFact { content.withLock { $0.last } }

    /// Begins a snapshot if the policy says that one may be worth its while.
    func offer(_ present: CommittedState<State>, head: Head) {
        let begin = content.withLock { content in
            let candidate = content.policy.candidate(at: present.sequence)
            guard !candidate.isEmpty, !content.isWriting, content.request == nil else { return false }
            content.request = Request(present: present, head: head, candidate: candidate, done: {})
            return true
        }
        if begin { thread.signal() }
    }

    /// Writes a last snapshot, unless there is one of that sequence already, and ends the thread.
    func finish(with present: CommittedState<State>, head: Head) async {
        await withCheckedContinuation { continuation in
            content.withLock { content in
                let candidate = content.policy.candidate(at: present.sequence).union(.start)
                content.request = Request(present: present, head: head, candidate: candidate) { continuation.resume() }
            }
            thread.signal()
        }
        thread.end()
        await thread.settle()
    }

    /// Lets go of all snapshots from a sequence on, also of one that is being written.
    func removeAll(from sequence: UInt64) {
        content.withLock { content in
            content.request = nil
            if content.last.sequence >= sequence { content.last = SnapshotFact() }
            content.policy.forget(from: sequence)
        }
        files.removeAll(from: sequence)
    }

    private func write() {
        let taken = content.withLock { content -> Request? in
            defer { content.request = nil }
            if content.request != nil { content.isWriting = true }
            return content.request
        }
        guard let request = taken else { return }
        let present = request.present
        let room = request.candidate.contains(.history) ? SnapshotPolicy.Room(of: log, history) : SnapshotPolicy.Room()
        let use = content.withLock { $0.policy.use(request.candidate, at: present.sequence, room) }
        let made = use.isEmpty ? nil : encode(request, use, budgetBytes: room.budgetBytes)
        // Where the log ends is written down beside it; without that, only the loss of its end would go unnoticed.
        if request.candidate.contains(.start) { try? log.anchor() }
        content.withLock { content in
            content.isWriting = false
            // What was taken out of a record meanwhile must not stay in a file.
            guard log.redactions.leave(present.sequence, foldedAfter: present.redactions) else {
                return files.removeAll(from: present.sequence)
            }
            guard let made else { return }
            // One for a start that could not be written is made up for by the next.
            content.policy.note(made.kept.union(use.intersection(.start)), at: present.sequence, bytes: made.bytes)
            if made.kept.contains(.start) {
                content.last = SnapshotFact(sequence: present.sequence, bytes: made.bytes, time: present.time)
            }
        }
        request.done()
    }

    /// Writes the snapshots of a state; returns its size and the uses for which one was written.
    private func encode(
        _ request: Request, _ use: SnapshotPolicy.Use, budgetBytes: UInt64
    ) -> (bytes: UInt64, kept: SnapshotPolicy.Use) {
        let present = request.present
        let snapshot = Snapshot(
            sequence: present.sequence, checksum: request.head.checksum, epoch: present.epoch, time: present.time,
            fingerprint: fingerprint, redactions: present.redactions, of: present.state)
        // A snapshot is a cache: the log holds everything, and below what is to be kept free it would take no further change.
        let count = snapshot.stateBytes
        guard log.headroom().diskFreeBytes - 2 * Int(count) >= freeBytesMin else { return (count, []) }
        var kept = use
        if use.contains(.start) {
            if (try? files.write(snapshot)) == nil { kept.remove(.start) } else { onSnapshot(snapshot.head) }
        }
        if use.contains(.history), (try? history.write(snapshot, budgetBytes: Int(clamping: budgetBytes))) != true {
            kept.remove(.history)
        }
        return (count, kept)
    }
}

/// What is known of the newest snapshot.
public struct SnapshotFact: Sendable, Equatable {
    /// The sequence of its state; 0 when there is none.
    public var sequence: UInt64
    /// The bytes of its state.
    public var bytes: UInt64
    /// The time of the record at that sequence, in microseconds since 1970.
    public var time: Int64

    public init(sequence: UInt64 = 0, bytes: UInt64 = 0, time: Int64 = 0) {
        self.sequence = sequence
        self.bytes = bytes
        self.time = time
    }
}
