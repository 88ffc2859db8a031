import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Varlink

/// Real members of an etcd cluster, each on its own host.
///
/// They use the first hosts of a network.
final class Members {
    struct NoLeader: Error {}

    /// The quota of a member's database: more than a run needs, but quickly filled.
    static let quotaBytes = 96 << 20
    private static let fillerBytes = 1 << 20
    private static let fillers = Array("filler/".utf8)

    let network: Network
    let count: Int
    /// A client for each member.
    let doors: [EtcdDoor]
    private let directory = TemporaryDirectory()
    private var processes: [Int: ChildProcess] = [:]
    /// The members that were wiped and joined again under a new id.
    private var joined: Set<Int> = []

    init(_ count: Int, on network: Network) throws {
        (self.count, self.network) = (count, network)
        doors = network.hosts.prefix(count).map { EtcdDoor(host: $0) }
        for member in 0..<count { try start(member) }
        try waitForLeader()
    }

    deinit { for member in 0..<count { kill(member) } }

    /// The endpoints for daemons.
    var endpoints: String { (0..<count).map { "\(Network.address($0)):\(EtcdDoor.port)" }.joined(separator: ",") }

    // MARK: - Life cycle

    func start(_ member: Int) throws {
        let own = "http://\(Network.address(member))"
        let log = open("\(directory.path)/m\(member).log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(log) }
        let command = [
            "/usr/bin/etcd", "--name", "m\(member)", "--data-dir", "\(directory.path)/m\(member)",
            "--listen-client-urls", "\(own):\(EtcdDoor.port)", "--advertise-client-urls", "\(own):\(EtcdDoor.port)",
            "--listen-peer-urls", "\(own):2380", "--initial-advertise-peer-urls", "\(own):2380",
            "--initial-cluster", (0..<count).map { "m\($0)=\(Self.peerAddress($0))" }.joined(separator: ","),
            "--initial-cluster-state", joined.contains(member) ? "existing" : "new",
            "--heartbeat-interval", "30", "--election-timeout", "300", "--pre-vote=true", "--snapshot-count=1000",
            "--quota-backend-bytes=\(Self.quotaBytes)", "--experimental-watch-progress-notify-interval=2s",
            "--logger=zap", "--log-level=error",
        ]
        processes[member] = try network.on(member) {
            try ChildProcess(command, environment: Command.environment, output: log, error: log)
        }
    }

    private static func peerAddress(_ member: Int) -> String { "http://\(Network.address(member)):2380" }

    /// Kills a member.
    func kill(_ member: Int) {
        guard let process = processes.removeValue(forKey: member) else { return }
        process.signal(SIGKILL)
        _ = try? process.wait(seconds: 30)
    }

    func signal(_ member: Int, _ number: Int32) { processes[member]?.signal(number) }

    /// Removes a member's data and lets it join again as a new member.
    func wipe(_ member: Int) throws {
        kill(member)
        try FileManager.default.removeItem(atPath: "\(directory.path)/m\(member)")
        try waitForLeader()
        let others = try ask("cluster/member/list")["members"]?.list ?? []
        guard let id = others.first(where: { $0["peerURLs"]?.list?.first?.text == Self.peerAddress(member) })?["ID"] else {
            throw Unexpected("no member \(member) among \(others)")
        }
        try change("cluster/member/remove", ["ID": id])
        try change("cluster/member/add", ["peerURLs": [.text(Self.peerAddress(member))]])
        joined.insert(member)
        try start(member)
        try waitForLeader()
    }

    /// Changes the membership.
    ///
    /// Members refuse this until they have seen each other for five seconds.
    private func change(_ path: String, _ body: Value) throws {
        let deadline = Deadline(seconds: 30)
        while true {
            do { return _ = try ask(path, body) } catch let refusal as EtcdDoor.Refusal {
                // Repeated because the first request was not answered.
                if refusal.message.contains("not found") || refusal.message.contains("already exists") { return }
                guard refusal.message.contains("unhealthy cluster"), deadline.milliseconds > 0 else { throw refusal }
                usleep(200_000)
            }
        }
    }

    // MARK: - Queries

    private func ask(_ member: Int, _ path: String, _ body: Value = [:], seconds: Int = 1) throws -> Value {
        try doors[member].ask(path, body, seconds: seconds)
    }

    /// Queries the leader, and retries if it does not answer or is no longer the leader, as an operator would.
    @discardableResult
    private func ask(_ path: String, _ body: Value = [:]) throws -> Value {
        do { return try ask(waitForLeader(), path, body, seconds: 10) } catch let refusal as EtcdDoor.Refusal {
            guard refusal.status == 503 else { throw refusal }
        } catch is EtcdDoor.NoAnswer {}
        return try ask(waitForLeader(), path, body, seconds: 60)
    }

    /// The leader according to itself and most others.
    func leader() -> Int? {
        let states = (0..<count).filter { processes[$0] != nil }.compactMap { member in
            (try? ask(member, "maintenance/status")).map { (member, $0["header"]?["member_id"]?.text, $0["leader"]?.text) }
        }
        return states.first { state in state.1 == state.2 && states.filter { $0.2 == state.1 }.count * 2 > count }?.0
    }

    @discardableResult
    func waitForLeader() throws -> Int {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            if let leader = leader() { return leader }
            guard ContinuousClock.now < deadline else { throw NoLeader() }
            usleep(20_000)
        }
    }

    /// The value of a key in the cluster.
    func value(of key: String) throws -> String? {
        let found = try ask("kv/range", ["key": EtcdDoor.text(key.utf8)])["kvs"]?.list?.first
        return found.map { String(decoding: EtcdDoor.bytes($0["value"]), as: UTF8.self) }
    }

    // MARK: - Space

    /// Writes until the members refuse further data.
    func fill() throws {
        let filler = EtcdDoor.text([UInt8](repeating: 0x42, count: Self.fillerBytes))
        for number in 0..<Self.quotaBytes / Self.fillerBytes * 2 {
            do {
                try ask("kv/put", ["key": EtcdDoor.text(Self.fillers + Array("\(number)".utf8)), "value": filler])
            } catch let refusal as EtcdDoor.Refusal where refusal.message.contains("space exceeded") {
                return
            }
        }
        throw Unexpected("the members take more than they may")
    }

    /// Waits for a member that was started a moment ago and does not listen yet.
    private func defragment(_ member: Int) throws {
        let deadline = Deadline(seconds: 30)
        while true {
            do { return _ = try ask(member, "maintenance/defragment", seconds: 20) } catch let failure as SystemFailure {
                guard failure.number == ECONNREFUSED, deadline.milliseconds > 0 else { throw failure }
                usleep(50_000)
            }
        }
    }

    /// Frees space as an operator does: delete, compact, defragment each member, the leader last, and disarm the alarms.
    func makeRoom() throws {
        let end = Self.fillers.dropLast() + [Self.fillers[Self.fillers.count - 1] + 1]
        let deleted = try ask("kv/deleterange", ["key": EtcdDoor.text(Self.fillers), "range_end": EtcdDoor.text(end)])
        guard let revision = deleted["header"]?["revision"] else { throw Unexpected("\(deleted)") }
        do { try ask("kv/compaction", ["revision": revision, "physical": true]) } catch let refusal as EtcdDoor.Refusal {
            guard refusal.message.contains("has been compacted") else { throw refusal }
        }
        let leader = try waitForLeader()
        for member in (0..<count).filter({ $0 != leader }) + [leader] {
            try defragment(member)
        }
        for alarm in try ask("maintenance/alarm", ["action": "GET"])["alarms"]?.list ?? [] {
            try ask(
                "maintenance/alarm",
                ["action": "DEACTIVATE", "memberID": alarm["memberID"] ?? .null, "alarm": alarm["alarm"] ?? .null])
        }
    }
}
