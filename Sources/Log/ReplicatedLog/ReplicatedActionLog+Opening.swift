public import ChronicleLog
import ChronicleValues
public import Etcd
internal import Synchronization

/// Options of a shared log.
public struct SharedLogOptions: Sendable {
    /// The name of the log among those of the cluster.
    public var name: String
    /// This machine's name, which no other machine has.
    public var node: String
    public var etcd: EtcdOptions
    /// How much of the log the cluster keeps for machines that lag.
    public var trimming: SharedLogTrimming
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

/// How a process opened its part of a shared log.
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
            // No member was asked yet: the error is about the files of the certificates.
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
                what: "this log has no records, but keys or settings of its own, which no other machine would get: begin with an "
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
            throw .contradiction(what: "the cluster has no beginning of a shared log \(name), or no end")
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
