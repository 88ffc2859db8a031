import ActionCoding
import ActionLogs
import Synchronization

/// Writes snapshots on a thread of its own, from a shared copy of the state, when it is worth its while.
final class SnapshotWriter<State: CanonicalCodable>: Sendable {
    private struct Request: Sendable {
        var present: Present<State>
        var head: Head
        var done: @Sendable () -> Void
    }

    private struct Content {
        var request: Request?
        var isWriting = false
        var last: SnapshotFact
    }

    private let content: Mutex<Content>
    private let files: SnapshotFiles
    private let fingerprint: String
    private let log: any ActionLog
    private let thread = SerialThread(name: "snapshots")

    init(_ files: SnapshotFiles, of log: any ActionLog, fingerprint: String, after last: SnapshotFact) {
        self.files = files
        self.log = log
        self.fingerprint = fingerprint
        content = Mutex(Content(last: last))
        thread.onSignal { [weak self] in self?.write() }
    }

    /// The newest snapshot on disk.
    var last: SnapshotFact { content.withLock { $0.last } }

    /// Begins a snapshot if the tail since the last one takes longer to fold than the snapshot takes to load.
    func offer(_ present: Present<State>, head: Head) {
        let begin = content.withLock { content in
            let tail = present.sequence - content.last.sequence
            let worth = max(Limits.snapshotRecordsMin, content.last.bytes / Limits.snapshotBytesPerRecord)
            guard tail >= worth, !content.isWriting, content.request == nil else { return false }
            content.request = Request(present: present, head: head, done: {})
            return true
        }
        if begin { thread.signal() }
    }

    /// Writes a last snapshot, unless there is one of that sequence already, and ends the thread.
    func finish(with present: Present<State>, head: Head) async {
        await withCheckedContinuation { continuation in
            content.withLock { content in
                content.request = Request(present: present, head: head) { continuation.resume() }
            }
            thread.signal()
        }
        thread.end()
    }

    private func write() {
        let taken = content.withLock { content -> (Request, UInt64)? in
            defer { content.request = nil }
            guard let request = content.request else { return nil }
            content.isWriting = true
            return (request, content.last.sequence)
        }
        guard let (request, lastSequence) = taken else { return }
        var written: SnapshotFact?
        if request.present.sequence > lastSequence {
            let state = request.present.state.canonicalBytes
            // A snapshot is a cache: one that could not be written is made up for by the next.
            try? files.write(
                Snapshot(
                    sequence: request.present.sequence, checksum: request.head.checksum, epoch: request.present.epoch,
                    time: request.present.time, fingerprint: fingerprint, state: state))
            written = SnapshotFact(sequence: request.present.sequence, bytes: UInt64(state.count), time: request.present.time)
        }
        // Where the log ends is written down beside it; without that, only the loss of its end would go unnoticed.
        try? log.anchor()
        content.withLock { content in
            content.isWriting = false
            if let written { content.last = written }
        }
        request.done()
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
