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
        try? client.wait(for: EtcdCall<Void>.put(keys.node(node), ownReport(place).canonicalBytes))
    }

    private func ownReport(_ place: ReplicaPlace) -> SharedNode {
        SharedNode(
            name: node, batches: place.number, sequence: copy.head.sequence, time: wall_microseconds(),
            base: copy.base?.sequence ?? 0)
    }

    /// Refuses what a machine could not carry out that has the outcome of a record alone, because its copy was compacted.
    func checkBases(_ sequence: UInt64) throws(ActionLogError) {
        let nodes = SharedNode.all(try read(.range(EtcdRange(allWith: keys.nodes))))
        let base = nodes.map(\.base).max() ?? 0
        guard sequence > base else { throw .pruned(through: base, archive: nil) }
    }
}

extension SharedNode {
    /// All that can be read of what machines say.
    static func all(_ entries: [EtcdEntry]) -> [SharedNode] { entries.compactMap { try? SharedNode(canonical: $0.value) } }
}

extension SharedKeys {
    /// The number of the batch under a key.
    func number(ofBatch key: [UInt8]) -> UInt64? {
        UInt64(String(decoding: key.dropFirst(batch(0).count - 20), as: UTF8.self))
    }
}
