public import ChronicleLog
import ChronicleValues
import CMachine
public import Etcd
internal import Synchronization

/// A log that several machines share: an etcd cluster orders the batches, and each machine has a copy.
///
/// Reads use the copy and never wait for the cluster. An append is first written into a transaction of the copy, which checks
/// whether it is possible. Then one transaction of the cluster compares the head and puts the batch and the next head. Then the
/// copy commits. So an acknowledged batch is on the disks of most members and in this copy.
///
/// A read never proves that a batch was not appended: a request without an answer may be executed later. The same transaction is
/// sent again until the head moves, which it can do only once.
public final class ReplicatedActionLog: SharedActionLog, ForwardingLog {
    struct State {
        /// An append in doubt, to be resolved before the next one.
        var doubt: PendingAppend?
        /// An append that the cluster has, and that the copy may not have followed yet.
        var untaken: PendingAppend?
        /// Until when calls fail at once because the cluster is away, in nanoseconds of the monotonic clock.
        var awayUntil: UInt64 = 0
        /// The revision at which this machine became the runner of commands; `nil`: it is not.
        var fence: Int64?
        /// The guaranteed end of its lease, in nanoseconds of the monotonic clock.
        var leadsUntil: UInt64 = 0
        var hasLed = false
        var inFlight: [UInt8] = []
        var pageBatches = ReplicatedActionLog.pageBatchesAtFirst
        /// The base that the copy will have after a compaction; 0: no change.
        var announcedBase: UInt64 = 0
        var appends: UInt64 = 0
        /// The number of batches in this machine's last report, and its time on the monotonic clock in nanoseconds; 0: no report yet.
        var reported: UInt64 = 0
        var reportedAt: UInt64 = 0
        /// Why this machine no longer follows the others, as it reports; empty: it does.
        var obstacle = ""
        var reach = ClusterHealth.answers
        /// Whether they refused the last append or report because a database has reached its quota.
        var isFull = false
        var listener: (@Sendable (SharedLogEvent) -> Void)?
        var beginning = SharedLogBeginning.continued
        var hasNamesake = false
        /// A machine that has more batches than the cluster.
        var putBack: SharedNode?
        /// Whether the reports of other machines forbid appends.
        var isBarred: Bool { hasNamesake || putBack != nil }
        /// For the trimming machine: the revision of each machine's last report, and when it was first seen on the monotonic clock.
        var heard: [String: (revision: Int64, since: UInt64)] = [:]
        var compactedRevision: Int64 = 0
    }

    public let copy: any ReplicableLog
    public let node: String
    let client: EtcdClient
    let keys: SharedKeys
    let trimming: SharedLogTrimming
    let remedies: ErrorHints
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
    /// Pause before another attempt to read the copy, in microseconds.
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

    public var isLeading: Bool { state.withLock { $0.fence != nil } }

    public var wrapped: any ActionLog { copy }

    public var deadlineFromNow: UInt64 { monotonic_nanoseconds() + Self.patience }

    public func append(_ flush: Flush, until deadline: UInt64) throws(ActionLogError) {
        guard !flush.isEmpty else { return try copy.append(flush) }
        guard flush.beginning == nil else {
            throw .contradiction(what: "a shared log can't begin with the base of another log")
        }
        try resolveInDoubt(until: deadline)
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
        try resolveInDoubt(until: deadline)
        try checkReach()
        let bases = try checkBases(payloads.map(\.sequence).min() ?? .max, until: deadline)
        let attempt = try attempt(Flush(after: copy.head), redacting: payloads, if: [bases])
        try commit(attempt, until: deadline) { (once) throws(ActionLogError) in
            try copy.redact(payloads, at: attempt.place, once: once)
        }
    }

    /// Commits to the cluster after the copy's writes and before the copy's commit.
    private func commit(
        _ attempt: PendingAppend, until deadline: UInt64,
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
            throw .inDoubt(what: "the cluster has the change, but this machine does not have it yet: \(error)")
        }
    }

    /// Whether an append in doubt, or one that is not in the copy yet, contains a key.
    public func isInDoubt(_ key: String, of uid: UInt32) -> Bool {
        let (doubt, untaken) = state.withLock { ($0.doubt, $0.untaken) }
        let taken = copy.place?.number ?? 0
        return [doubt, untaken].contains { $0.map { $0.place.number > taken && $0.flush.brings(key, of: uid) } ?? false }
    }

    /// Throws `othersFirst` if the copy lags.
    public func readIndex(until deadline: UInt64) throws(ActionLogError) {
        try resolveInDoubt(until: deadline)
        try checkReach()
        let found = try read(.range(EtcdRange(keys.head)), until: deadline)
        guard found.first?.value == (try sharedHead()).canonicalBytes else { throw .othersFirst }
    }

    /// The head of the shared log as the copy knows it.
    func sharedHead() throws(ActionLogError) -> SharedHead { SharedHead(copy.head, at: try ownPlace()) }

    func ownPlace() throws(ActionLogError) -> ReplicaPlace {
        guard let place = copy.place else { throw .contradiction(what: "the log is not a copy of a shared log") }
        return place
    }

    private func attempt(
        _ flush: Flush, redacting payloads: [(sequence: UInt64, payload: [UInt8])] = [],
        if conditions: [EtcdTransaction.Comparison] = []
    ) throws(ActionLogError) -> PendingAppend {
        let before = try ownPlace()
        let fence = state.withLock { $0.fence }
        // After losing the lease, the flush has to be decided again without the runner's actions.
        if flush.isFromRunner, fence == nil { throw .othersFirst }
        var place = before
        (place.number, place.batch) = (before.number + 1, SharedBatch.newID())
        if !payloads.isEmpty { place.redaction = place.number }
        let key = keys.batch(place.number)
        let batch = SharedBatch(
            id: place.batch, previous: before.batch, node: node, flush: ReplicatedBatch(flush), payloads: payloads)
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
        return PendingAppend(
            place: place, head: head, fence: flush.isFromRunner ? fence : nil, flush: batch.flush,
            transaction: EtcdTransaction(
                if: comparisons + conditions, then: [.put(keys.head, next.canonicalBytes), .put(key, value)],
                otherwise: [.range(EtcdRange(key)), .range(EtcdRange(keys.head)), .range(EtcdRange(keys.leader))]))
    }
}

public struct SharedLogOptions: Sendable {
    public var name: String
    /// This machine's unique name.
    public var node: String
    public var etcd: EtcdOptions
    public var trimming: SharedLogTrimming
    public var remedies: ErrorHints

    public init(
        name: String, node: String, etcd: EtcdOptions, trimming: SharedLogTrimming = SharedLogTrimming(),
        remedies: ErrorHints = ErrorHints()
    ) {
        (self.remedies, self.name, self.node, self.etcd, self.trimming) = (remedies, name, node, etcd, trimming)
    }
}

public enum SharedLogBeginning: Sendable, Equatable {
    /// It founded the log with the contents of its copy.
    case founded
    /// Its copy joined an existing log.
    case joined
    /// Its copy had joined before.
    case continued
}

extension ReplicatedActionLog {
    public var beginning: SharedLogBeginning { state.withLock { $0.beginning } }

    /// Opens this machine's part of a shared log: founds it, joins it, or continues.
    ///
    /// The first machine founds it with its own log. A joining machine has an empty log or a copy of the one that it was founded with. A copy that
    /// has joined before is opened also while the cluster is away. Otherwise throws `unavailable` while the cluster is away. Throws
    /// `contradiction` for a copy of another log, if another machine reported under the same name a moment ago, and if it has to found or
    /// join and the cluster refuses the user, the password or the certificate, or this machine does not trust the members.
    ///
    /// - Parameter isAction: whether this version can read the payload of an action. It is called for the records of other machines before they
    ///   are appended to the copy.
    public static func open(
        _ copy: any ReplicableLog, _ options: SharedLogOptions, isAction: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
    ) throws(ActionLogError) -> ReplicatedActionLog {
        let log: ReplicatedActionLog
        do throws(EtcdError) { log = try ReplicatedActionLog(copy: copy, options, isAction: isAction) } catch {
            // No member was contacted yet, so the error is about the certificate files.
            throw .contradiction(what: options.remedies.words(of: error))
        }
        let isOneCluster = log.client.trustMajority()
        if let place = copy.place {
            guard place.name == options.name else {
                throw .contradiction(
                    what: "this log is a copy of the shared log \(place.name), not of \(options.name): move its directory "
                        + "away, or make it a separate log with --detach to keep its content")
            }
        } else {
            // A log that is founded in two clusters would be two logs.
            guard isOneCluster else {
                throw .contradiction(
                    what: "the members belong to several clusters, and none has a majority: \(options.remedies.address)")
            }
            try log.checkIsEmptyIfWithoutRecords()
            let (founding, end) = try log.found(options.name)
            try log.join(founding, options.name, isEmpty: end.sequence == 0)
        }
        try log.identify()
        try log.reportAtStart()
        return log
    }

    private func identify() throws(ActionLogError) {
        guard var place = copy.place, place.copyID == 0 else { return }
        place.copyID = .random(in: 1...(.max))
        try copy.become(place, storeID: copy.head.storeID, epoch: copy.head.epoch)
    }

    /// Refuses a log that has rows but no records: the other machines begin with an empty log and would not get the rows.
    private func checkIsEmptyIfWithoutRecords() throws(ActionLogError) {
        let head = copy.head
        guard head.sequence == 0 else { return }
        var rowCount = 0
        _ = try copy.keys(after: nil, rowsMax: 1) { _, _ in rowCount += 1 }
        rowCount += try copy.bookmarks().count + copy.outbox().count
        let isEmpty =
            rowCount == 0 && head.lock == nil && head.throttles.isEmpty && head.invariants.isEmpty && head.heldThrough == 0
        guard isEmpty else {
            throw .contradiction(
                what: "this log has no records, but it has keys or settings that no other machine would get: start with an "
                    + "empty directory")
        }
    }

    /// Founds the log unless it exists; returns its first head and its current one.
    ///
    /// Throws `contradiction` if a machine has more batches than the cluster.
    private func found(_ name: String) throws(ActionLogError) -> (founding: SharedHead, end: SharedHead) {
        let own = SharedHead(copy.head, at: ReplicaPlace(name: name, batch: SharedBatch.newID()))
        let founding = EtcdTransaction(
            if: [.createRevision(of: keys.head, 0), .createRevision(of: keys.founding, 0)],
            then: [.put(keys.head, own.canonicalBytes), .put(keys.founding, own.canonicalBytes)],
            otherwise: [.range(EtcdRange(keys.founding)), .range(EtcdRange(keys.head)), .range(EtcdRange(allWith: keys.nodes))])
        let answer: EtcdTransaction.Answer
        // The transaction may be repeated: if the log exists, the answer says who founded it.
        do throws(EtcdError) { answer = try ask(.transaction(founding), until: deadlineFromNow) } catch {
            let lasting = error.isLasting ? error : client.mistakenAddress()
            throw lasting.map { .contradiction(what: words(of: $0)) } ?? .unavailable(what: words(of: error))
        }
        state.withLock { $0.beginning = .founded }
        guard !answer.hasSucceeded else { return (own, own) }
        guard answer.entries.count == 3, let first = answer.entries[0].first, let last = answer.entries[1].first else {
            throw .contradiction(what: "the cluster lacks the first or the current head of the shared log \(name)")
        }
        let (founded, end) = (try SharedHead(first), try SharedHead(last))
        if let ahead = machineAhead(of: end, in: answer.entries[2]) { throw .contradiction(what: putBack(by: ahead)) }
        // If the first answer was lost, this machine founded it itself.
        if founded != own { state.withLock { $0.beginning = .joined } }
        return (founded, end)
    }

    private func join(_ founding: SharedHead, _ name: String, isEmpty: Bool) throws(ActionLogError) {
        let head = copy.head
        let isSame = head.storeID == founding.storeID && head.sequence == founding.sequence && head.checksum == founding.checksum
        guard isSame || head.sequence == 0 && founding.sequence == 0 else {
            let mistake =
                "; if an empty machine founded it by mistake, stop that machine, and discard its log (etcdctl del --prefix \(keys.prefix))"
            throw .contradiction(
                what: "the shared log \(name) was founded with a log of \(founding.sequence) records, and this log of "
                    + "\(head.sequence) records is not a copy of it: restore a backup of a machine that has joined, or "
                    + "\(remedies.alone), as after --detach\(isEmpty ? mistake : "")")
        }
        try copy.become(
            ReplicaPlace(name: name, batch: founding.batch), storeID: founding.storeID, epoch: founding.epoch)
    }
}
