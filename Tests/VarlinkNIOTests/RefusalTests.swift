import Glibc
import Testing
import Varlink
import VarlinkNIO

/// Peers that violate a rule or limit receive an error, and other peers are not affected.
@Suite(.timeLimit(.minutes(15)))
struct RefusalTests {
    private func expectRefusal(_ bytes: [UInt8], _ fixture: ServerFixture, parameter: String) throws {
        let client = try fixture.client()
        client.send(.test("Echo", ["n": 1]))
        client.write(bytes)
        #expect(try client.repliesUntilClosed() == [.number(1), Reply(.invalidParameter("message: " + parameter))])
    }

    @Test func `malformed input is answered in call order, and the connection is closed`() async throws {
        try await ServerFixture.run { fixture in
            try expectRefusal(Array("garbage\0".utf8), fixture, parameter: "no JSON value can go on like this (byte 0)")
            try expectRefusal(Array("[]\0".utf8), fixture, parameter: "not an object")
            try expectRefusal([0], fixture, parameter: "the text ends too early (byte 0)")
            let nested = #"{"method":"org.example.test.Echo","parameters":{"n":"# + String(repeating: "[", count: 100)
            try expectRefusal(
                Array((nested + "\0").utf8), fixture, parameter: "arrays and objects are nested too deep (byte 114)")
            let invalid = Array(#"{"method":""#.utf8) + [0xFF, 0xFE] + Array("\"}\0".utf8)
            try expectRefusal(invalid, fixture, parameter: "the text is not UTF-8 (byte 11)")
        }
    }

    @Test func `a frame of 2 MiB is refused while its peer is still writing it`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.write([UInt8](repeating: 0x20, count: 2 << 20))
            #expect(
                try client.repliesUntilClosed() == [Reply(.invalidParameter("message: longer than 1048576 bytes"))])
        }
    }

    @Test func `an incomplete frame times out, an idle connection does not`() async throws {
        try await ServerFixture.run(limits: VarlinkLimits { $0.halfFrameSecondsMax = 0.2 }) { fixture in
            let silent = try fixture.client()
            let client = try fixture.client()
            client.write(#"{"method":"#)
            #expect(
                try client.repliesUntilClosed() == [Reply(.invalidParameter("message: not whole after 0.2 seconds"))])
            #expect(fixture.server.counters.timeouts == 1)
            silent.send(.test("Echo", ["n": 1]))
            #expect(try silent.reply() == .number(1))
        }
    }

    @Test func `a refused peer gets an error for each call and is then closed`() async throws {
        try await ServerFixture.run(handler: TestHandler(refusing: getuid())) { fixture in
            let client = try fixture.client()
            client.send(.test("Echo", ["n": 1]), .test("Echo", ["n": 2]))
            #expect(try client.repliesUntilClosed() == [Reply(.permissionDenied), Reply(.permissionDenied)])
            #expect(fixture.handler.seen.value == [])
            #expect(fixture.server.counters.refused == 1)
        }
    }

    @Test(arguments: [VarlinkLimits { $0.connectionsMax = 2 }, VarlinkLimits { $0.connectionsPerUserMax = 2 }])
    func `a connection above the limit gets the service's error`(limits: VarlinkLimits) async throws {
        try await ServerFixture.run(limits: limits) { fixture in
            let first = try fixture.client()
            var second: PlainClient? = try fixture.client()
            for client in [first, second] {
                client?.send(.test("Echo", ["n": 1]))
                #expect(try client?.reply() == .number(1))
            }
            let third = try fixture.client()
            third.send(.test("Echo", ["n": 1]))
            #expect(try third.repliesUntilClosed() == [Reply(ServerFixture.errors.tooManyConnections)])
            second?.endWriting()
            #expect(try second?.reply() == nil)
            second = nil
            let fourth = try fixture.client()
            fourth.send(.test("Echo", ["n": 4]))
            #expect(try fourth.reply() == .number(4))
        }
    }

    @Test func `a refused peer that makes no call times out`() async throws {
        let limits = VarlinkLimits { $0.halfFrameSecondsMax = 0.1 }
        try await ServerFixture.run(limits: limits, handler: TestHandler(refusing: getuid())) { fixture in
            let client = try fixture.client()
            #expect(try client.repliesUntilClosed() == [Reply(.permissionDenied)])
            #expect(fixture.server.counters.timeouts == 1)
        }
    }

    @Test func `a peer that reads nothing times out and costs at most its buffer`() async throws {
        let limits = VarlinkLimits {
            $0.connection.outboundBytesMax = 100_000
            $0.stalledReaderSecondsMax = 0.2
        }
        try await ServerFixture.run(limits: limits) { fixture in
            let client = try fixture.client()
            client.send((0..<64).map { _ in .test("Big", ["bytes": 50_000]) })
            let other = try fixture.client()
            while fixture.server.counters.timeouts == 0 {
                other.send(.test("Echo", ["n": 1]))
                #expect(try other.reply() == .number(1))
            }
            // Bounded by the socket buffer, the outbound limit and one more reply.
            #expect(fixture.server.counters.bytesSent < 700_000)
            #expect(try client.repliesUntilClosed().count < 14)
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func `a peer that reads too slowly times out`() async throws {
        let limits = VarlinkLimits { $0.stalledReaderSecondsMax = 2 }
        try await ServerFixture.run(limits: limits) { fixture in
            let client = try fixture.client()
            client.send((0..<64).map { _ in .test("Big", ["bytes": 100_000]) })
            let other = try fixture.client()
            var last = ContinuousClock.now
            while fixture.server.counters.timeouts == 0 {
                other.send(.test("Echo", ["n": 1]))
                #expect(try other.reply() == .number(1))
                // Reads 100 KB per second, which is more than the socket buffer per timeout.
                guard last.duration(to: .now) > .milliseconds(250) else { continue }
                last = .now
                _ = try client.readSome(bytesMax: 25_000)
            }
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func `peers of a user above the limit of unread bytes are closed after a second`() async throws {
        let limits = VarlinkLimits { $0.unreadBytesPerUserMax = 1 << 20 }
        try await ServerFixture.run(limits: limits) { fixture in
            let clients = try (0..<4).map { _ in try fixture.client() }
            for client in clients { client.send((0..<20).map { _ in .test("Big", ["bytes": 50_000]) }) }
            let other = try fixture.client()
            while fixture.server.counters.timeouts == 0 {
                other.send(.test("Echo", ["n": 1]))
                #expect(try other.reply() == .number(1))
            }
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func `a peer that reads nothing times out even after a late call`() async throws {
        // The replies exceed the socket buffer, so they wait for the peer.
        let limits = VarlinkLimits {
            $0.connection.outboundBytesMax = 2_000_000
            $0.halfFrameSecondsMax = 0.1
            $0.stalledReaderSecondsMax = 0.4
        }
        try await ServerFixture.run(limits: limits) { fixture in
            let client = try fixture.client()
            client.send((0..<20).map { _ in .test("Big", ["bytes": 50_000]) })
            client.write(#"{"method":"#)
            let other = try fixture.client()
            while fixture.server.counters.connections > 1 || fixture.server.counters.timeouts == 0 {
                other.send(.test("Echo", ["n": 1]))
                #expect(try other.reply() == .number(1))
            }
        }
    }
}
