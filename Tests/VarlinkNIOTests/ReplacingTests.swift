import Dispatch
import Glibc
import Testing
import Varlink
import VarlinkNIO

@Suite(.timeLimit(.minutes(15)))
struct ReplacingTests {
    @Test func `new calls go to the new handler, and running calls end with the old one`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(.test("Hold", ["n": 1]))
            await fixture.handler.held.wait { $0.count == 1 }
            let new = TestHandler()
            fixture.server.replaceHandler(with: new)
            // Ensures that the loop replaces the handler before the next call.
            await fixture.server.probe()
            client.send(.test("Echo", ["n": 2]))
            await new.seen.wait { $0 == [2] }
            fixture.handler.held.value[0].reply.succeed { $0 += TestHandler.number(1) }
            #expect(try client.reply() == .number(1))
            #expect(try client.reply() == .number(2))
            #expect(fixture.handler.seen.value == [1])
        }
    }

    @Test func `a peer that the new handler refuses is disconnected, and gets an error when it reconnects`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(.test("Echo", ["n": 1]))
            #expect(try client.reply() == .number(1))
            fixture.server.replaceHandler(with: TestHandler(refusing: getuid()))
            #expect(try client.reply() == nil)
            let again = try fixture.client()
            again.send(.test("Echo", ["n": 1]))
            #expect(try again.reply() == Reply(.permissionDenied))
        }
    }

    @Test func `a probe returns only when the event loop is not blocked`() async throws {
        try await ServerFixture.run { fixture in
            let gate = DispatchSemaphore(value: 0)
            let (isHeldUp, isAsked, isAnswered) = (Signal(false), Signal(false), Signal(false))
            fixture.server.listClients { _ in
                isHeldUp.change { $0 = true }
                gate.wait()
            }
            await isHeldUp.wait { $0 }
            await withTaskGroup { group in
                group.addTask {
                    isAsked.change { $0 = true }
                    await fixture.server.probe()
                    isAnswered.change { $0 = true }
                }
                await isAsked.wait { $0 }
                // Gives a probe that doesn't wait for the loop time to return.
                for _ in 0..<1_000 { await Task.yield() }
                #expect(!isAnswered.value)
                gate.signal()
                await isAnswered.wait { $0 }
            }
        }
    }

    @Test func `a stopped server answers a probe immediately and has no clients`() async throws {
        let server = VarlinkServer(handler: TestHandler(), service: try ServerFixture.service(), errors: ServerFixture.errors)
        await server.probe()
        let clients = Signal<[ConnectionStatus]?>(nil)
        server.listClients { list in clients.change { $0 = list } }
        #expect(clients.value == [])
    }

    @Test func `connections are listed with their statistics, and errors are counted by name`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            for _ in 0..<3 { client.send(.test("Echo", ["n": 1])) }
            for _ in 0..<3 { _ = try client.reply() }
            client.send(.test("Stream"))
            #expect(try client.reply()?.error == "org.varlink.service.ExpectedMore")
            let watching = try fixture.client()
            watching.send(.test("Endless", more: true))
            await fixture.handler.streams.wait { $0.begun == 1 }
            let clients = Signal<[ConnectionStatus]>([])
            fixture.server.listClients { list in clients.change { $0 = list } }
            await clients.wait { $0.count == 2 }
            #expect(clients.value.allSatisfy { $0.peer.uid == getuid() && $0.peer.pid == getpid() && $0.waitingBytes == 0 })
            #expect(Set(clients.value.map(\.calls)) == [4, 1])
            #expect(Set(clients.value.map(\.streams)) == [0, 1])
            #expect(fixture.server.counters.errors == ["org.varlink.service.ExpectedMore": 1])
        }
    }
}
