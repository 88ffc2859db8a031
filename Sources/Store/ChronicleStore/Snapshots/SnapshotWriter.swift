public import ChronicleLog
import ChronicleValues
import Synchronization

/// Writes start and history snapshots on its own thread, from a shared copy of the state, as the policy decides.
final class SnapshotWriter<State: CanonicalCodable>: Sendable {
    private struct Request: Sendable {
        var present: CommittedState<State>
        var head: Head
        var candidate: SnapshotPolicy.Use
    }

    private struct Content {
        var request: Request?
        var isWriting = false
        var last: SnapshotFact
        var policy: SnapshotPolicy
    }

    private let content: Mutex<Content>
    private let files: SnapshotStore
    private let history: any SnapshotSeries
    private let freeBytesMin: Int
    private let fingerprint: String
    private let log: any ActionLog
    private let onSnapshot: @Sendable (HeadCheckpoint) -> Void
    private let thread = SerialThread(name: "snapshots")

    /// - Parameter freeBytesMin: free disk space that snapshots must leave for the log.
    init(
        _ files: SnapshotStore, of log: any ActionLog, fingerprint: String, after last: SnapshotFact, freeBytesMin: Int,
        onSnapshot: @escaping @Sendable (HeadCheckpoint) -> Void = { _ in }
    ) {
        (self.files, self.freeBytesMin, self.log, self.onSnapshot) = (files, freeBytesMin, log, onSnapshot)
        self.fingerprint = fingerprint
        history = files.history
        content = Mutex(
            Content(
                last: last, policy: SnapshotPolicy(start: last.sequence, history: last.sequence, stateBytes: last.bytes)))
        thread.onSignal { [weak self] in self?.write() }
    }

    deinit { thread.end() }

    var last: SnapshotFact { content.withLock { $0.last } }

    /// Begins a snapshot if one is due at this sequence; `present` is the state after it and the head of the log.
    func offer(at sequence: UInt64, _ present: () -> (CommittedState<State>, Head)) {
        let begin = content.withLock { content in
            let candidate = content.policy.candidate(at: sequence)
            guard !candidate.isEmpty, !content.isWriting, content.request == nil else { return false }
            let (present, head) = present()
            content.request = Request(present: present, head: head, candidate: candidate)
            return true
        }
        if begin { thread.signal() }
    }

    /// Writes a final snapshot, unless one of that sequence exists, and ends the thread.
    func finish(with present: CommittedState<State>, head: Head) async {
        content.withLock { content in
            let candidate = content.policy.candidate(at: present.sequence).union(.start)
            content.request = Request(present: present, head: head, candidate: candidate)
        }
        thread.signal()
        thread.end()
        await thread.settle()
    }

    /// Removes all snapshots from a sequence on, including one that is being written.
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
        // The anchor records where the log ends. Without it, only the loss of the log's end would go unnoticed.
        if request.candidate.contains(.start) { try? log.anchor() }
        content.withLock { content in
            content.isWriting = false
            // A redacted text must not stay in a file.
            guard log.redactions.leave(present.sequence, foldedAfter: present.redactions) else {
                return files.removeAll(from: present.sequence)
            }
            guard let made else { return }
            // A failed start snapshot is replaced by the next one.
            content.policy.note(made.kept.union(use.intersection(.start)), at: present.sequence, bytes: made.bytes)
            if made.kept.contains(.start) {
                content.last = SnapshotFact(sequence: present.sequence, bytes: made.bytes, time: present.time)
            }
        }
    }

    private func encode(
        _ request: Request, _ use: SnapshotPolicy.Use, budgetBytes: UInt64
    ) -> (bytes: UInt64, kept: SnapshotPolicy.Use) {
        let present = request.present
        let snapshot = Snapshot(
            sequence: present.sequence, checksum: request.head.checksum, epoch: present.epoch, time: present.time,
            fingerprint: fingerprint, redactions: present.redactions, of: present.state)
        // A snapshot is only a cache, and the log needs the reserved free space for changes.
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

/// The newest snapshot.
public struct SnapshotFact: Sendable, Equatable {
    /// The sequence of its state; 0 without a snapshot.
    public var sequence: UInt64
    public var bytes: UInt64
    /// The time of the record at that sequence, in microseconds since 1970.
    public var time: Int64

    public init(sequence: UInt64 = 0, bytes: UInt64 = 0, time: Int64 = 0) {
        (self.sequence, self.bytes, self.time) = (sequence, bytes, time)
    }
}

/// Decides when a state is encoded for a snapshot, and for which use: encoding a large state is expensive.
public struct SnapshotPolicy: Sendable, Equatable {
    public struct Use: OptionSet, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The newest snapshot, for the next start.
        public static let start = Use(rawValue: 1)
        /// A snapshot along the log, for reading the past.
        public static let history = Use(rawValue: 2)
    }

    public struct Room: Sendable, Equatable {
        public var records: UInt64
        public var logBytes: UInt64
        public var places: [HistorySnapshots.Place]

        public init(records: UInt64 = 0, logBytes: UInt64 = 0, places: [HistorySnapshots.Place] = []) {
            (self.records, self.logBytes, self.places) = (records, logBytes, places)
        }

        public init(of log: any ActionLog, _ history: any SnapshotSeries) {
            let use = try? log.storage()
            self.init(
                records: log.head.sequence - min(log.head.sequence, log.base?.sequence ?? 0),
                logBytes: UInt64(use?.usedBytes ?? 0), places: history.places())
        }

        /// Maximum bytes of all history snapshots: half of the log.
        public var budgetBytes: UInt64 { logBytes / 2 }

        /// Records between two history snapshots of this size that keeps all of them within the budget.
        public func historyStep(bytes: UInt64) -> UInt64 {
            let recordBytes = max(1, logBytes / max(1, records))
            return max(HistorySnapshots.recordsMin, bytes / recordBytes * 2)
        }

        public func keeps(_ sequence: UInt64, bytes: UInt64) -> Bool {
            let place = HistorySnapshots.Place(sequence: sequence, bytes: Int(clamping: bytes))
            return HistorySnapshots.hasRoom(for: place, among: places, budgetBytes: Int(clamping: budgetBytes))
        }
    }

    /// The sequence of the newest start snapshot; 0 if none.
    public var start: UInt64
    /// The sequence of the newest history snapshot; 0 if none.
    public var history: UInt64
    /// Encoded bytes of the last snapshot; 0 if unknown.
    public var stateBytes: UInt64
    /// The sequence at which the room for a history snapshot is next checked.
    private var nextLook: UInt64

    public init(start: UInt64 = 0, history: UInt64 = 0, stateBytes: UInt64 = 0) {
        (self.start, self.history, self.stateBytes) = (start, history, stateBytes)
        nextLook = history + HistorySnapshots.recordsMin
    }

    /// The uses for which a snapshot may be due; a start snapshot pays off once folding the records takes longer than loading it.
    public func candidate(at sequence: UInt64) -> Use {
        var use: Use = []
        let worth = max(Limits.snapshotRecordsMin, stateBytes / Limits.snapshotBytesPerRecord)
        if sequence >= start, sequence - start >= worth { use.insert(.start) }
        if sequence >= nextLook { use.insert(.history) }
        return use
    }

    /// The uses for which a snapshot of a candidate is kept, given the room; empty if it should not be encoded.
    public mutating func use(_ candidate: Use, at sequence: UInt64, _ room: Room) -> Use {
        var use = candidate
        if use.contains(.start), sequence <= start { use.remove(.start) }
        guard use.contains(.history) else { return use }
        // The step depends on the encoded size, so no extra work is done beside dispatches. Gaps are filled later, when the store is idle.
        let due = history + room.historyStep(bytes: stateBytes)
        if sequence >= due, room.keeps(sequence, bytes: stateBytes) {
            nextLook = sequence + HistorySnapshots.recordsMin
            return use
        }
        use.remove(.history)
        // Future records may be larger, which makes the next snapshot due sooner.
        nextLook = due > sequence ? min(due, sequence + HistorySnapshots.recordsMax) : sequence + HistorySnapshots.recordsMin
        return use
    }

    public mutating func note(_ use: Use, at sequence: UInt64, bytes: UInt64) {
        stateBytes = bytes
        if use.contains(.start) { start = sequence }
        if use.contains(.history) { history = sequence }
    }

    public mutating func forget(from sequence: UInt64) {
        if start >= sequence { (start, stateBytes) = (0, 0) }
        history = min(history, sequence - 1)
        nextLook = min(nextLook, history + HistorySnapshots.recordsMin)
    }
}
