import Testing
import Varlink
import VarlinkNIO

@Suite(.timeLimit(.minutes(15)))
struct ReplyGroupTests {
    /// Returns clients that are members and have received their first reply.
    private func members(_ count: Int, _ fixture: ServerFixture) throws -> [PlainClient] {
        let clients = try (0..<count).map { _ in try fixture.client() }
        for client in clients { client.send(.test("Join", more: true)) }
        for client in clients { #expect(try client.reply()?.parameters["n"] == 0) }
        return clients
    }

    @Test func `every member of a group receives each reply once and in order`() async throws {
        try await ServerFixture.run { fixture in
            let clients = try members(150, fixture)
            for n in 1...5 as ClosedRange<Int64> { await fixture.handler.tell(n) }
            for client in clients {
                for n in 1...5 as ClosedRange<Int64> {
                    let reply = try client.reply()
                    #expect(reply?.parameters["n"] == .int(n))
                    #expect(reply?.continues == true)
                }
            }
        }
    }

    @Test func `a member without room leaves with its position, and the others continue`() async throws {
        try await ServerFixture.run(limits: VarlinkLimits { $0.connection.outboundBytesMax = 100_000 }) { fixture in
            let clients = try members(20, fixture)
            var n: Int64 = 0
            while fixture.handler.memberships.value.ended.isEmpty {
                n += 1
                await fixture.handler.tell(n, bytes: 20_000)
                for client in clients.dropFirst() { #expect(try client.reply()?.parameters["n"] == .int(n)) }
            }
            await fixture.handler.tell(n + 1)
            for client in clients.dropFirst() { #expect(try client.reply()?.parameters["n"] == .int(n + 1)) }
            let position = fixture.handler.memberships.value.ended[0]
            #expect(position < n && fixture.handler.memberships.value.ended.count == 1)
            for number in 1...position { #expect(try clients[0].reply()?.parameters["n"] == .int(number)) }
            #expect(try clients[0].reply() == .number(position))
        }
    }

    @Test func `dismissing a group delivers all earlier replies first`() async throws {
        try await ServerFixture.run { fixture in
            let clients = try members(50, fixture)
            await fixture.handler.tell(1)
            fixture.handler.group.dismiss(at: 1)
            for client in clients {
                #expect(try client.reply()?.parameters["n"] == 1)
                #expect(try client.reply() == .number(1))
            }
            #expect(fixture.handler.group.isEmpty)
        }
    }

    @Test func `members that disconnect are removed, and the round continues`() async throws {
        try await ServerFixture.run { fixture in
            let clients = try members(100, fixture)
            for (index, client) in clients.enumerated() where index.isMultiple(of: 2) { client.closeNow() }
            for n in 1...3 as ClosedRange<Int64> { await fixture.handler.tell(n) }
            for (index, client) in clients.enumerated() where !index.isMultiple(of: 2) {
                for n in 1...3 as ClosedRange<Int64> { #expect(try client.reply()?.parameters["n"] == .int(n)) }
            }
            for (index, client) in clients.enumerated() where !index.isMultiple(of: 2) { client.closeNow() }
            while !fixture.handler.group.isEmpty { await Task.yield() }
            await fixture.handler.tell(4)
        }
    }

    @Test func `a stop ends members with an error`() async throws {
        try await ServerFixture.run(stopsWithin: .seconds(30)) { fixture in
            let clients = try members(10, fixture)
            fixture.server.stop(within: .seconds(30))
            for client in clients { #expect(try client.repliesUntilClosed() == [Reply(ServerFixture.errors.stopping)]) }
        }
    }
}
