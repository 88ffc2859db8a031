import Chronicle
import ChronicleLog
import ChronicleStore
import Synchronization

/// Loads and writes snapshots on a separate thread: decoding a large state takes long and can't yield.
actor SnapshotLoader<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    private nonisolated let thread = SerialThread(name: "loader")
    private nonisolated let gone = Gone()
    let log: any ActionLog
    let files: SnapshotStore?
    let fingerprint: String
    private let freeBytesMin: Int

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Parameter freeBytesMin: disk space to leave free for the log.
    init(_ files: SnapshotStore?, of log: any ActionLog, fingerprint: String, freeBytesMin: Int) {
        self.files = files
        self.log = log
        self.fingerprint = fingerprint
        self.freeBytesMin = freeBytesMin
        thread.onSignal { [gone] in gone.free() }
    }

    private final class Gone: Sendable {
        private let pasts = Mutex<[PastState<App>]>([])

        func take(_ more: inout [PastState<App>]) {
            pasts.withLock { $0 += more }
            more = []
        }

        func free() { _ = pasts.withLock { exchange(&$0, with: []) } }
    }

    /// Frees states on this thread, which allocated them: for a large one, that takes as long as reading it.
    nonisolated func letGo(_ pasts: inout [PastState<App>]) {
        guard !pasts.isEmpty else { return }
        // The last owner frees a state, so the caller must hold none when the thread runs.
        gone.take(&pasts)
        thread.signal()
    }

    /// Whether the disk has room for a file: caches must not use the space that the log needs.
    func hasRoom(for byteCount: Int) -> Bool { log.headroom().diskFreeBytes - byteCount >= freeBytesMin }

    deinit { thread.end() }

    /// The sequences of all files in a range, usable or not, in ascending order.
    func sequences(in range: ClosedRange<UInt64>) -> [UInt64] {
        guard let files else { return [] }
        let all = files.history.sequences() + files.sequences()
        return Set(all.filter { range.contains($0) }).sorted()
    }

    /// The newest file in a range, usable or not, and the size of its state.
    func newestFile(in range: ClosedRange<UInt64>) -> (sequence: UInt64, bytes: UInt64)? {
        guard let sequence = sequences(in: range).last else { return nil }
        return (sequence, files?.stateBytes(of: sequence) ?? 0)
    }

    /// The newest state of this code and log in a range; `nil` if no file has one.
    /// - Parameter makeRoom: frees other states; called before a large one is read.
    func newest(in range: ClosedRange<UInt64>, makeRoom: @Sendable () -> Void) -> PastState<App>? {
        for sequence in sequences(in: range).reversed() {
            if files?.stateBytes(of: sequence) ?? 0 > HistoryLimits.pastBytesMax {
                makeRoom()
                FreeMemory.giveBack()
            }
            if let past = past(at: sequence) { return past }
        }
        return nil
    }

    private func past(at sequence: UInt64) -> PastState<App>? {
        guard let snapshot = snapshot(at: sequence), snapshot.fingerprint == fingerprint,
            log.isConsistent(sequence: sequence, checksum: snapshot.checksum, redactions: snapshot.redactions),
            let state = try? App.State(canonical: snapshot.state)
        else { return nil }
        return PastState(sequence: sequence, time: snapshot.time, state: state, bytes: UInt64(snapshot.state.count))
    }

    private func snapshot(at sequence: UInt64) -> Snapshot? { files?.history.read(sequence) ?? files?.read(sequence) }

    /// The sequences of usable history snapshots; removes those of other code or logs.
    func usableHistorySequences() -> [UInt64] {
        guard let files else { return [] }
        return files.history.sequences().filter { sequence in
            let summary = files.history.summary(sequence)
            if let summary, summary.fingerprint == fingerprint,
                log.isConsistent(sequence: sequence, checksum: summary.checksum, redactions: summary.redactions)
            {
                return true
            }
            files.history.remove(sequence)
            return false
        }
    }

    /// The size of the log and its history snapshots; `nil` if none can be stored.
    var room: SnapshotPolicy.Room? { files.map { SnapshotPolicy.Room(of: log, $0.history) } }

    /// Saves a history snapshot; returns the size of the state, and of the file if there was room.
    func leave(_ past: PastState<App>, in room: SnapshotPolicy.Room) -> (stateBytes: UInt64, keptBytes: Int?) {
        guard let files, let snapshot = try? snapshot(of: past) else { return (past.bytes, nil) }
        // It is a cache: a snapshot that could not be written is folded again.
        let isKept =
            hasRoom(for: Int(snapshot.stateBytes))
            && (try? files.history.write(snapshot, budgetBytes: Int(clamping: room.budgetBytes))) == true
        // A file must not keep text that was redacted concurrently.
        if !log.redactions.leave(past.sequence, foldedAfter: past.redactions) { files.history.remove(past.sequence) }
        return (snapshot.stateBytes, isKept ? files.history.byteCount(of: past.sequence) : nil)
    }

    func remove(_ sequence: UInt64) { files?.remove(sequence) }

    /// Saves a snapshot for the next start.
    func leaveNewest(_ past: PastState<App>) throws(ActionLogError) {
        guard let files, past.sequence > 0, let snapshot = try snapshot(of: past) else { return }
        if hasRoom(for: Int(snapshot.stateBytes)) { try files.write(snapshot) }
    }

    private func snapshot(of past: PastState<App>) throws(ActionLogError) -> Snapshot? {
        guard let checksum = try log.checksum(of: past.sequence) else { return nil }
        return Snapshot(
            sequence: past.sequence, checksum: checksum, epoch: log.head.epoch, time: past.time, fingerprint: fingerprint,
            redactions: past.redactions, of: past.state)
    }

    func digest(of state: App.State) -> UInt64 { state.digestAndByteCount.digest }

    /// Whether a snapshot of this log, in an older encoding, contains the state of a digest.
    func holds(_ digest: UInt64, inOlderFormAt sequence: UInt64) -> Bool {
        guard let snapshot = snapshot(at: sequence), (try? log.checksum(of: sequence)) == snapshot.checksum,
            let state = try? App.State(canonical: snapshot.state)
        else { return false }
        return self.digest(of: state) == digest
    }

    /// The evidence of the files of a sequence about its state, and whether they are intact.
    func evidence(at sequence: UInt64) -> [SnapshotEvidence] {
        guard let files else { return [] }
        let found = [
            (files.history.sequences(), files.history.read(sequence)), (files.sequences(), files.read(sequence)),
        ]
        return found.compactMap { sequences, snapshot in
            guard sequences.contains(sequence) else { return nil }
            guard let snapshot, (try? log.checksum(of: sequence)) == snapshot.checksum else {
                // Deleting an old snapshot concurrently is no damage.
                let isGone = snapshot == nil && self.sequences(in: sequence...sequence).isEmpty
                return isGone ? nil : SnapshotEvidence(digest: nil, isOurs: false)
            }
            // A snapshot from before a redaction is no damage: it is not used.
            guard log.redactions.leave(sequence, foldedAfter: snapshot.redactions) else { return nil }
            return SnapshotEvidence(digest: snapshot.digest, isOurs: snapshot.fingerprint == fingerprint)
        }
    }

    struct SnapshotEvidence: Sendable {
        /// `nil`: the file is damaged or belongs to another log.
        var digest: UInt64?
        /// Whether this code folded it.
        var isOurs: Bool
    }
}
