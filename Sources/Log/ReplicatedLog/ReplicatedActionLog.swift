import CMachine
import Etcd
public import Records
internal import Synchronization
import Values

/// A log that several machines share: an etcd cluster gives the batches their order, and each machine has a copy of its own.
///
/// Reads come from the copy, and never wait for the cluster. An append is first written into a transaction of the copy, which finds out
/// whether it can be; then one transaction of the cluster compares the head, and puts the batch and the next head; then the copy commits. So
/// what is acknowledged is on the disks of most members and in this copy.
///
/// That a batch was not appended is never concluded from a read: a request without an answer may be carried out later. The same
/// transaction is sent again until the head moves, which it can do once only.
public final class ReplicatedActionLog: SharedActionLog, ForwardingLog {
    /// What is known besides the copy.
    struct State {
        /// An append without an answer; nothing is appended before it has one.
        var doubt: Attempt?
        /// An append that the cluster has and the copy has not, as far as it has not followed since.
        var untaken: Attempt?
        /// Until when nothing is asked of the cluster, in nanoseconds of the monotonic clock, because nobody answered a moment ago.
        var awayUntil: UInt64 = 0
        /// The revision at which this machine became the one that runs commands.
        var fence: Int64?
        /// Until when it is that one at least, in nanoseconds of the monotonic clock.
        var leadsUntil: UInt64 = 0
        /// Whether this process has become that before.
        var hasLed = false
        /// The batch that is on its way.
        var inFlight: [UInt8] = []
        /// How many batches are read at once.
        var pageBatches = ReplicatedActionLog.pageBatchesAtFirst
        /// Where the copy is about to begin; 0: where it does.
        var announcedBase: UInt64 = 0
        /// How many flushes this process has appended.
        var appends: UInt64 = 0
        /// How many batches this machine has said last that it has, and when, in nanoseconds of the monotonic clock; 0: never.
        var reported: UInt64 = 0
        var reportedAt: UInt64 = 0
        /// Why this machine no longer takes in what others append, as it tells them; empty: it does.
        var obstacle = ""
        /// Whether the members accept anything.
        var reach = SharedLogReach.answers
        /// Whether they refused the last append or report because their databases have reached the quota.
        var isFull = false
        /// Who is told when that is otherwise.
        var listener: (@Sendable (SharedLogEvent) -> Void)?
        /// How this process came to its part of the log.
        var beginning = SharedLogBeginning.continued
        /// Whether another copy says that its machine is called as this one.
        var hasNamesake = false
        /// The machine of which less stands in the cluster than it has; `nil`: none.
        var putBack: SharedNode?
        /// Whether nothing is appended here for what machines say of themselves, until they say otherwise.
        var isBarred: Bool { hasNamesake || putBack != nil }
        /// The questions, by their leases, that were answered and stand.
        var answered: Set<Int64> = []
        /// The last survey.
        var survey: SharedLogSurvey?
        /// At which revision each machine spoke last, and since when that is so, in nanoseconds of the monotonic clock; as far as it trims.
        var heard: [String: (revision: Int64, since: UInt64)] = [:]
        /// Up to where this machine has had the members forget.
        var compactedRevision: Int64 = 0
    }

    /// The machine's own copy.
    public let copy: any ReplicableLog
    /// What this machine is called.
    public let node: String
    let client: EtcdClient
    let keys: SharedKeys
    let trimming: SharedLogTrimming
    let remedies: SharedLogRemedies
    /// Whether this version can read the payload of an action.
    let isAction: @Sendable ([UInt8]) -> Bool
    let state = Mutex(State())

    /// Bytes of a batch: members take requests of 1.5 MiB.
    public static let batchBytesMax = 1 << 20
    /// How long an append is tried before its caller is told that nobody answers; members elect a leader within it.
    static let patience: UInt64 = 2_500_000_000
    /// How long nothing is tried after that.
    static let awayPause: UInt64 = 1_000_000_000
    /// How long who asked all members in vain waits before asking them again, in microseconds.
    static let roundPause: UInt32 = 50_000
    /// How long it is waited for readers of the copy to end, in microseconds.
    static let readersPause: UInt32 = 10_000
    /// Batches that are read at once, and at first: as large as they may be, they are some megabytes.
    static let pageBatchesMax = 1_024
    static let pageBatchesAtFirst = 8
    /// By a machine that has all: what comes next may be as large as batches may be.
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

    /// A batch may be somewhat larger than the flush in it.
    public var flushBytesMax: Int { Self.batchBytesMax / 2 }

    /// Whether this machine runs the commands.
    public var isLeading: Bool { state.withLock { $0.fence != nil } }

    /// The copy answers all that is read.
    public var wrapped: any ActionLog { copy }

    /// Until when something is tried that begins now.
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

    /// Has all machines put other payloads in the place of those that records have, each at the same place in the order of all.
    ///
    /// The cluster itself keeps the batches that had them until all machines are behind this one.
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

    /// Commits for all between what the copy writes and its own commit.
    private func commit(
        _ attempt: Attempt, until deadline: UInt64,
        within write: (() throws(ActionLogError) -> Void) throws(ActionLogError) -> Void
    ) throws(ActionLogError) {
        // From then on it is in the copy, or news.
        defer { state.withLock { $0.inFlight = [] } }
        var isSettled = false
        do throws(ActionLogError) {
            try write { () throws(ActionLogError) in
                try commit(attempt, until: deadline)
                isSettled = true
            }
        } catch {
            guard isSettled else { throw error }
            // It stands in the log of all, and this machine takes it in once it can.
            state.withLock { $0.untaken = attempt }
            throw .inDoubt(what: "the cluster has it, and this machine has not: \(error)")
        }
    }

    /// Whether what had no answer, or is not in the copy yet, brings something under a key.
    public func isInDoubt(_ key: String, of uid: UInt32) -> Bool {
        let (doubt, untaken) = state.withLock { ($0.doubt, $0.untaken) }
        let taken = copy.place?.number ?? 0
        return [doubt, untaken].contains { $0.map { $0.place.number > taken && $0.flush.brings(key, of: uid) } ?? false }
    }

    /// Finds out whether the copy is level with what all machines have.
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
        // Whoever no longer runs the commands has to decide anew without what the runner said.
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
