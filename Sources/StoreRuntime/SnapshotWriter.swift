import ActionCoding
import ActionLogs
import Synchronization

/// Writes snapshots on a thread of its own, from a shared copy of the state, when it is worth its while.
///
/// Of two kinds: the newest, from which a start goes on, and those all along the log, for reading the past.
final class SnapshotWriter<State: CanonicalCodable>: Sendable {
    private struct Request: Sendable {
        var present: Present<State>
        var head: Head
        var isForStart: Bool
        var isForTravel: Bool
        var done: @Sendable () -> Void
    }

    private struct Content {
        var request: Request?
        var isWriting = false
        var last: SnapshotFact
        var lastTravel: UInt64
    }

    private let content: Mutex<Content>
    private let files: SnapshotFiles
    private let travel: TravelSnapshots
    private let fingerprint: String
    private let log: any ActionLog
    private let thread = SerialThread(name: "snapshots")

    init(_ files: SnapshotFiles, of log: any ActionLog, fingerprint: String, after last: SnapshotFact) {
        self.files = files
        self.log = log
        self.fingerprint = fingerprint
        travel = files.travel
        content = Mutex(Content(last: last, lastTravel: last.sequence))
        thread.onSignal { [weak self] in self?.write() }
    }

    /// The newest snapshot on disk.
    var last: SnapshotFact { content.withLock { $0.last } }

    /// Begins a snapshot if the tail since the last one takes longer to fold than the snapshot takes to load, or if the
    /// past since the last one for travellers has become long.
    func offer(_ present: Present<State>, head: Head) {
        let begin = content.withLock { content in
            let tail = present.sequence - content.last.sequence
            let worth = max(Limits.snapshotRecordsMin, content.last.bytes / Limits.snapshotBytesPerRecord)
            let isForTravel = present.sequence - content.lastTravel >= TravelSnapshots.recordsMin
            guard tail >= worth || isForTravel, !content.isWriting, content.request == nil else { return false }
            content.request = Request(
                present: present, head: head, isForStart: tail >= worth, isForTravel: isForTravel, done: {})
            return true
        }
        if begin { thread.signal() }
    }

    /// Writes a last snapshot, unless there is one of that sequence already, and ends the thread.
    func finish(with present: Present<State>, head: Head) async {
        await withCheckedContinuation { continuation in
            content.withLock { content in
                let isForTravel = present.sequence - content.lastTravel >= TravelSnapshots.recordsMin
                content.request = Request(present: present, head: head, isForStart: true, isForTravel: isForTravel) {
                    continuation.resume()
                }
            }
            thread.signal()
        }
        thread.end()
    }

    /// Lets go of all snapshots from a sequence on, also of one that is being written.
    func removeAll(from sequence: UInt64) {
        content.withLock { content in
            content.request = nil
            if content.last.sequence >= sequence { content.last = SnapshotFact() }
            content.lastTravel = min(content.lastTravel, sequence - 1)
        }
        files.removeAll(from: sequence)
    }

    private func write() {
        let taken = content.withLock { content -> (Request, SnapshotFact)? in
            defer { content.request = nil }
            guard let request = content.request else { return nil }
            content.isWriting = true
            return (request, content.last)
        }
        guard let (request, last) = taken else { return }
        let present = request.present
        let isForStart = request.isForStart && present.sequence > last.sequence
        let budget = request.isForTravel ? Self.travelBudget(log) : 0
        // Encoding a large state only to find that there is no room for it would be in vain.
        let isForTravel = request.isForTravel && last.bytes <= budget
        var written: SnapshotFact?
        if isForStart || isForTravel {
            let snapshot = Snapshot(
                sequence: present.sequence, checksum: request.head.checksum, epoch: present.epoch, time: present.time,
                fingerprint: fingerprint, redactions: present.redactions, state: present.state.canonicalBytes)
            // A snapshot is a cache: one that could not be written is made up for by the next.
            if isForStart { try? files.write(snapshot) }
            if isForTravel { _ = try? travel.write(snapshot, budgetBytes: Int(clamping: budget)) }
            if isForStart {
                written = SnapshotFact(sequence: present.sequence, bytes: UInt64(snapshot.state.count), time: present.time)
            }
        }
        // Where the log ends is written down beside it; without that, only the loss of its end would go unnoticed.
        if request.isForStart { try? log.anchor() }
        content.withLock { content in
            content.isWriting = false
            // What was taken out of a record meanwhile must not stay in a file.
            guard log.redactions.leave(present.sequence, foldedAfter: present.redactions) else {
                return files.removeAll(from: present.sequence)
            }
            if let written { content.last = written }
            if request.isForTravel { content.lastTravel = present.sequence }
        }
        request.done()
    }

    /// The bytes that the snapshots for travellers may take together: half of what the log takes.
    private static func travelBudget(_ log: any ActionLog) -> UInt64 {
        UInt64((try? log.storage())?.usedBytes ?? 0) / 2
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

    /// Makes a fact.
    public init(sequence: UInt64 = 0, bytes: UInt64 = 0, time: Int64 = 0) {
        self.sequence = sequence
        self.bytes = bytes
        self.time = time
    }
}
