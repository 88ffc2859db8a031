import CLoad
import Foundation

/// Three members of an etcd cluster on ports of this machine, set up as the manual says; ended by force.
final class EtcdMembers {
    private static let program = "/usr/bin/etcd"
    /// Why there can be none here.
    static var missing: String? {
        FileManager.default.isExecutableFile(atPath: program)
            ? nil : "there is no \(program); it is in the package etcd-server"
    }

    private struct Status: Decodable {
        struct Header: Decodable {
            var member_id: String
        }

        var header: Header
        /// `nil`: it knows none.
        var leader: String?
    }

    /// Where clients ask them, the one that led at first before the others, so that figures of two runs compare.
    let ports: [UInt16]
    private var processes: [Int32]

    /// Starts them, and waits until they have a leader, at most half a minute.
    init(_ setup: Setup, data: URL) throws(BenchmarkError) {
        var free = [UInt16](repeating: 0, count: 6)
        let code = cload_free_ports(&free, free.count)
        guard code == 0 else { throw BenchmarkError("there are no free ports: \(String(cString: strerror(code)))") }
        var processes: [Int32] = []
        do throws(BenchmarkError) {
            for index in 0..<3 { processes.append(try Self.start(index, free, data)) }
            let leader = try Self.leader(Array(free[..<3]))
            ports = [leader] + free[..<3].filter { $0 != leader }
        } catch {
            Self.end(processes)
            throw error
        }
        self.processes = processes
    }

    /// Ends them without a word.
    func end() {
        Self.end(processes)
        processes = []
    }

    deinit { end() }

    private static func start(_ index: Int, _ ports: [UInt16], _ data: URL) throws(BenchmarkError) -> Int32 {
        let peers = (0..<3).map { "m\($0)=http://127.0.0.1:\(ports[3 + $0])" }.joined(separator: ",")
        let (client, peer) = ("http://127.0.0.1:\(ports[index])", "http://127.0.0.1:\(ports[3 + index])")
        return try Program(
            [
                program, "--name", "m\(index)", "--data-dir", data.appending(path: "m\(index)").path,
                "--listen-client-urls", client, "--advertise-client-urls", client,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", peers,
                "--heartbeat-interval=30", "--election-timeout=300", "--pre-vote=true", "--snapshot-count=1000",
                "--quota-backend-bytes=8589934592", "--experimental-watch-progress-notify-interval=2s",
            ], socket: "", output: data.appending(path: "m\(index).out")
        ).start()
    }

    /// The port of the member that leads, once all know it.
    private static func leader(_ ports: [UInt16]) throws(BenchmarkError) -> UInt16 {
        let start = cload_now()
        while cload_now() - start < 30_000_000_000 {
            let statuses = ports.compactMap { try? status($0) }
            if statuses.count == ports.count, statuses.allSatisfy({ $0.leader != nil && $0.leader == statuses[0].leader }),
                let place = statuses.firstIndex(where: { $0.header.member_id == $0.leader })
            {
                return ports[place]
            }
            usleep(20_000)
        }
        throw BenchmarkError("the members of etcd had no leader within half a minute")
    }

    private static func status(_ port: UInt16) throws(BenchmarkError) -> Status {
        let gateway = try EtcdGateway(port: port)
        return try gateway.decoded(Status.self, gateway.ask("maintenance/status", "{}"))
    }

    private static func end(_ processes: [Int32]) {
        for process in processes { kill(process, SIGKILL) }
        var status: Int32 = 0
        for process in processes { _ = cload_wait(process, 5_000_000_000, &status) }
    }
}
