import Records
import Reducing
import StoreRuntime
import Synchronization
import Values

/// Loads and writes snapshots on a thread of its own: decoding a large state takes long, and cannot pause for others.
actor SnapshotLoader<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    private nonisolated let thread = SerialThread(name: "loader")
    private nonisolated let gone = Gone()
    let log: any ActionLog
    let files: SnapshotStore?
    let fingerprint: String
    private let freeBytesMin: Int

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Parameter freeBytesMin: what the disk must keep for the log, whatever is written here.
    init(_ files: SnapshotStore?, of log: any ActionLog, fingerprint: String, freeBytesMin: Int) {
        self.files = files
        self.log = log
        self.fingerprint = fingerprint
        self.freeBytesMin = freeBytesMin
        thread.onSignal { [gone] in gone.free() }
    }

    /// States of which somebody has let go.
    private final class Gone: Sendable {
        private let pasts = Mutex<[PastState<App>]>([])

        func take(_ more: inout [PastState<App>]) {
            pasts.withLock { $0 += more }
            more = []
        }

        func free() { _ = pasts.withLock { exchange(&$0, with: []) } }
    }

    /// Frees states on the thread here, where they were made: of a large one that takes as long as to read it.
    nonisolated func letGo(_ pasts: inout [PastState<App>]) {
        guard !pasts.isEmpty else { return }
        // Whoever holds one last frees it, so none is held here any more when the thread is told.
        gone.take(&pasts)
        thread.signal()
    }

    /// Whether there is room for a file of so many bytes: all here are caches, and below what is to be kept free the log takes no change.
    func hasRoom(for byteCount: Int) -> Bool { log.headroom().diskFreeBytes - byteCount >= freeBytesMin }

    deinit { thread.end() }

    /// The sequences of all files in a range, whether they can be used or not, the smallest first.
    func sequences(in range: ClosedRange<UInt64>) -> [UInt64] {
        guard let files else { return [] }
        let all = files.history.sequences() + files.sequences()
        return Set(all.filter { range.contains($0) }).sorted()
    }

    /// The newest file in a range, whether it can be used or not, and how large its state is.
    func newestFile(in range: ClosedRange<UInt64>) -> (sequence: UInt64, bytes: UInt64)? {
        guard let sequence = sequences(in: range).last else { return nil }
        return (sequence, files?.stateBytes(of: sequence) ?? 0)
    }

    /// The newest state of this code and this log in a range; `nil` when no file has one.
    ///
    /// - Parameter makeRoom: lets go of other states; called before a large one is read.
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

    private func snapshot(at sequence: UInt64) -> Snapshot? {
        files?.history.read(sequence) ?? files?.read(sequence)
    }

    /// Where snapshots of history of this code and this log stand; the files of others go.
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

    /// What the log takes, and which snapshots of history there are; `nil` where none can be kept.
    var room: SnapshotPolicy.Room? { files.map { SnapshotPolicy.Room(of: log, $0.history) } }

    /// Leaves a snapshot of history behind; answers how many bytes the state has, and how many it takes if there was room for it.
    func leave(_ past: PastState<App>, in room: SnapshotPolicy.Room) -> (stateBytes: UInt64, keptBytes: Int?) {
        guard let files, let checksum = try? log.checksum(of: past.sequence) else { return (past.bytes, nil) }
        let snapshot = Snapshot(
            sequence: past.sequence, checksum: checksum, epoch: log.head.epoch, time: past.time, fingerprint: fingerprint,
            redactions: past.redactions, of: past.state)
        // It is a cache: what could not be written is folded again.
        let isKept =
            hasRoom(for: Int(snapshot.stateBytes))
            && (try? files.history.write(snapshot, budgetBytes: Int(clamping: room.budgetBytes))) == true
        // What was taken out meanwhile must not stay in a file, either.
        if !log.redactions.leave(past.sequence, foldedAfter: past.redactions) { files.history.remove(past.sequence) }
        return (snapshot.stateBytes, isKept ? files.history.byteCount(of: past.sequence) : nil)
    }

    /// Removes the snapshots of a sequence.
    func remove(_ sequence: UInt64) { files?.remove(sequence) }

    /// Leaves a snapshot behind from which a start goes on.
    func leaveNewest(_ past: PastState<App>) throws(ActionLogError) {
        guard let files, past.sequence > 0, let checksum = try log.checksum(of: past.sequence) else { return }
        let snapshot = Snapshot(
            sequence: past.sequence, checksum: checksum, epoch: log.head.epoch, time: past.time, fingerprint: fingerprint,
            redactions: past.redactions, of: past.state)
        if hasRoom(for: Int(snapshot.stateBytes)) { try files.write(snapshot) }
    }

    func digest(of state: App.State) -> UInt64 { state.digestAndByteCount.digest }

    /// Whether there is a place for what each record changed.
    nonisolated var keepsChecks: Bool { files?.checks != nil }

    /// The run of checks that begins with a record, if it is of this log as it is now, whatever code folded it.
    func checks(_ first: UInt64) -> FoldChecks? {
        guard let run = files?.checks?.read(first), !run.checks.isEmpty,
            log.isConsistent(sequence: run.last, checksum: run.checksum, redactions: run.redactions)
        else { return nil }
        return run
    }

    /// The last run of checks that is of this code and this log.
    func usableChecks() -> FoldChecks? {
        for first in (files?.checks?.firsts() ?? []).reversed() {
            if let run = checks(first), run.fingerprint == fingerprint, run.last <= log.head.sequence { return run }
        }
        return nil
    }

    /// The run of checks that begins with a record, if it is of this code and this log.
    func ownChecks(_ first: UInt64) -> FoldChecks? { checks(first).flatMap { $0.fingerprint == fingerprint ? $0 : nil } }

    /// Leaves a run of checks behind; it is a cache, so what can't be written is made anew by whoever comes next.
    func leave(_ run: FoldChecks, at sequence: UInt64) {
        guard let checksum = try? log.checksum(of: sequence), log.redactions.leave(sequence, foldedAfter: run.redactions),
            hasRoom(for: 0)
        else { return }
        var run = run
        (run.checksum, run.fingerprint) = (checksum, fingerprint)
        try? files?.checks?.write(run)
    }

    /// What snapshots of this log in a range say of their states, the smallest first; whatever code folded them.
    func digests(in range: ClosedRange<UInt64>) -> [SnapshotSummary] {
        sequences(in: range).compactMap { sequence in
            guard let summary = files?.history.summary(sequence) ?? files?.read(sequence).map(SnapshotSummary.init),
                summary.digest != 0,
                log.isConsistent(sequence: sequence, checksum: summary.checksum, redactions: summary.redactions)
            else { return nil }
            return summary
        }
    }

    /// The state in a snapshot of this log, as this code reads it, whatever code folded it.
    func state(at sequence: UInt64) -> App.State? {
        guard let snapshot = snapshot(at: sequence), (try? log.checksum(of: sequence)) == snapshot.checksum else { return nil }
        return try? App.State(canonical: snapshot.state)
    }

    /// Whether a snapshot of this log has the state of a digest, though the code that wrote it did so in another form.
    func holds(_ digest: UInt64, inOlderFormAt sequence: UInt64) -> Bool {
        state(at: sequence).map { self.digest(of: $0) == digest } ?? false
    }

    /// What the files of a sequence say of its state, and whether they are as they were written.
    func evidence(at sequence: UInt64) -> [SnapshotEvidence] {
        guard let files else { return [] }
        var evidence: [SnapshotEvidence] = []
        for (isThere, snapshot) in [
            (files.history.sequences().contains(sequence), files.history.read(sequence)),
            (files.sequences().contains(sequence), files.read(sequence)),
        ] where isThere {
            // One that was thinned out meanwhile is no damage.
            guard let snapshot else {
                if sequences(in: sequence...sequence).isEmpty { continue }
                evidence.append(SnapshotEvidence(digest: nil, isOurs: false))
                continue
            }
            guard (try? log.checksum(of: sequence)) == snapshot.checksum else {
                evidence.append(SnapshotEvidence(digest: nil, isOurs: false))
                continue
            }
            // One of before a redaction is no damage: nobody uses it.
            guard log.redactions.leave(sequence, foldedAfter: snapshot.redactions) else { continue }
            evidence.append(SnapshotEvidence(digest: snapshot.digest, isOurs: snapshot.fingerprint == fingerprint))
        }
        return evidence
    }

    struct SnapshotEvidence: Sendable {
        /// `nil`: the file is not what was written, or of another log.
        var digest: UInt64?
        /// Whether the running code folded it.
        var isOurs: Bool
    }
}
