import Glibc
import Testing
import Varlink
import VarlinkNIO

@Suite(.timeLimit(.minutes(15)))
struct StopTests {
    @Test func `a stop answers running calls, ends streams with an error and closes idle connections`() async throws {
        try await ServerFixture.run(stopsWithin: .seconds(30)) { fixture in
            let idle = try fixture.client()
            let holding = try fixture.client()
            let watching = try fixture.client()
            idle.send(.test("Echo", ["n": 1]))
            #expect(try idle.reply() == .number(1))
            holding.send(.test("Hold", ["n": 2]))
            watching.send(.test("Endless", more: true))
            await fixture.handler.held.wait { $0.count == 1 }
            await fixture.handler.streams.wait { $0.begun == 1 }
            fixture.server.stop(within: .seconds(30))
            #expect(try idle.reply() == nil)
            #expect(try watching.repliesUntilClosed() == [Reply(ServerFixture.errors.stopping)])
            #expect(throws: PlainClient.SystemError.self) { try fixture.client() }
            fixture.handler.held.value[0].reply.succeed { $0 += TestHandler.number(2) }
            #expect(try holding.repliesUntilClosed() == [.number(2)])
        }
    }

    @Test func `calls that exceed the stop timeout are cut off`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(.test("Hold", ["n": 1]))
            await fixture.handler.held.wait { $0.count == 1 }
            fixture.server.stop(within: .milliseconds(50))
            #expect(try client.repliesUntilClosed() == [])
        }
    }

    @Test func `cancelling the task of a server closes everything`() async throws {
        let directory = try ServerFixture.temporaryDirectory()
        defer {
            unlink(directory + "/socket")
            rmdir(directory)
        }
        let handler = TestHandler()
        let server = VarlinkServer(handler: handler, service: try ServerFixture.service(), errors: ServerFixture.errors)
        let isReady = Signal(false)
        try await withThrowingTaskGroup { group in
            let socket = try ServerFixture.listeningSocket(at: directory + "/socket")
            group.addTask {
                try await server.run(on: [socket]) { isReady.change { $0 = true } }
            }
            await isReady.wait { $0 }
            let client = try PlainClient(path: directory + "/socket")
            client.send(.test("Endless", more: true))
            await handler.streams.wait { $0.begun == 1 }
            group.cancelAll()
            try await group.waitForAll()
            #expect(handler.streams.value.ended == 1)
            #expect(try client.repliesUntilClosed().allSatisfy { $0.error != nil })
        }
    }

    @Test func `a server that was stopped before it runs ends at once`() async throws {
        let server = VarlinkServer(handler: TestHandler(), service: try ServerFixture.service(), errors: ServerFixture.errors)
        server.stop(within: .zero)
        try await server.run(on: [9_999])
    }
}

@Suite(.timeLimit(.minutes(15)))
struct ListenerTests {
    private func server() throws -> VarlinkServer {
        VarlinkServer(handler: TestHandler(), service: try ServerFixture.service(), errors: ServerFixture.errors)
    }

    @Test func `a descriptor that is no socket is reported`() async throws {
        await #expect(throws: VarlinkServerError("descriptor 9999 is no socket", EBADF)) {
            try await server().run(on: [9_999])
        }
    }

    @Test func `a connected socket is served until it closes`() async throws {
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let client = PlainClient(descriptor: pair[0])
        client.send(.test("Echo", ["n": 1]))
        client.endWriting()
        try await server().run(on: [pair[1]])
        #expect(try client.repliesUntilClosed() == [.number(1)])
    }
}
