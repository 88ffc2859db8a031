import Chronicle
import Testing

@testable import HTTPSources

@Suite(.timeLimit(.minutes(15))) struct `The way to an address` {
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
    func `an address has the zone of its network`(zone: NetworkZone, addresses: [String]) {
        for address in addresses { #expect(NetworkZone(of: address) == zone, "\(address)") }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"])
    func `a foreign address does not lead to this machine`(host: String) async throws {
        try await LoopbackServer.run { _ in
            .answer(200, body: "a secret")
        } _: { inside in
            let port = try #require(inside.host.split(separator: ":").last)
            let client = WebClient()
            let stranger = try #require(WebAddress("http://stranger.test/"))
            let address = try #require(WebAddress("http://\(host):\(port)/"))
            let error = try await failure { try await client.text(address, configured: stranger) }
            #expect(error.isPermanent)
            #expect(error.reason.contains("lies on this machine or in a network of its own"), "\(error.reason)")
            #expect(error.reason.contains("set TODOD_X to it"))
            #expect(inside.requests.value.isEmpty && inside.closed.value == 0)
        }
    }

    @Test(arguments: ["10.255.255.1", "192.168.255.1", "169.254.169.254", "[fe80::1]", "0.0.0.0"])
    func `a redirect does not lead to another network than that of the configured address`(host: String) async throws {
        try await LoopbackServer.run { _ in
            .answer(302, headers: [("location", "http://\(host)/")])
        } _: { server in
            let client = WebClient()
            let error = try await failure { try await client.text(try server.web()) }
            #expect(error.isPermanent)
            #expect(error.reason.hasPrefix("\(host.filter { !"[]".contains($0) }) lies on this machine"), "\(error.reason)")
        }
    }

    @Test func `a configured address leads to this machine, also by a redirect and by name`() async throws {
        try await LoopbackServer.run { _ in
            .answer(200, body: "mine")
        } _: { other in
            try await LoopbackServer.run { [place = other.address("/there")] _ in
                .answer(302, headers: [("location", place)])
            } _: { server in
                let client = WebClient()
                let (configured, named) = (try server.web(), try other.web())
                // The zone of the configured address is not known yet.
                let error = try await failure { try await client.text(named, configured: configured) }
                #expect(error.reason.contains("a network of its own"), "\(error.reason)")
                #expect(try await client.text(configured) == "mine")
                #expect(try await client.text(named, configured: configured) == "mine")
            }
        }
    }

    @Test func `an unknown host is reported`() async throws {
        let client = WebClient()
        let address = try #require(WebAddress("http://no-such-name.invalid/"))
        let error = try await failure { try await client.text(address) }
        #expect(error.reason.contains("unknown host"), "\(error.reason)")
        #expect(!error.isPermanent)
    }
}
