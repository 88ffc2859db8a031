import ChronicleStore
import TodoAPI
import VarlinkNIO

#if Cluster
    import Etcd
    import ReplicatedLog

    extension DaemonService {
        var clusterMessage: ClusterMessage? {
            files.shared.map { shared in
                let standing = shared.standing
                return ClusterMessage(
                    name: standing.name, node: standing.node, batches: standing.batches, leading: standing.isLeading,
                    away: standing.isAway, inDoubt: standing.isInDoubt, full: standing.isFull ? true : nil,
                    obstacle: store.followingObstacle, reason: standing.reach.obstacle)
            }
        }

        func machines(_ input: MachinesMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
            guard let shared = files.shared else { return reply.succeed(MachinesMethod.Output()) }
            answer(reply) { stream in
                let standing = shared.standing
                var output = MachinesMethod.Output()
                (output.name, output.node) = (standing.name, standing.node)
                do throws(EtcdError) {
                    let survey = try await shared.survey()
                    (output.batches, output.sequence, output.first) = (survey.batches, survey.sequence, survey.firstBatch)
                    output.nodes = survey.nodes.map { ClusterNodeMessage($0, in: survey) }
                    // A member has just answered, which is newer than a failed append.
                    output.reason = standing.reach.isRefused ? standing.reach.obstacle : nil
                } catch {
                    output.reason = shared.words(of: error)
                }
                stream.end(output)
            }
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
#else
    extension DaemonService {
        var clusterMessage: ClusterMessage? { nil }

        func machines(_ input: MachinesMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
            reply.succeed(MachinesMethod.Output())
        }
    }
#endif
