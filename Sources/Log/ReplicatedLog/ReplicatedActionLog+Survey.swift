import CMachine
import ChronicleLog
public import Etcd
import Synchronization

/// The state of a shared log and of the machines that share it, as read from the cluster.
public struct SharedLogSurvey: Sendable {
    /// The machines that share the log, by name.
    public var nodes: [SharedNode]
    /// The machine that runs the commands, if one does.
    public var runner: String?
    /// Number of batches in the log; `nil`: the cluster has no head that can be read.
    public var batches: UInt64?
    /// The last record.
    public var sequence: UInt64?
    /// The first batch that the cluster still has; `nil`: none.
    public var firstBatch: UInt64?
    /// The revision of the cluster at which all of this was read.
    var revision: Int64
}

extension ReplicatedActionLog {
    /// The result of this process's last survey; `nil`: there was none, or it failed.
    public var lastSurvey: SharedLogSurvey? { state.withLock { $0.survey } }

    /// Reads the state of the log and of its machines from the cluster, in one transaction.
    @discardableResult
    public func survey() async throws(EtcdError) -> SharedLogSurvey {
        let reading = EtcdTransaction(then: [
            .range(EtcdRange(keys.head)), .range(EtcdRange(keys.batch(0), upTo: keys.batch(.max), limit: 1)),
            .range(EtcdRange(keys.leader)), .range(EtcdRange(allWith: keys.nodes)),
        ])
        let found: EtcdTransaction.Answer
        do throws(EtcdError) { found = try await client.answerOfAny(to: .transaction(reading)) } catch {
            state.withLock { $0.survey = nil }
            throw error
        }
        guard found.entries.count == 4 else { throw .unreadable("kv/txn") }
        let head = found.entries[0].first.flatMap { try? SharedHead($0) }
        var survey = SharedLogSurvey(
            nodes: keys.machines(in: found.entries[3]),
            runner: found.entries[2].first.map { String(decoding: $0.value, as: UTF8.self) },
            batches: head?.number, sequence: head?.sequence,
            firstBatch: found.entries[1].first.flatMap { keys.number(ofBatch: $0.key) }, revision: found.revision)
        // This machine knows more of itself than it has reported.
        if let place = copy.place, let own = survey.nodes.firstIndex(where: { $0.name == node }) {
            (survey.nodes[own].batches, survey.nodes[own].sequence) = (place.number, copy.head.sequence)
            (survey.nodes[own].time, survey.nodes[own].obstacle) = (wall_microseconds(), state.withLock { $0.obstacle })
        }
        state.withLock { [survey] in $0.survey = survey }
        return survey
    }
}
