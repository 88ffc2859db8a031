import Records
import StoreRuntime
import TimeTravel
import TodoAPI
import Values
import VarlinkNIO

#if Cluster
    import Etcd
    import ReplicatedLog
#endif

extension DaemonService {
    func compare(_ input: CompareMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [history, files] stream in
            if let shared = files.shared { return stream.end(try await files.clusterQuestions.compare(shared)) }
            let head = try await history.anchoredHead()
            let own = NodeDigestMessage(
                node: "", chain: Hexadecimal.text(head.chain), digest: Hexadecimal.text(head.digest))
            stream.end(CompareMethod.Output(sequence: head.sequence, nodes: [own]))
        }
    }
}

#if Cluster
    /// What is asked of all that share a log, once for all who ask at the same time.
    struct ClusterQuestions: Sendable {
        private let surveys = SharedAnswer<SharedLogSurvey>()
        private let comparisons = SharedAnswer<SharedComparison>()

        func survey(_ shared: SharedLog) async throws -> SharedLogSurvey { try await surveys.answer { await shared.survey() } }

        func compare(_ shared: SharedLog) async throws -> CompareMethod.Output {
            let comparison = try await comparisons.answer { try await shared.compare() }
            return CompareMethod.Output(
                sequence: comparison.sequence, nodes: comparison.digests.map { NodeDigestMessage($0.node, $0.digest) })
        }
    }

    extension DaemonService {
        /// What `Status` tells of the cluster.
        var clusterMessage: ClusterMessage? {
            files.shared.map { ClusterMessage($0.standing, $0.lastSurvey, obstacle: store.followingObstacle) }
        }

        func members(_ input: MembersMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
            guard let shared = files.shared else { return reply.succeed(MembersMethod.Output()) }
            answer(reply) { [files] stream in
                let survey = try await files.clusterQuestions.survey(shared)
                let reach = shared.standing.reach
                // Whoever has just been answered by a member with a leader knows better than an append of a moment ago.
                let isOutdated = survey.batches != nil && !reach.isRefused
                stream.end(
                    MembersMethod.Output(
                        name: shared.standing.name, node: shared.node, batches: survey.batches, sequence: survey.sequence,
                        first: survey.firstBatch, members: survey.members.map { ClusterMemberMessage($0) },
                        nodes: survey.nodes.map { ClusterNodeMessage($0, in: survey) }, open: survey.obeysStrangers,
                        reason: survey.refusal ?? (isOutdated ? nil : reach.obstacle)))
            }
        }
    }

    extension ClusterMessage {
        init(_ standing: SharedLogStanding, _ survey: SharedLogSurvey?, obstacle: String?) {
            // What was found out before it was away is no longer so, and what while it was away is not so any more.
            let survey = standing.isAway ? nil : survey.flatMap { $0.time >= standing.reachedAt ? $0 : nil }
            self.init(
                name: standing.name, node: standing.node, batches: standing.batches, leading: standing.isLeading,
                away: standing.isAway, inDoubt: standing.isInDoubt, members: survey.map { UInt64($0.asked.count) },
                answering: survey.map { UInt64($0.asked.count { $0.status != nil }) }, full: standing.isFull ? true : nil,
                obstacle: obstacle, reason: standing.reach.obstacle)
        }
    }

    extension ClusterMemberMessage {
        fileprivate init(_ member: SharedLogSurvey.Member) {
            self.init(
                name: member.name, address: member.address, version: member.status?.version,
                leads: member.status.map { $0.leader == $0.id },
                databaseBytes: member.status.map { UInt64(clamping: $0.databaseBytes) },
                databaseBytesInUse: member.status.map { UInt64(clamping: $0.databaseBytesInUse) },
                alarms: member.alarms.isEmpty ? nil : member.alarms)
        }
    }

    extension ClusterNodeMessage {
        fileprivate init(_ node: SharedNode, in survey: SharedLogSurvey) {
            self.init(
                name: node.name, batches: node.batches, sequence: node.sequence,
                behind: survey.batches.map { $0 - min($0, node.batches) }, time: node.time, leading: survey.runner == node.name,
                obstacle: node.obstacle.isEmpty ? nil : node.obstacle)
        }
    }

    extension NodeDigestMessage {
        fileprivate init(_ node: String, _ digest: SharedDigest?) {
            self.init(
                node: node, chain: digest.map { Hexadecimal.text($0.chain) }, digest: digest.map { Hexadecimal.text($0.digest) })
        }
    }
#else
    struct ClusterQuestions: Sendable {
        func compare(_ shared: SharedLog) async throws -> CompareMethod.Output { CompareMethod.Output(sequence: 0, nodes: []) }
    }

    extension DaemonService {
        var clusterMessage: ClusterMessage? { nil }

        func members(_ input: MembersMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
            reply.succeed(MembersMethod.Output())
        }
    }
#endif
