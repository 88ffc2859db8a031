public import Etcd
public import Records
internal import Synchronization
import Values

/// Which shared log, and who this machine is in it.
public struct SharedLogOptions: Sendable {
    /// The name of the log among those of the cluster.
    public var name: String
    /// What this machine is called; no two are called the same.
    public var node: String
    /// Where the cluster is.
    public var etcd: EtcdOptions
    /// What the cluster keeps for machines that are behind.
    public var trimming: SharedLogTrimming
    /// What a person mends.
    public var remedies: SharedLogRemedies

    public init(
        name: String, node: String, etcd: EtcdOptions, trimming: SharedLogTrimming = SharedLogTrimming(),
        remedies: SharedLogRemedies = SharedLogRemedies()
    ) {
        self.remedies = remedies
        self.name = name
        self.node = node
        self.etcd = etcd
        self.trimming = trimming
    }
}

/// How a process came to its part of a shared log.
public enum SharedLogBeginning: Sendable, Equatable {
    /// It founded the log, with what its copy had.
    case founded
    /// Others had founded it, and its copy joined them.
    case joined
    /// Its copy had joined before.
    case continued
}

extension ReplicatedActionLog {
    /// How this process came to its part of the log.
    public var beginning: SharedLogBeginning { state.withLock { $0.beginning } }

    /// Opens this machine's part of a shared log: founds it, joins it, or goes on.
    ///
    /// Who comes first founds it with the log that it has. Who joins brings an empty log, or a copy of the one that it was founded with; a copy that has
    /// joined before is opened also while the cluster is away. Throws `unavailable` when the cluster is away otherwise, and
    /// `contradiction` for a copy of something else, when another machine was called the same a moment ago, and when it is to be founded
    /// or joined and the cluster refuses the user, the password or the certificate, or this machine those of the members.
    ///
    /// - Parameter isAction: whether this version can read the payload of an action; what other machines put into records is held against
    ///   it before it takes the place of what they have.
    public static func open(
        _ copy: any ReplicableLog, _ options: SharedLogOptions, isAction: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
    ) throws(ActionLogError) -> ReplicatedActionLog {
        let log: ReplicatedActionLog
        do throws(EtcdError) { log = try ReplicatedActionLog(copy: copy, options, isAction: isAction) } catch {
            // Nobody was asked yet: it is about the files of the certificates.
            throw .contradiction(what: options.remedies.words(of: error))
        }
        let isOneCluster = log.client.trustMajority()
        if let place = copy.place {
            guard place.name == options.name else {
                throw .contradiction(
                    what: "this log is a copy of the shared log \(place.name), and not of \(options.name): put its directory "
                        + "away, or make it a log of its own with --detach, to keep what is in it")
            }
        } else {
            // A log that is founded in two clusters would be two logs.
            guard isOneCluster else {
                throw .contradiction(
                    what: "the members belong to several clusters, and none has most of them: \(options.remedies.address)")
            }
            try log.checkIsEmptyIfWithoutRecords()
            let (founding, end) = try log.found(options.name)
            try log.join(founding, options.name, isEmpty: end.sequence == 0)
        }
        try log.identify()
        try log.reportAtStart()
        return log
    }

    /// Gives the copy an id, if it has none.
    private func identify() throws(ActionLogError) {
        guard var place = copy.place, place.copyID == 0 else { return }
        place.copyID = .random(in: 1...(.max))
        try copy.become(place, storeID: copy.head.storeID, epoch: copy.head.epoch)
    }

    /// Refuses a log without records that is not empty all the same: others begin with nothing, and would not have what it has.
    private func checkIsEmptyIfWithoutRecords() throws(ActionLogError) {
        let head = copy.head
        guard head.sequence == 0 else { return }
        var rowCount = 0
        _ = try copy.keys(after: nil, rowsMax: 1) { _, _ in rowCount += 1 }
        let subscriptions = try copy.subscriptions()
        rowCount += try subscriptions.rows.count + subscriptions.damaged.count + copy.bookmarks().count + copy.outbox().count
        let isEmpty =
            rowCount == 0 && head.lock == nil && head.throttles.isEmpty && head.invariants.isEmpty && head.heldThrough == 0
        guard isEmpty else {
            throw .contradiction(
                what: "this log has no records, but keys, subscriptions or settings of its own, which no other machine would "
                    + "get: begin with an empty directory")
        }
    }

    /// Where the shared log began, here and now if nobody founded it before, and where it ends.
    ///
    /// Throws `contradiction` where a machine has more of it than the cluster.
    private func found(_ name: String) throws(ActionLogError) -> (founding: SharedHead, end: SharedHead) {
        let own = SharedHead(copy.head, at: ReplicaPlace(name: name, batch: SharedBatch.newID()))
        let founding = EtcdTransaction(
            if: [.createRevision(of: keys.head, 0), .createRevision(of: keys.founding, 0)],
            then: [.put(keys.head, own.canonicalBytes), .put(keys.founding, own.canonicalBytes)],
            otherwise: [.range(EtcdRange(keys.founding)), .range(EtcdRange(keys.head)), .range(EtcdRange(allWith: keys.nodes))])
        let answer: EtcdTransaction.Answer
        // It may be asked again: who finds that it was founded finds out by whom.
        do throws(EtcdError) { answer = try ask(.transaction(founding), until: deadlineFromNow) } catch {
            let lasting = error.isLasting ? error : client.mistakenAddress()
            throw lasting.map { .contradiction(what: words(of: $0)) } ?? .unavailable(what: words(of: error))
        }
        state.withLock { $0.beginning = .founded }
        guard !answer.hasSucceeded else { return (own, own) }
        guard answer.entries.count == 3, let first = answer.entries[0].first, let last = answer.entries[1].first else {
            throw .contradiction(what: "the cluster has no beginning of a shared log \(name), or no end")
        }
        let (founded, end) = (try SharedHead(first), try SharedHead(last))
        if let ahead = machineAhead(of: end, in: answer.entries[2]) { throw .contradiction(what: putBack(by: ahead)) }
        // It is its own where the first answer was lost.
        if founded != own { state.withLock { $0.beginning = .joined } }
        return (founded, end)
    }

    private func join(_ founding: SharedHead, _ name: String, isEmpty: Bool) throws(ActionLogError) {
        let head = copy.head
        let isSame = head.storeID == founding.storeID && head.sequence == founding.sequence && head.checksum == founding.checksum
        guard isSame || head.sequence == 0 && founding.sequence == 0 else {
            let mistake =
                "; where an empty machine founded it before this one could, stop that, and give it up (etcdctl del --prefix \(keys.prefix))"
            throw .contradiction(
                what: "the shared log \(name) was founded with a log of \(founding.sequence) records, and this one of "
                    + "\(head.sequence) records is not a copy of it: begin with a backup of a machine that has joined, or "
                    + "\(remedies.alone), as one is opened that left with --detach\(isEmpty ? mistake : "")")
        }
        try copy.become(
            ReplicaPlace(name: name, batch: founding.batch), storeID: founding.storeID, epoch: founding.epoch)
    }
}
