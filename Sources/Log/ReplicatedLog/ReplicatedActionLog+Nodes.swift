public import ChronicleLog
import ChronicleValues
import CMachine
import Etcd
import Synchronization

extension ReplicatedActionLog {
    /// Interval of reports while nothing changes, in nanoseconds.
    static let reportPause: UInt64 = 60_000_000_000
    /// Interval of reports while batches come, in nanoseconds.
    static let progressPause: UInt64 = 5_000_000_000

    /// Reports this machine's position at intervals; the cluster keeps the batches that it lacks.
    func report() async throws(EtcdError) {
        guard let place = copy.place else { return }
        let now = monotonic_nanoseconds()
        let (reported, last) = state.withLock { ($0.reported, $0.reportedAt) }
        guard last == 0 || now - last > (reported == place.number ? Self.reportPause : Self.progressPause) else { return }
        do throws(EtcdError) {
            let said = try await client.answer(to: .range(EtcdRange(keys.node(node)))).first
            let hasNamesake = isNamesake(said, of: place)
            note { $0.hasNamesake = hasNamesake }
            guard !hasNamesake else { return }
            // If another machine wrote the key in between, the next report reads it.
            guard try await client.answer(to: .transaction(reporting(place, over: said))).hasSucceeded else { return }
            note { $0.isFull = false }
        } catch {
            // Full members keep for this machine what it lacked at its last report.
            guard case .refused(.full, _) = error else { throw error }
            note { $0.isFull = true }
        }
        state.withLock { ($0.reported, $0.reportedAt) = (place.number, now) }
    }

    /// Sets why this machine no longer follows the others (`nil` if it does), and sends the next report soon.
    func tell(ofObstacle obstacle: String?) {
        let words = String((obstacle ?? "").unicodeScalars.prefix(SharedNode.obstacleScalarsMax))
        state.withLock { state in
            guard state.obstacle != words else { return }
            (state.obstacle, state.reportedAt) = (words, 0)
        }
    }

    /// Removes a machine whose copy does not come back, so that the cluster keeps nothing for it.
    ///
    /// Throws `unavailable` if that fails, or if another copy has the name by now.
    public static func forget(_ place: ReplicaPlace, _ options: SharedLogOptions) async throws(ActionLogError) {
        let key = SharedKeys(name: place.name).node(options.node)
        var obstacle = "the entry of the machine \(options.node) changes all the time"
        do throws(EtcdError) {
            let client = try EtcdClient(options.etcd)
            _ = client.trustMajority()
            for _ in 0..<forgettingsMax {
                guard let said = try await client.answerOfAny(to: .range(EtcdRange(key))).first else { return }
                let other = try? SharedNode(canonical: said.value)
                guard other?.copyID ?? 0 == 0 || other?.copyID == place.copyID else {
                    obstacle = "another copy of the log uses the machine name \(options.node)"
                    break
                }
                let forgetting = EtcdTransaction(if: [.value(of: key, said.value)], then: [.delete(EtcdRange(key))])
                // Read the key again if it was written in between.
                if try await client.answerOfAny(to: .transaction(forgetting)).hasSucceeded { return }
            }
        } catch {
            obstacle = options.remedies.words(of: error)
        }
        throw .unavailable(what: "\(obstacle); to remove what is kept: etcdctl del \(String(decoding: key, as: UTF8.self))")
    }

    private static let forgettingsMax = 3

    /// Reports at the start how far this machine is, so that the batches it lacks are not removed while it catches up.
    ///
    /// Throws `contradiction` if another copy reported under the same name a moment ago.
    func reportAtStart() throws(ActionLogError) {
        guard let place = copy.place else { return }
        for _ in 0..<Self.reportsAtStartMax {
            let looking = EtcdTransaction(then: [
                .range(EtcdRange(allWith: keys.nodes)), .range(EtcdRange(keys.head)),
                .range(EtcdRange(keys.batch(0), upTo: keys.batch(.max), limit: 1)),
            ])
            // While the cluster is away, no batches are removed.
            guard let found = try? ask(.transaction(looking)), found.entries.count == 3 else { return }
            let said = found.entries[0].first { $0.key == keys.node(node) }
            guard !isNamesake(said, of: place) else { throw .contradiction(what: namesake) }
            let head = found.entries[1].first.flatMap { try? SharedHead($0) }
            let ahead = head.flatMap { machineAhead(of: $0, in: found.entries[0]) }
            note { $0.putBack = ahead }
            let first = found.entries[2].first.flatMap { keys.number(ofBatch: $0.key) } ?? (head?.number ?? 0) &+ 1
            // A machine that lacks removed batches can't join. Nothing is kept for it.
            guard first <= place.number + 1 else { return }
            // The report applies only if the next batch still exists, or if none was appended.
            let isKept: EtcdTransaction.Comparison =
                (head?.number ?? 0) > place.number
                ? .exists(keys.batch(place.number + 1)) : .value(of: keys.head, found.entries[1].first?.value ?? [])
            var saying = reporting(place, over: said)
            saying.comparisons.append(isKept)
            // Read the key again if it was written in between.
            guard let answer = try? ask(.transaction(saying)), !answer.hasSucceeded else { return }
        }
    }

    /// A concurrent writer is another copy of the same name; the next attempt finds it.
    private static let reportsAtStartMax = 3

    /// How long a name belongs to the copy that last reported under it.
    private static let nameTimeMax = Duration.seconds(120)

    /// Whether another copy reported under this machine's name a moment ago.
    private func isNamesake(_ said: EtcdEntry?, of place: ReplicaPlace) -> Bool {
        guard let said, let other = try? SharedNode(canonical: said.value) else { return false }
        guard other.copyID != 0, other.copyID != place.copyID else { return false }
        return !other.isAway(longerThan: Self.nameTimeMax, at: wall_microseconds())
    }

    var namesake: String {
        "another copy of the shared log used the machine name \(node) a moment ago: \(remedies.node); if the other copy no longer "
            + "exists, its name is free two minutes after its last report, after a --detach, or at once with: etcdctl del \(String(decoding: keys.node(node), as: UTF8.self))"
    }

    /// A machine with more batches of a log than the cluster: the cluster was restored to an older state, since it never reuses a
    /// number.
    ///
    /// A machine that appended after the cluster's end would have another log than that machine. The result remains when others
    /// have appended, as long as that machine reports that it does not follow them.
    func machineAhead(of head: SharedHead, in said: [EtcdEntry]) -> SharedNode? {
        let (before, own) = (state.withLock { $0.putBack?.copyID }, copy.place?.copyID)
        return keys.machines(in: said).first {
            guard $0.epoch == head.epoch, $0.copyID != own else { return false }
            return $0.batches > head.number || $0.copyID == before && !$0.obstacle.isEmpty
        }
    }

    func putBack(by ahead: SharedNode) -> String {
        "the machine \(ahead.name) has more batches of this log than the cluster, up to \(ahead.batches): the cluster was restored to an older state: "
            + "found the log again with the copy of that machine, or stop it, and discard its additional batches with: etcdctl del "
            + String(decoding: keys.node(ahead.name), as: UTF8.self)
    }

    private func reporting(_ place: ReplicaPlace, over said: EtcdEntry?) -> EtcdTransaction {
        let key = keys.node(node)
        let isAsFound: EtcdTransaction.Comparison =
            if let said { .value(of: key, said.value) } else { .createRevision(of: key, 0) }
        return EtcdTransaction(if: [isAsFound], then: says(ownReport(place)))
    }

    /// Reports the base of this machine's copy before it is compacted: from then on no machine redacts a record before that.
    ///
    /// Call it on the thread of the appends. Throws `othersFirst` if the copy lags: it has to contain the redactions of others.
    public func announceBase(_ sequence: UInt64) throws(ActionLogError) {
        let deadline = deadlineFromNow
        try resolveInDoubt(until: deadline)
        try checkReach()
        let before = state.withLock { state in
            defer { state.announcedBase = max(state.announcedBase, sequence) }
            return state.announcedBase
        }
        let announcing = EtcdTransaction(
            if: [.value(of: keys.head, (try sharedHead()).canonicalBytes)], then: says(ownReport(try ownPlace())))
        do throws(ActionLogError) {
            // The transaction is idempotent.
            guard try read(.transaction(announcing), until: deadline).hasSucceeded else { throw .othersFirst }
        } catch {
            state.withLock { $0.announcedBase = before }
            throw error
        }
    }

    /// Withdraws an announced base with the next report, which is sent soon.
    public func withdrawBase() { state.withLock { ($0.announcedBase, $0.reportedAt) = (0, 0) } }

    private func ownReport(_ place: ReplicaPlace) -> SharedNode {
        let (announcedBase, obstacle) = state.withLock { ($0.announcedBase, $0.obstacle) }
        return SharedNode(
            name: node, batches: place.number, sequence: copy.head.sequence, time: wall_microseconds(),
            base: max(copy.base?.sequence ?? 0, announcedBase), copyID: place.copyID, epoch: copy.head.epoch, obstacle: obstacle)
    }

    /// The operations of a report; a copy that does not begin with the first record also overwrites the common key of bases.
    private func says(_ report: SharedNode) -> [EtcdTransaction.Operation] {
        let value = report.canonicalBytes
        return [.put(keys.node(node), value)] + (report.base == 0 ? [] : [.put(keys.base, value)])
    }

    /// Refuses a redaction of a record that a machine has compacted away.
    ///
    /// - Returns: a comparison that holds until a machine reports another base.
    func checkBases(_ sequence: UInt64, until deadline: UInt64) throws(ActionLogError) -> EtcdTransaction.Comparison {
        let looking = EtcdTransaction(then: [.range(EtcdRange(allWith: keys.nodes)), .range(EtcdRange(keys.base))])
        let found = try read(.transaction(looking), until: deadline).entries
        try checkBases(of: keys.machines(in: found.first ?? []), sequence)
        // Reports differ at least in their time.
        guard let last = found.last?.first else { return .createRevision(of: keys.base, 0) }
        return .value(of: keys.base, last.value)
    }

    /// Throws if a redaction of the record would be refused now; does not throw if the cluster is away.
    public func checkRedaction(of sequence: UInt64) async throws(ActionLogError) {
        guard let survey = try? await survey() else { return }
        try checkBases(of: survey.nodes, sequence)
    }

    private func checkBases(of nodes: [SharedNode], _ sequence: UInt64) throws(ActionLogError) {
        guard let other = nodes.max(by: { $0.base < $1.base }), sequence <= other.base else { return }
        throw .unavailable(
            what: "record \(sequence) can no longer be redacted, because the machine \(other.name) has compacted its "
                + "copy up to record \(other.base), and has it in an archive; if that machine no longer exists: etcdctl del "
                + String(decoding: keys.node(other.name), as: UTF8.self))
    }
}

extension SharedKeys {
    /// Decodes the reports of machines; omits those that can't be read.
    func machines(in entries: [EtcdEntry]) -> [SharedNode] {
        entries.compactMap { entry in
            guard var node = try? SharedNode(canonical: entry.value) else { return nil }
            node.name = String(decoding: entry.key.dropFirst(nodes.count), as: UTF8.self)
            node.revision = entry.modRevision
            return node
        }
    }

    /// The last report of a machine whose copy does not begin with the first record.
    var base: [UInt8] { Array("\(prefix)base".utf8) }

    func number(ofBatch key: [UInt8]) -> UInt64? {
        UInt64(String(decoding: key.dropFirst(batch(0).count - 20), as: UTF8.self))
    }
}

/// A machine's report of its position in the log.
public struct SharedNode: Sendable, Equatable {
    public var name: String
    /// The number of batches in its copy, on its own disk.
    public var batches: UInt64
    public var sequence: UInt64
    /// The time of the report by the machine's clock, in microseconds since 1970.
    public var time: Int64
    /// The base of its copy: the last compacted record; 0: the copy has all records.
    public var base: UInt64 = 0
    /// The id of its copy; 0: unknown.
    public var copyID: UInt64 = 0
    /// The epoch of the log whose batches these are; 0: unknown.
    public var epoch: UInt64 = 0
    /// Why the machine has stopped following the others, as a sentence; empty: it follows.
    public var obstacle = ""
    var revision: Int64 = 0

    /// Whether the last report is older than this, by a clock that may be another machine's.
    public func isAway(longerThan limit: Duration, at now: Int64) -> Bool {
        .microseconds(now.subtracting(clamping: time)) > limit
    }
}

extension SharedNode: RowCoding {
    /// Maximum number of Unicode scalars of an obstacle, each of at most four bytes.
    static let obstacleScalarsMax = 250

    public init() { self.init(name: "", batches: 0, sequence: 0, time: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &name)
        try fields.field(2, &batches)
        try fields.field(3, &sequence)
        try fields.field(4, &time)
        try fields.field(5, &base)
        try fields.field(6, &copyID)
        try fields.field(7, &obstacle)
        try fields.field(8, &epoch)
    }

    /// A base after the end would forbid all redactions.
    public var isValid: Bool { base <= sequence && obstacle.unicodeScalars.count <= Self.obstacleScalarsMax }
}
