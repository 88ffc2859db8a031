import NIOHTTP1
import Reducing
import Synchronization
import Testing

@testable import HTTPSources

@Suite(.timeLimit(.minutes(5))) struct `The way to an address` {
    @Test(arguments: [
        (NetworkZone.open, ["1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.169.0.1"]),
        (.open, ["2606:4700::1111", "2a00:1450:4001:82a::200e", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"]),
        (
            .loopback,
            ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"]
        ),
        (.closed, ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255"]),
        (.closed, ["fc00::1", "fdff::1", "fec0::1", "::ffff:10.0.0.1", "64:ff9b:1::1"]),
        (.link, ["169.254.169.254", "fe80::1", "febf::1", "fe80::1%eth0", "::ffff:169.254.169.254"]),
        (.special, ["0.0.0.0", "0.1.2.3", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "192.0.2.1"]),
        (
            .special,
            ["198.18.0.1", "198.51.100.1", "203.0.113.1", "::", "ff02::1", "2001:db8::1", "2001::1", "100::1", "4000::1"]
        ),
        (.special, ["", "localhost", "127.1", "0x7f000001", "1.2.3.4.5"]),
    ])
    func `is judged by what it is part of`(zone: NetworkZone, addresses: [String]) {
        for address in addresses { #expect(NetworkZone(of: address) == zone, "\(address)") }
    }

    /// Names that lead to this machine, one of whose addresses counts as the open internet.
    private static func hosts(_ names: [String: [String]]) -> Hosts {
        Hosts(
            addresses: { host in
                if let addresses = names[host] { return addresses }
                return try await Hosts.system.addresses(host)
            }, zone: { $0 == "127.0.0.2" ? .open : NetworkZone(of: $0) })
    }

    @Test(arguments: ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "inside.test", "[::1]", "[::ffff:127.0.0.1]"])
    func `does not lead a stranger to this machine`(host: String) async throws {
        try await LoopbackServer.run { _ in
            .answer(200, body: "a secret")
        } _: { inside in
            let port = try #require(inside.host.split(separator: ":").last)
            try await LoopbackServer.run(at: "127.0.0.2") { _ in
                .answer(302, headers: [("location", "http://\(host):\(port)/")])
            } _: { stranger in
                let names = ["stranger.test": ["127.0.0.2"], "inside.test": ["127.0.0.1"]]
                try await withClient(hosts: Self.hosts(names)) { client in
                    let address = try #require(
                        WebAddress("http://stranger.test:\(stranger.host.split(separator: ":").last ?? "")/"))
                    let error = try await failure { try await client.text(address) }
                    #expect(error.isPermanent)
                    #expect(error.reason.contains("lies on this machine or in a network of its own"), "\(error.reason)")
                    #expect(error.reason.contains("set TODOD_X to it"))
                }
            }
            #expect(inside.requests.value.isEmpty && inside.closed.value == 0)
        }
    }

    @Test func `leads to this machine when a person configured that, and also by redirection`() async throws {
        try await LoopbackServer.run { request in
            request.target == "/" ? .answer(302, headers: [("location", "/there")]) : .answer(200, body: "mine")
        } _: { server in
            let text = try await withClient { try await $0.text(try server.web()) }
            #expect(text == "mine")
        }
    }

    @Test func `stays where a name led at first, whatever it means later`() async throws {
        try await LoopbackServer.run(at: "127.0.0.2") { _ in
            .answer(200, body: "public")
        } _: { server in
            let port = server.host.split(separator: ":").last ?? ""
            let lookups = Atomic(0)
            let hosts = Hosts(
                addresses: { _ in
                    let before = lookups.wrappingAdd(1, ordering: .relaxed).oldValue
                    return before < 2 ? ["127.0.0.2"] : ["127.0.0.1"]
                }, zone: { $0 == "127.0.0.2" ? .open : NetworkZone(of: $0) })
            try await withClient(hosts: hosts) { client in
                let address = try #require(WebAddress("http://rebinding.test:\(port)/"))
                #expect(try await client.text(address) == "public")
                let error = try await failure { try await client.text(address) }
                #expect(error.reason.contains("network of its own"), "\(error.reason)")
            }
            #expect(server.requests.value.count == 1)
            #expect(server.requests.value.first?.headers.first(name: "host") == "rebinding.test:\(port)")
        }
    }

    @Test func `tries the next address of a host when one does not answer`() async throws {
        try await LoopbackServer.run(at: "127.0.0.2") { _ in
            .answer(200, body: "found")
        } _: { server in
            let port = server.host.split(separator: ":").last ?? ""
            // At the first two nobody listens, whatever ports the servers of other tests have got.
            let hosts = Hosts(
                addresses: { _ in ["127.0.0.4", "127.0.0.3", "127.0.0.2"] },
                zone: { _ in .open })
            try await withClient(hosts: hosts) { client in
                let address = try #require(WebAddress("http://several.test:\(port)/"))
                #expect(try await client.text(address) == "found")
            }
        }
    }

    @Test func `is not found for a name that nobody knows`() async throws {
        try await withClient { client in
            let address = try #require(WebAddress("http://no-such-name.invalid/"))
            let error = try await failure { try await client.text(address) }
            #expect(error.reason.contains("its name is unknown"), "\(error.reason)")
            #expect(!error.isPermanent)
        }
    }
}
