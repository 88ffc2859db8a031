import EtcdTesting
import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Real daemons that share a log over real members of an etcd cluster.
final class Team {
    let cluster: EtcdCluster
    let daemons: [Daemon]

    init(members: Int, daemons count: Int, environment: [String: String] = [:]) throws {
        let cluster = try EtcdCluster(members: members)
        self.cluster = cluster
        daemons = try (0..<count).map { index in
            try Daemon(
                environment: environment.merging([
                    "TODOD_CLUSTER": "etcd://\(cluster.endpoints.joined(separator: ","))/todos",
                    "TODOD_CLUSTER_NODE": "node\(index)",
                ]) { $1 })
        }
        for daemon in daemons { try daemon.start() }
    }

    /// Dispatches to one daemon after another until one accepts it, for at most a minute.
    static func dispatch(_ actions: [Value], key: String, at sockets: [String], beginningWith first: Int) throws -> Client.Answer
    {
        let deadline = ContinuousClock.now + .seconds(60)
        var index = first
        while true {
            do {
                let reply = try Client(sockets[index % sockets.count], seconds: 20)
                    .ask("org.todod.Store.Dispatch", Client.dispatch(actions, key: key))
                switch Client.short(reply) {
                case "": return try Client.Answer(Client.result(reply))
                case "Unavailable", "OutcomeUnknown", "StoreBusy", "Stopping": break
                default: throw Unexpected("\(reply)")
                }
            } catch is VarlinkClientError {
                // That daemon is dead or dies at this moment.
            }
            index += 1
            guard ContinuousClock.now < deadline else { throw Unexpected("no daemon accepted it within a minute") }
            usleep(20_000)
        }
    }

    /// The head of each daemon once all have the same last record.
    ///
    /// They differ if that takes too long.
    func heads(seconds: Double = 60) throws -> [Value] {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            let heads = try daemons.map { try $0.connect().call("org.todod.Admin.Head") }
            if Set(heads.map { $0["sequence"]?.int }).count == 1 || ContinuousClock.now > deadline { return heads }
            usleep(50_000)
        }
    }
}

extension Daemon {
    /// Lets a stopped daemon leave the cluster, so that a new copy can use its name at once.
    func leave() throws {
        let left = try Command.run(
            [Products.todod, "--detach", "--data", data, "--config", directory.path + "/todod.env"], environment: variables)
        guard left.end == .exit(0) else { throw Unexpected("\(left)") }
    }
}
