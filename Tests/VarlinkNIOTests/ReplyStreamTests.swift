import Testing
import Varlink
import VarlinkNIO

@Suite(.timeLimit(.minutes(15)))
struct ReplyStreamTests {
    @Test func `a stream arrives in order, and only its last reply lacks continues`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(.test("Echo", ["n": 7]), .test("Stream", ["count": 1_000], more: true), .test("Echo", ["n": 8]))
            #expect(try client.reply() == .number(7))
            for n in 0..<1_000 as Range<Int64> {
                let reply = try #require(try client.reply())
                #expect(reply.parameters["n"] == .int(n))
                #expect(reply.continues == (n < 999))
            }
            #expect(try client.reply() == .number(8))
        }
    }

    @Test func `a slow reader suspends its stream within the limit and finally receives everything`() async throws {
        let limits = VarlinkLimits { $0.connection.outboundBytesMax = 100_000 }
        try await ServerFixture.run(limits: limits) { fixture in
            let client = try fixture.client()
            client.send(.test("Stream", ["count": 3_000, "bytes": 1_000], more: true))
            // The socket buffer holds more replies than this.
            await fixture.handler.sent.wait { $0 > 50 }
            let other = try fixture.client()
            for n in 0..<500 as Range<Int64> {
                other.send(.test("Echo", ["n": .int(n)]))
                #expect(try other.reply() == .number(n))
            }
            #expect(fixture.handler.sent.value < 1_000)
            for n in 0..<3_000 as Range<Int64> { #expect(try client.reply()?.parameters["n"] == .int(n)) }
        }
    }

    @Test func `closing the connection ends sending and waiting streams`() async throws {
        try await ServerFixture.run { fixture in
            let sending = try fixture.client()
            sending.send(.test("Stream", ["bytes": 1_000], more: true))
            #expect(try sending.reply()?.continues == true)
            let waiting = try fixture.client()
            waiting.send(.test("Endless", more: true))
            await fixture.handler.streams.wait { $0.begun == 2 }
            waiting.closeNow()
            await fixture.handler.streams.wait { $0.ended == 1 }
            sending.closeNow()
            await fixture.handler.streams.wait { $0.ended == 2 }
            let other = try fixture.client()
            other.send(.test("Echo", ["n": 1]))
            #expect(try other.reply() == .number(1))
            #expect(fixture.server.counters.connections == 1)
        }
    }

    @Test func `calls after a stream start in order when it has ended`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(
                .test("Stream", ["n": 1, "count": 2, "bytes": 1], more: true), .test("Endless", ["n": 2], more: true),
                .test("Echo", ["n": 3]))
            #expect(try client.reply()?.continues == true)
            #expect(try client.reply() == .number(1))
            await fixture.handler.streams.wait { $0.begun == 2 }
            let other = try fixture.client()
            other.send(.test("Echo", ["n": 4]))
            #expect(try other.reply() == .number(4))
            #expect(fixture.handler.seen.value == [1, 2, 4])
        }
    }

    @Test func `a progress report to a client that does not read is dropped without blocking`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(.test("Report", ["count": 20_000, "bytes": 1_000], more: true))
            await fixture.handler.streams.wait { $0.ended == 1 }
            let replies = try client.repliesThroughLast()
            #expect(replies.last == .number(20_000))
            #expect(replies.count < 10_000)
            #expect(replies.dropLast().allSatisfy { $0.continues })
        }
    }

    @Test func `a call without more can be answered from a task`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(.test("Late", ["n": 1]), .test("Echo", ["n": 2]))
            #expect(try client.reply() == .number(1))
            #expect(try client.reply() == .number(2))
        }
    }

    @Test func `a body that throws ends its call with the service's error`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(.test("Fault", more: true), .test("Fault"))
            #expect(try client.reply() == Reply(ServerFixture.errors.failed))
            #expect(try client.reply() == Reply(ServerFixture.errors.failed))
        }
    }

    @Test func `hundreds of streams run and end with their connections`() async throws {
        try await ServerFixture.run { fixture in
            let clients = try (0..<200).map { _ in try fixture.client() }
            for client in clients { client.send(.test("Endless", more: true)) }
            await fixture.handler.streams.wait { $0.begun == 200 }
            for client in clients { client.closeNow() }
            await fixture.handler.streams.wait { $0.ended == 200 }
        }
    }
}
