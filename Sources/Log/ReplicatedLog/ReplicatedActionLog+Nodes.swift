import CMachine
import Etcd
public import Records
import Synchronization
import Values

extension ReplicatedActionLog {
    /// How often a machine says that it is there although nothing has changed, in nanoseconds.
    static let reportPause: UInt64 = 60_000_000_000
    /// How often it says how far it is while that changes, in nanoseconds.
    static let progressPause: UInt64 = 5_000_000_000

    /// Says how far this machine is, if that is news: what it has not got yet is kept for it.
    func report() async throws(EtcdError) {
        guard let place = copy.place else { return }
        let now = monotonic_nanoseconds()
        let (reported, last) = state.withLock { ($0.reported, $0.reportedAt) }
        guard last == 0 || now - last > (reported == place.number ? Self.reportPause : Self.progressPause) else { return }
        do throws(EtcdError) {
            try await client.answer(to: EtcdCall<Void>.put(keys.node(node), ownReport(place).canonicalBytes))
        } catch {
            // Members that are full take nothing; what they have is kept for this machine until it can say more.
            guard case .refused(.full, _) = error else { throw error }
        }
        state.withLock { ($0.reported, $0.reportedAt) = (place.number, now) }
    }

    /// Has the cluster keep nothing any more for a machine that does not come back.
    public static func forget(_ node: String, _ options: SharedLogOptions) async throws(ActionLogError) {
        do throws(EtcdError) {
            let key = SharedKeys(name: options.name).node(node)
            try await EtcdClient(options.etcd).answer(to: EtcdCall<Void>.delete(EtcdRange(key)))
        } catch {
            throw .unavailable(what: "\(error)")
        }
    }

    /// Says at the start how far this machine is, so that what it lacks is not removed while it catches up.
    func reportAtStart() {
        // While the cluster is away nothing is removed.
        guard let place = copy.place else { return }
        _ = try? client.wait(for: .transaction(EtcdTransaction(then: says(ownReport(place)))))
    }

    /// Says where this machine's copy will begin, before it is compacted: from then on no machine takes anything out of what is before that.
    ///
    /// Comes from the thread of the appends. Throws `othersFirst` when the copy is not level: what others have taken out is to be in it.
    public func announceBase(_ sequence: UInt64) throws(ActionLogError) {
        try settle()
        try checkReach()
        let before = state.withLock { state in
            defer { state.announcedBase = max(state.announcedBase, sequence) }
            return state.announcedBase
        }
        let announcing = EtcdTransaction(
            if: [.value(of: keys.head, (try sharedHead()).canonicalBytes)], then: says(ownReport(try ownPlace())))
        do throws(ActionLogError) {
            // It may be asked again.
            guard try read(.transaction(announcing)).hasSucceeded else { throw .othersFirst }
        } catch {
            state.withLock { $0.announcedBase = before }
            throw error
        }
        // One that is on its way does not know of it yet.
        state.withLock { $0.reportedAt = 0 }
    }

    /// Has it said soon where the copy begins, whatever was announced.
    public func withdrawBase() { state.withLock { ($0.announcedBase, $0.reportedAt) = (0, 0) } }

    private func ownReport(_ place: ReplicaPlace) -> SharedNode {
        SharedNode(
            name: node, batches: place.number, sequence: copy.head.sequence, time: wall_microseconds(),
            base: max(copy.base?.sequence ?? 0, state.withLock { $0.announcedBase }))
    }

    /// What puts a report, so that whoever looked at the bases before finds that they have changed.
    private func says(_ report: SharedNode) -> [EtcdTransaction.Operation] {
        let value = report.canonicalBytes
        return [.put(keys.node(node), value)] + (report.base == 0 ? [] : [.put(keys.base, value)])
    }

    /// Refuses what a machine could not carry out that has the outcome of a record alone, because its copy was compacted.
    ///
    /// - Returns: what holds for as long as no machine says that its copy begins elsewhere.
    func checkBases(_ sequence: UInt64) throws(ActionLogError) -> EtcdTransaction.Comparison {
        let looking = EtcdTransaction(then: [.range(EtcdRange(allWith: keys.nodes)), .range(EtcdRange(keys.base))])
        let found = try read(.transaction(looking)).entries
        let nodes = SharedNode.all(found.first ?? [])
        let last = found.last?.first
        // A report that was on its way when its machine announced a base does not know of that, and is the older one.
        let announced = SharedNode.all(last.map { [$0] } ?? []).filter { announced in
            nodes.contains { $0.name == announced.name && $0.time < announced.time }
        }
        let base = (nodes + announced).map(\.base).max() ?? 0
        guard sequence > base else { throw .pruned(through: base, archive: nil) }
        // No two are equal: each says when it was said.
        guard let last else { return .createRevision(of: keys.base, 0) }
        return .value(of: keys.base, last.value)
    }
}

extension SharedNode {
    /// All that can be read of what machines say.
    static func all(_ entries: [EtcdEntry]) -> [SharedNode] { entries.compactMap { try? SharedNode(canonical: $0.value) } }
}

extension SharedKeys {
    /// What a machine said of itself that compacted its copy, or began with such a one; of all of them the last.
    var base: [UInt8] { Array("\(prefix)base".utf8) }

    /// The number of the batch under a key.
    func number(ofBatch key: [UInt8]) -> UInt64? {
        UInt64(String(decoding: key.dropFirst(batch(0).count - 20), as: UTF8.self))
    }
}
