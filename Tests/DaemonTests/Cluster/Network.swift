import Foundation
import Glibc
import ProcessTesting

/// Hosts in separate network namespaces, connected by a switch, whose links can be cut silently.
///
/// Packets into a cut are lost without an error, as when a cable between two switches is pulled.
final class Network {
    /// Whether this machine permits networks: it needs root and `ip`.
    static let works: Bool = (try? Network(hosts: 2)) != nil
    static let missing = "no network namespaces can be made here: that takes root, and the package iproute2"

    private let switchboard: NetworkHost
    let hosts: [NetworkHost]
    private var isolated: Set<Int> = []
    private var cuts: [(from: Int, to: Int)] = []

    init(hosts count: Int) throws {
        switchboard = try NetworkHost(address: "")
        hosts = try (0..<count).map { try NetworkHost(address: Self.address($0)) }
        var lines = ["link add switch type bridge forward_delay 0", "link set switch up"]
        for host in hosts.indices {
            lines += [
                "link add port\(host) type veth peer name eth0 netns \(hosts[host].path)",
                "link set port\(host) master switch up",
            ]
        }
        try switchboard.ip(lines)
        // Addresses are configured statically, so a host that is cut off is not reported as missing.
        for host in hosts.indices {
            try hosts[host].ip(
                ["link set lo up", "link set eth0 address \(Self.link(host)) up", "addr add \(Self.address(host))/24 dev eth0"]
                    + hosts.indices.filter { $0 != host }.map { Self.neighbour($0, at: Self.link($0)) })
        }
    }

    static func address(_ host: Int) -> String { "10.77.0.\(host + 1)" }
    private static func link(_ host: Int) -> String { "02:00:00:00:00:\(host + 10)" }
    private static let nowhere = "02:00:00:00:ff:ff"
    private static func neighbour(_ host: Int, at link: String) -> String {
        "neigh replace \(address(host)) lladdr \(link) nud permanent dev eth0"
    }

    /// Runs a body on a host: its sockets and child processes belong to that host.
    func on<Result>(_ host: Int, _ body: () throws -> Result) throws -> Result { try hosts[host].enter(body) }

    /// Isolates a host from all others.
    func isolate(_ host: Int) throws {
        try switchboard.ip(["link set port\(host) nomaster"])
        isolated.insert(host)
    }

    /// Drops packets from one host to another.
    ///
    /// The opposite direction still works.
    func cut(from: Int, to: Int) throws {
        try hosts[from].ip([Self.neighbour(to, at: Self.nowhere)])
        cuts.append((from, to))
    }

    /// Repairs all cuts.
    func heal() throws {
        for host in isolated { try switchboard.ip(["link set port\(host) master switch"]) }
        for (from, to) in cuts { try hosts[from].ip([Self.neighbour(to, at: Self.link(to))]) }
        (isolated, cuts) = ([], [])
    }
}

/// A host: a network namespace, which is removed once it has no owner and no process.
final class NetworkHost: Sendable {
    private typealias Unshare = @convention(c) @Sendable (Int32) -> Int32
    private typealias Enter = @convention(c) @Sendable (Int32, Int32) -> Int32
    // Functions of the C library that Swift does not import.
    private static let unshare = unsafeBitCast(dlsym(nil, "unshare"), to: Unshare.self)
    private static let setns = unsafeBitCast(dlsym(nil, "setns"), to: Enter.self)
    private static let ofNetwork: Int32 = 0x4000_0000

    let address: String
    private let descriptor: Int32

    init(address: String) throws {
        self.address = address
        let own = try Self.own()
        defer { close(own) }
        guard Self.unshare(Self.ofNetwork) == 0 else { throw SystemFailure(what: "unshare") }
        defer { Self.enter(own) }
        descriptor = try Self.own()
    }

    deinit { close(descriptor) }

    /// The path of the namespace for other programs.
    fileprivate var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

    /// During the body, the thread and its child processes are in the namespace.
    func enter<Result>(_ body: () throws -> Result) throws -> Result {
        let own = try Self.own()
        defer { close(own) }
        Self.enter(descriptor)
        defer { Self.enter(own) }
        return try body()
    }

    /// Calls a body with the socket address of one of the host's ports.
    func withAddress<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    fileprivate func ip(_ lines: [String]) throws {
        guard let ip = Products.tool("ip") else { throw SystemFailure(what: "ip", number: ENOENT) }
        let outcome = try enter { try Command.run([ip, "-batch", "-"], input: Array(lines.joined(separator: "\n").utf8)) }
        guard outcome.end == .exit(0) else { throw Unexpected("\(lines): \(outcome)") }
    }

    private static func own() throws -> Int32 {
        let descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure(what: "/proc/thread-self/ns/net") }
        return descriptor
    }

    // A thread in an unknown namespace must not continue.
    private static func enter(_ descriptor: Int32) {
        precondition(setns(descriptor, ofNetwork) == 0, "setns: \(String(cString: strerror(errno)))")
    }
}
