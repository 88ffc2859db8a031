import CLoad
import Foundation

/// Three machines that share a log, and the members that give it its order, all on this one.
final class Cluster {
    /// What stands before all keys of the log.
    static let prefix = "/todod/bench/"

    let members: EtcdMembers
    private(set) var daemons: [Daemon] = []
    private let setup: Setup
    private let folder: URL

    /// Starts all, one after the other, so that the first founds the log.
    init(_ setup: Setup) throws(BenchmarkError) {
        self.setup = setup
        folder = try setup.folder.make("cluster")
        do throws(BenchmarkError) {
            _ = try setup.folder.make("cluster/members")
            members = try EtcdMembers(setup, data: folder.appending(path: "members"))
        } catch {
            setup.folder.remove(folder)
            throw error
        }
        for place in 0..<3 {
            _ = try setup.folder.make("cluster/\(Self.name(place))")
            daemons.append(try daemon(place))
        }
    }

    deinit {
        // Nobody writes into the folder when it is removed.
        daemons = []
        members.end()
        setup.folder.remove(folder)
    }

    /// A connection to the member that the daemons ask first.
    func gateway() throws(BenchmarkError) -> EtcdGateway { try EtcdGateway(port: members.ports[0]) }

    /// Starts a daemon that has ended, with what it had.
    func start(_ place: Int) throws(BenchmarkError) {
        daemons[place] = try daemon(place)
    }

    /// Ends the daemons as systemd would.
    func stop() throws(BenchmarkError) {
        for daemon in daemons { try daemon.stop() }
    }

    /// Waits until these daemons have all that any of them has, at most ten minutes.
    func level(_ places: [Int] = [0, 1, 2]) throws(BenchmarkError) {
        let start = cload_now()
        var clients: [Client] = []
        for place in places { clients.append(try daemons[place].client()) }
        while true {
            var heads: [UInt64] = []
            for client in clients { heads.append(try client.sequence()) }
            if heads.allSatisfy({ $0 == heads[0] }) { return }
            guard cload_now() - start < 600_000_000_000 else {
                throw BenchmarkError("the daemons were not level within ten minutes: their last records are \(heads)")
            }
            usleep(1000)
        }
    }

    /// The place of the machine that runs the commands, if one does.
    static func runner(_ gateway: EtcdGateway) throws(BenchmarkError) -> Int? {
        guard let value = try gateway.value(of: "\(prefix)leader") else { return nil }
        return (0..<3).first { name($0) == String(decoding: value, as: UTF8.self) }
    }

    private func daemon(_ place: Int) throws(BenchmarkError) -> Daemon {
        let endpoints = members.ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
        return try Daemon(
            setup, data: folder.appending(path: Self.name(place)),
            environment: ["TODOD_CLUSTER": "etcd://\(endpoints)/bench", "TODOD_CLUSTER_NODE": Self.name(place)])
    }

    private static func name(_ place: Int) -> String { "node\(place)" }
}
