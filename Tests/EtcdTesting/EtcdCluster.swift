public import Etcd
import Foundation
import Glibc
import ProcessTesting
import Synchronization
import TestSupport

/// Real members of an etcd cluster on local ports.
///
/// They end with their owner.
public final class EtcdCluster: Sendable {
    /// Whether members can be started here.
    public static let isInstalled = FileManager.default.isExecutableFile(atPath: program)
    /// The reason why tests are skipped if they can't.
    public static let missing = "etcd is not installed: it is in the package etcd-server"
    private static let program = "/usr/bin/etcd"

    private struct Member {
        /// `nil`: it does not run.
        var process: ChildProcess?
        let clientPort: Int
        let peerPort: Int
    }

    private let directory = TemporaryDirectory()
    private let members: Mutex<[Member]>
    private let flags: [String]
    private let certificates: TestCertificates?

    /// Starts members and waits until they have a leader.
    ///
    /// - Parameter certificates: those of members and clients; `nil`: no TLS.
    public init(members count: Int = 1, flags: [String] = [], certificates: TestCertificates? = nil) throws {
        let ports = Self.freePorts(count * 2)
        self.certificates = certificates
        self.flags = flags + (certificates?.memberFlags ?? [])
        members = Mutex((0..<count).map { Member(clientPort: ports[$0 * 2], peerPort: ports[$0 * 2 + 1]) })
        for index in 0..<count { try start(index) }
        try waitForLeader()
    }

    deinit { for index in endpoints.indices { kill(index) } }

    /// Members that are shared by all tests of this process, each with its own names: one, or as many as `TEST_CLUSTER` says.
    public static let shared = Result { try EtcdCluster(members: sharedCount ?? 1) }.map { cluster in
        sharedProcesses.withLock { $0 = cluster.members.withLock { $0.compactMap { $0.process?.pid } } }
        atexit { EtcdCluster.sharedProcesses.withLock { for pid in $0 { _ = Glibc.kill(pid, SIGKILL) } } }
        return cluster
    }
    /// The number of members over which all daemons of the tests share their logs; `nil`: each log is local.
    public static let sharedCount = ProcessInfo.processInfo.environment["TEST_CLUSTER"].flatMap { Int($0) }
    private static let sharedProcesses = Mutex<[pid_t]>([])

    /// The client addresses.
    public var endpoints: [String] { members.withLock { $0.map { "127.0.0.1:\($0.clientPort)" } } }

    /// Options for all members.
    ///
    /// The default timeout is long because a machine that runs many tests at once is slow.
    public func options(requestTimeMax: Duration = .seconds(5)) -> EtcdOptions {
        options(endpoints, requestTimeMax: requestTimeMax)
    }

    private func options(_ endpoints: [String], requestTimeMax: Duration = .seconds(5)) -> EtcdOptions {
        EtcdOptions(
            endpoints: endpoints, isEncrypted: certificates != nil,
            certificates: certificates?.of() ?? EtcdOptions.Certificates(), requestTimeMax: requestTimeMax,
            connectTimeMax: max(requestTimeMax / 2, .milliseconds(250)))
    }

    /// Options for a single member.
    public func options(ofMember index: Int, requestTimeMax: Duration = .seconds(5)) -> EtcdOptions {
        options([endpoints[index]], requestTimeMax: requestTimeMax)
    }

    /// Starts a member, or restarts it with its data.
    public func start(_ index: Int) throws {
        try members.withLock { members in
            let own = members[index]
            let scheme = certificates == nil ? "http" : "https"
            let peers = members.indices.map { "m\($0)=http://127.0.0.1:\(members[$0].peerPort)" }.joined(separator: ",")
            let command =
                [
                    Self.program, "--name", "m\(index)", "--data-dir", "\(directory.path)/m\(index)",
                    "--listen-client-urls", "\(scheme)://127.0.0.1:\(own.clientPort)",
                    "--advertise-client-urls", "\(scheme)://127.0.0.1:\(own.clientPort)",
                    "--listen-peer-urls", "http://127.0.0.1:\(own.peerPort)",
                    "--initial-advertise-peer-urls", "http://127.0.0.1:\(own.peerPort)",
                    "--initial-cluster", peers, "--heartbeat-interval", "30", "--election-timeout", "300", "--pre-vote=true",
                    "--experimental-watch-progress-notify-interval=2s",
                ] + flags
            let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
            defer { close(null) }
            members[index].process = try ChildProcess(command, environment: Command.environment, output: null, error: null)
        }
    }

    /// Kills a member.
    public func kill(_ index: Int) {
        let process = members.withLock { members in
            defer { members[index].process = nil }
            return members[index].process
        }
        process?.signal(SIGKILL)
        _ = try? process?.wait(seconds: 10)
    }

    /// Suspends a member until `resume`.
    public func freeze(_ index: Int) { signal(index, SIGSTOP) }

    /// Resumes a suspended member.
    public func resume(_ index: Int) { signal(index, SIGCONT) }

    private func signal(_ index: Int, _ signal: Int32) {
        members.withLock { $0[index].process }?.signal(signal)
    }

    /// The index of the leader.
    public func leader() throws -> Int {
        for index in endpoints.indices {
            if let status = status(ofMember: index), status.id == status.leader { return index }
        }
        throw Unavailable()
    }

    /// Waits until each running member knows a leader.
    public func waitForLeader() throws {
        let deadline = ContinuousClock.now + .seconds(30)
        for index in endpoints.indices where members.withLock({ $0[index].process }) != nil {
            while status(ofMember: index)?.leader == nil {
                guard ContinuousClock.now < deadline else { throw Unavailable() }
                usleep(20_000)
            }
        }
    }

    /// The members did not start in time.
    public struct Unavailable: Error {}

    /// Ports without a listener.
    private static func freePorts(_ count: Int) -> [Int] {
        // All ports are reserved at once, otherwise two could be equal.
        let sockets = (0..<count).map { _ in LoopbackSocket() }
        for socket in sockets { close(socket.descriptor) }
        return sockets.map(\.port)
    }
}
