import Foundation
import Glibc
import ProcessTesting
import TestSupport
import TodoClient
import Varlink

/// Members of a cluster and daemons with a shared log, each on its own host.
final class Site {
    static let size = 3
    /// The prefix of the log's keys in the cluster.
    static let prefix = "/todod/todos/"

    let network: Network
    let members: Members
    let daemons: [Daemon]
    /// The program that the daemons' commands run.
    let reminders: TeamReminders

    init() throws {
        network = try Network(hosts: 2 * Self.size)
        let members = try Members(Self.size, on: network)
        self.members = members
        let daemons = try (0..<Self.size).map { index in
            try Daemon(environment: [
                "TODOD_CLUSTER": "etcd://\(members.endpoints)/todos", "TODOD_CLUSTER_NODE": Self.node(index),
            ])
        }
        self.daemons = daemons
        let reminders = try TeamReminders()
        self.reminders = reminders
        for daemon in daemons {
            daemon.environment["TODOD_REMIND_PROGRAM"] = reminders.path
            daemon.environment.merge(try FakeClock.environment(daemon)) { $1 }
        }
        for index in daemons.indices { try start(index) }
    }

    private static func node(_ index: Int) -> String { "node\(index)" }
    /// The host of a daemon.
    static func host(_ daemon: Int) -> Int { size + daemon }

    func start(_ daemon: Int) throws { try network.on(Self.host(daemon)) { try daemons[daemon].start() } }

    /// The daemon that runs the commands.
    func runner() throws -> Int? {
        let holder = try members.value(of: "\(Self.prefix)leader")
        return daemons.indices.first { Self.node($0) == holder }
    }

    /// Waits until all commands have ended and all daemons have the same last record.
    ///
    /// Returns the head of each.
    func heads(seconds: Double = 90) throws -> [Value] {
        let deadline = Deadline(seconds: seconds)
        while true {
            let commands = try daemons.flatMap { try $0.commands() }
            let heads = try daemons.map { try $0.connect().call("org.todod.Admin.Head") }
            if commands.isEmpty, Set(heads.map { $0["sequence"]?.int }).count == 1 { return heads }
            guard deadline.milliseconds > 0 else { throw Unexpected("\(heads), \(commands.count) commands are open") }
            usleep(100_000)
        }
    }
}
