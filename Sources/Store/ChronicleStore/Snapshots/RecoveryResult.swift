public import Chronicle
public import ChronicleLog

/// The starting point of a store: the newest usable snapshot plus the records after it, folded.
public struct RecoveryResult<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    /// The state at the head of the log, or before the damage.
    public var present: CommittedState<App.State>
    /// The snapshot that was used.
    public var snapshot: SnapshotFact
    /// The open commands, in starting order.
    public var outbox: [OutboxRow]
    /// The number of records folded.
    public var folded: UInt64
    let initial: App.State
    /// The invariants' evaluation state.
    private(set) var invariants: InvariantChecker<App>
    /// The first damage, if the log was opened with `OnDamage.stopBefore`.
    public var damage: StoreError?

    /// The reaction to a damaged record.
    public enum OnDamage: Sendable {
        /// The start fails.
        case fail
        /// The state before the damage is served read-only.
        case stopBefore
    }

    /// Folds a log.
    /// - Parameters:
    ///   - initial: the state at sequence 0.
    ///   - progress: called after each page of records, and while invariants are evaluated, with the sequence reached and the head.
    /// - Throws: `.damaged` with the sequence of the first damaged record.
    public init(
        from log: any ActionLog, snapshots: SnapshotStore? = nil, fingerprint: String = "", initial: App.State,
        onDamage: OnDamage = .fail, progress: (UInt64, UInt64) -> Void = { _, _ in }
    ) throws(StoreError) {
        let head = log.head
        self.initial = initial
        present = CommittedState(epoch: head.epoch, sequence: 0, time: 0, state: initial, scopes: App.scopes.count)
        snapshot = SnapshotFact()
        folded = 0
        outbox = []
        invariants = InvariantChecker([], in: initial)
        do {
            let base = try beginWithBase(of: log)
            if let snapshots { useNewest(of: snapshots, fingerprint, log) }
            try fold(log, through: head.sequence, initial: base ?? initial, progress)
            outbox = try StoreError.reading { () throws(ActionLogError) in try log.outbox() }
        } catch {
            switch (error, onDamage) {
            case (.damaged, .stopBefore), (.undecodable, .stopBefore): damage = error
            default: throw error
            }
        }
        // Changes before the snapshot are unknown, so every scope counts as changed.
        present = CommittedState(
            epoch: present.epoch, sequence: present.sequence, time: present.time, state: present.state,
            scopes: App.scopes.count)
        present.stateBytes = App.growth(from: nil, to: present.state)
        present.redactions = log.redactions.count
        present.lock = head.lock
        present.invariants = head.invariants
        let sequence = present.sequence
        invariants = InvariantChecker(head.invariants, in: present.state) { progress(sequence, head.sequence) }
    }

    /// Starts from the base of a compacted log, which is part of the log and no snapshot.
    private mutating func beginWithBase(of log: any ActionLog) throws(StoreError) -> App.State? {
        let found = try StoreError.reading { () throws(ActionLogError) in try log.baseState(as: App.State.self) }
        guard let (base, state) = found else { return nil }
        present = CommittedState(
            epoch: present.epoch, sequence: base.sequence, time: base.time, state: state, scopes: App.scopes.count)
        return state
    }

    private static var progressRecords: UInt64 { 100_000 }

    /// Starts from the newest snapshot of this code and this log's history.
    private mutating func useNewest(of files: SnapshotStore, _ fingerprint: String, _ log: any ActionLog) {
        let found = files.newest(fingerprint: fingerprint, through: log.head.sequence) { snapshot in
            log.isConsistent(sequence: snapshot.sequence, checksum: snapshot.checksum, redactions: snapshot.redactions)
        }
        // An unreadable snapshot is no error: the log can be folded from its beginning.
        guard let found, let state = try? App.State(canonical: found.state) else { return }
        present = CommittedState(
            epoch: present.epoch, sequence: found.sequence, time: found.time, state: state, scopes: App.scopes.count)
        snapshot = SnapshotFact(sequence: found.sequence, bytes: UInt64(found.state.count), time: found.time)
    }

    private mutating func fold(
        _ log: any ActionLog, through head: UInt64, initial: App.State, _ progress: (UInt64, UInt64) -> Void
    ) throws(StoreError) {
        var (sequence, time, state) = (present.sequence, present.time, present.state)
        // The state must be uniquely referenced, or the fold would copy it.
        present.state = initial
        let first = sequence
        defer {
            folded = sequence - first
            present.sequence = sequence
            present.time = time
            present.state = state
        }
        while sequence < head {
            let last = min(head, sequence + Self.progressRecords)
            try App.fold(log, from: sequence + 1, through: last, into: &state) { (sequence, time) = ($0.sequence, $0.time) }
            progress(sequence, head)
        }
    }
}

extension Feature where Action: CanonicalCodable {
    /// Folds records of a log into a state.
    /// - Parameter passing: called after each record, so that the caller knows where a fold ended that threw.
    @inline(__always)
    static func fold(
        _ log: any ActionLog, from first: UInt64, through last: UInt64, into state: inout State,
        passing: (HeaderFields) -> Void = { _ in }
    ) throws(StoreError) {
        try StoreError.reading { () throws(ActionLogError) in
            try Action.read(log, from: first, through: last) { record, action in
                if let action { _ = reduce(&state, action, Context(time: record.time, origin: record.origin)) }
                passing(record)
                return true
            }
        }
    }
}
