import CMachine
public import ChronicleLog
import ChronicleValues
import Etcd
internal import Synchronization

/// A log that several machines share: an etcd cluster gives the batches their order, and each machine has a copy of its own.
///
/// Reads come from the copy and never wait for the cluster. An append is first written into a transaction of the copy, which checks whether it
/// is possible. Then one transaction of the cluster compares the head and puts the batch and the next head. Then the copy commits. So an
/// acknowledged batch is on the disks of most members and in this copy.
///
/// A read never proves that a batch was not appended: a request without an answer may be executed later. The same transaction is sent again
/// until the head moves, which it can do only once.
public final class ReplicatedActionLog: SharedActionLog, ForwardingLog {
    struct State {
        /// An append in doubt; it is resolved before the next append.
        var doubt: Attempt?
        /// An append that the cluster has, and that the copy may not have followed yet.
        var untaken: Attempt?
        /// Until when calls fail at once because the cluster is away, in nanoseconds of the monotonic clock.
        var awayUntil: UInt64 = 0
        /// The revision at which this machine became the runner of commands; `nil`: it is not.
        var fence: Int64?
        /// The guaranteed end of its lease, in nanoseconds of the monotonic clock.
        var leadsUntil: UInt64 = 0
        /// Whether this process has been the runner.
        var hasLed = false
        /// The id of the batch that is being appended.
        var inFlight: [UInt8] = []
        /// Batches per page.
        var pageBatches = ReplicatedActionLog.pageBatchesAtFirst
        /// The base that the copy is about to have; 0: it stays.
        var announcedBase: UInt64 = 0
        /// Number of flushes that this process has appended.
        var appends: UInt64 = 0
        /// The number of batches in this machine's last report, and its time on the monotonic clock in nanoseconds; 0: no report yet.
        var reported: UInt64 = 0
        var reportedAt: UInt64 = 0
        /// Why this machine no longer follows the others, as it reports; empty: it does.
        var obstacle = ""
        /// Whether the members accept anything.
        var reach = SharedLogReach.answers
        /// Whether they refused the last append or report because their databases have reached the quota.
        var isFull = false
        var listener: (@Sendable (SharedLogEvent) -> Void)?
        var beginning = SharedLogBeginning.continued
        /// Whether another copy reports under this machine's name.
        var hasNamesake = false
        /// A machine that has more batches than the cluster.
        var putBack: SharedNode?
        /// Whether the reports of other machines forbid appends.
        var isBarred: Bool { hasNamesake || putBack != nil }
        /// The leases of the current questions that were answered.
        var answered: Set<Int64> = []
        /// The last survey.
        var survey: SharedLogSurvey?
        /// For the trimming machine: the revision of each machine's last report, and when it was first seen on the monotonic clock.
        var heard: [String: (revision: Int64, since: UInt64)] = [:]
        /// The revision of this machine's last compaction.
        var compactedRevision: Int64 = 0
    }

    /// The machine's own copy.
    public let copy: any ReplicableLog
    public let node: String
    let client: EtcdClient
    let keys: SharedKeys
    let trimming: SharedLogTrimming
    let remedies: SharedLogRemedies
    /// Whether this version can read the payload of an action.
    let isAction: @Sendable ([UInt8]) -> Bool
    let state = Mutex(State())

    /// Maximum size of a batch: members accept requests of up to 1.5 MiB.
    public static let batchBytesMax = 1 << 20
    /// How long an append is tried, in nanoseconds; members elect a leader in less.
    static let patience: UInt64 = 2_500_000_000
    /// How long appends then fail at once, in nanoseconds.
    static let awayPause: UInt64 = 1_000_000_000
    /// Pause after all members were asked in vain, in microseconds.
    static let roundPause: UInt32 = 50_000
    /// Pause between two checks for readers of the copy, in microseconds.
    static let readersPause: UInt32 = 10_000
    /// Batches per page, at most and at first; the first page has some megabytes at most.
    static let pageBatchesMax = 1_024
    static let pageBatchesAtFirst = 8
    /// For a machine that is up to date: the next batches may have the maximum size.
    static let pageBatchesWhenLevel = 64

    init(
        copy: any ReplicableLog, _ options: SharedLogOptions, isAction: @escaping @Sendable ([UInt8]) -> Bool
    ) throws(EtcdError) {
        self.copy = copy
        self.isAction = isAction
        client = try EtcdClient(options.etcd)
        node = options.node
        keys = SharedKeys(name: options.name)
        trimming = options.trimming
        remedies = options.remedies
    }

    /// A batch is somewhat larger than its flush.
    public var flushBytesMax: Int { Self.batchBytesMax / 2 }

    /// Whether this machine runs the commands.
    public var isLeading: Bool { state.withLock { $0.fence != nil } }

    public var wrapped: any ActionLog { copy }

    public var deadlineFromNow: UInt64 { monotonic_nanoseconds() + Self.patience }

    /// Appends a flush for all machines.
    public func append(_ flush: Flush, until deadline: UInt64) throws(ActionLogError) {
        guard !flush.isEmpty else { return try copy.append(flush) }
        guard flush.beginning == nil else {
            throw .contradiction(what: "a log that several machines share can't begin with the base of another")
        }
        try settle(until: deadline)
        try checkReach()
        let attempt = try attempt(flush)
        var local = flush
        local.place = attempt.place
        try commit(attempt, until: deadline) { (once) throws(ActionLogError) in try copy.append(local, once: once) }
    }

    /// Replaces the payloads of records on all machines, each at the same place in the order of batches.
    ///
    /// The cluster keeps the batches with the old payloads until all machines have followed this one.
    public func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError) {
        let deadline = deadlineFromNow
        try settle(until: deadline)
        try checkReach()
        let bases = try checkBases(payloads.map(\.sequence).min() ?? .max, until: deadline)
        let attempt = try attempt(Flush(after: copy.head), redacting: payloads, if: [bases])
        try commit(attempt, until: deadline) { (once) throws(ActionLogError) in
            try copy.redact(payloads, at: attempt.place, once: once)
        }
    }

    /// Commits to the cluster after the copy's writes and before the copy's commit.
    private func commit(
        _ attempt: Attempt, until deadline: UInt64,
        within write: (() throws(ActionLogError) -> Void) throws(ActionLogError) -> Void
    ) throws(ActionLogError) {
        defer { state.withLock { $0.inFlight = [] } }
        var isSettled = false
        do throws(ActionLogError) {
            try write { () throws(ActionLogError) in
                try commit(attempt, until: deadline)
                isSettled = true
            }
        } catch {
            guard isSettled else { throw error }
            // It is in the shared log. This machine follows it as soon as it can.
            state.withLock { $0.untaken = attempt }
            throw .inDoubt(what: "the cluster has it, and this machine has not: \(error)")
        }
    }

    /// Whether an append in doubt, or one that is not in the copy yet, contains a key.
    public func isInDoubt(_ key: String, of uid: UInt32) -> Bool {
        let (doubt, untaken) = state.withLock { ($0.doubt, $0.untaken) }
        let taken = copy.place?.number ?? 0
        return [doubt, untaken].contains { $0.map { $0.place.number > taken && $0.flush.brings(key, of: uid) } ?? false }
    }

    /// Throws `othersFirst` if the copy lags.
    public func confirm(until deadline: UInt64) throws(ActionLogError) {
        try settle(until: deadline)
        try checkReach()
        let found = try read(.range(EtcdRange(keys.head)), until: deadline)
        guard found.first?.value == (try sharedHead()).canonicalBytes else { throw .othersFirst }
    }

    /// The head of the shared log as the copy knows it.
    func sharedHead() throws(ActionLogError) -> SharedHead { SharedHead(copy.head, at: try ownPlace()) }

    func ownPlace() throws(ActionLogError) -> ReplicaPlace {
        guard let place = copy.place else { throw .contradiction(what: "the log is no copy of a shared one") }
        return place
    }

    private func attempt(
        _ flush: Flush, redacting payloads: [(sequence: UInt64, payload: [UInt8])] = [],
        if conditions: [EtcdTransaction.Comparison] = []
    ) throws(ActionLogError) -> Attempt {
        let before = try ownPlace()
        let fence = state.withLock { $0.fence }
        // After losing the lease, the flush has to be decided again without the runner's actions.
        if flush.isFromRunner, fence == nil { throw .othersFirst }
        var place = before
        (place.number, place.batch) = (before.number + 1, SharedBatch.newID())
        if !payloads.isEmpty { place.redaction = place.number }
        let key = keys.batch(place.number)
        let batch = SharedBatch(
            id: place.batch, previous: before.batch, node: node, flush: SharedFlush(flush), payloads: payloads)
        let value = Row.sealed(batch, key: key)
        guard value.count <= Self.batchBytesMax else {
            throw .flushTooLarge(bytes: value.count, max: Self.batchBytesMax)
        }
        let head = SharedHead(copy.head, at: before).canonicalBytes
        let next = SharedHead(flush.head(after: copy.head), at: place)
        var comparisons: [EtcdTransaction.Comparison] = [
            .value(of: keys.head, head), .createRevision(of: key, 0),
        ]
        if flush.isFromRunner, let fence { comparisons.append(.createRevision(of: keys.leader, fence)) }
        state.withLock { $0.inFlight = place.batch }
        return Attempt(
            place: place, head: head, fence: flush.isFromRunner ? fence : nil, flush: batch.flush,
            transaction: EtcdTransaction(
                if: comparisons + conditions, then: [.put(keys.head, next.canonicalBytes), .put(key, value)],
                otherwise: [.range(EtcdRange(key)), .range(EtcdRange(keys.head)), .range(EtcdRange(keys.leader))]))
    }
}
