import Glibc
import Testing
import Varlink
import VarlinkNIO

@Suite(.timeLimit(.minutes(15)))
struct VarlinkServerTests {
    @Test func `the service describes itself and its interfaces byte for byte`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(Call("org.varlink.service.GetInfo"))
            let information = try #require(try client.reply()).get()
            #expect(information["product"] == "Test")
            #expect(information["interfaces"] == ["org.varlink.service", "org.example.test"])
            client.send(
                Call("org.varlink.service.GetInterfaceDescription", [.init("interface", "org.example.test")]))
            #expect(try client.reply()?.parameters["description"]?.text == TestHandler.interface)
        }
    }

    @Test func `an undescribed call never reaches the handler`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(
                Call("org.example.other.Echo"), .test("Shout"), .test("Echo"), .test("Echo", ["n": "x"]),
                .test("Echo", ["n": 1, "m": 2]), .test("Stream"))
            #expect(try client.reply() == Reply(.interfaceNotFound("org.example.other")))
            #expect(try client.reply() == Reply(.methodNotFound("org.example.test.Shout")))
            #expect(try client.reply() == Reply(.invalidParameter("n")))
            #expect(try client.reply() == Reply(.invalidParameter("n")))
            #expect(try client.reply() == Reply(.invalidParameter("m")))
            #expect(try client.reply() == Reply(.expectedMore))
            #expect(fixture.handler.seen.value == [0])
        }
    }

    @Test func `a frame that the fast parser reads is answered in call order`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(.test("Echo", ["n": 1]), .test("Echo", ["n": 123_456_789]), .test("Echo", ["n": 78]))
            #expect(try client.reply() == .number(1))
            #expect(try client.reply() == .number(-77))
            #expect(try client.reply() == .number(78))
            #expect(fixture.handler.seen.value == [1, -77, 78])
        }
    }

    @Test func `replies keep the order of the calls`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send((0..<20).map { .test("Hold", ["n": .int($0)]) })
            await fixture.handler.held.wait { $0.count == 20 }
            for held in fixture.handler.held.value.reversed() { held.reply.succeed { $0 += TestHandler.number(held.n) } }
            for n in 0..<20 { #expect(try client.reply() == .number(Int64(n))) }
            #expect(fixture.handler.seen.value == Array(0..<20))
        }
    }

    @Test func `concurrent ends from many threads reach each connection in order`() async throws {
        try await ServerFixture.run { fixture in
            let clients = try (0..<8).map { _ in try fixture.client() }
            for client in clients { client.send((0..<50).map { .test("Hold", ["n": .int($0)]) }) }
            await fixture.handler.held.wait { $0.count == 400 }
            await withTaskGroup { group in
                for held in fixture.handler.held.value.shuffled() {
                    group.addTask(executorPreference: globalConcurrentExecutor) {
                        held.reply.succeed { $0 += TestHandler.number(held.n) }
                    }
                }
            }
            for client in clients {
                for n in 0..<50 { #expect(try client.reply() == .number(Int64(n))) }
            }
        }
    }

    @Test func `a oneway call gets no reply, not even when it fails`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(
                .test("Echo", ["n": 1], oneway: true), .test("Shout", oneway: true), .test("Hold", ["n": 2], oneway: true),
                .test("Echo", ["n": 3]))
            #expect(try client.reply() == .number(3))
            #expect(fixture.handler.seen.value == [1, 2, 3])
        }
    }

    @Test func `only the first end of a call has an effect`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(.test("Hold", ["n": 1]), .test("Hold", ["n": 2]))
            await fixture.handler.held.wait { $0.count == 2 }
            let held = fixture.handler.held.value
            held[0].reply.succeed { $0 += TestHandler.number(1) }
            held[0].reply.fail(.permissionDenied)
            held[1].reply.fail(.expectedMore)
            #expect(try client.reply() == .number(1))
            #expect(try client.reply() == Reply(.expectedMore))
        }
    }

    @Test func `a half-closed peer gets its replies and then the end`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(.test("Echo", ["n": 1]), .test("Hold", ["n": 2]))
            client.endWriting()
            await fixture.handler.held.wait { $0.count == 1 }
            fixture.handler.held.value[0].reply.succeed { $0 += TestHandler.number(2) }
            #expect(try client.repliesUntilClosed() == [.number(1), .number(2)])
        }
    }

    @Test func `more calls than the pipelining limit are answered`() async throws {
        try await ServerFixture.run(limits: VarlinkLimits { $0.connection.pipelinedCallsMax = 4 }) { fixture in
            let client = try fixture.client()
            client.send((0..<10).map { .test("Hold", ["n": .int($0)]) })
            for n in 0..<10 {
                await fixture.handler.held.wait { $0.count > n }
                #expect(fixture.handler.held.value.count <= n + 4)
                let held = fixture.handler.held.value[n]
                held.reply.succeed { $0 += TestHandler.number(held.n) }
                #expect(try client.reply() == .number(Int64(n)))
            }
        }
    }

    @Test func `the server counts its work`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.send(.test("Echo", ["n": 1]), .test("Echo", ["n": 2]))
            _ = try client.reply()
            _ = try client.reply()
            let counters = fixture.server.counters
            #expect(counters.connections == 1)
            #expect(counters.accepted == 1)
            #expect(counters.refused == 0)
            #expect(counters.calls == 2)
            #expect(counters.bytesReceived > 80)
            #expect(counters.bytesSent == 46)
        }
    }

    @Test func `thousands of connections leak no descriptor`() async throws {
        try await ServerFixture.run { fixture in
            #expect(try socketsOpen(at: fixture.path) == 1)
            for _ in 0..<20 {
                let clients = try (0..<100).map { _ in try fixture.client() }
                for client in clients { client.send(.test("Echo", ["n": 7])) }
                for client in clients { #expect(try client.reply() == .number(7)) }
                for client in clients { client.endWriting() }
                for client in clients { #expect(try client.reply() == nil) }
            }
            #expect(fixture.server.counters.accepted == 2_000)
            #expect(try socketsOpen(at: fixture.path) == 1)
        }
    }

    /// Counts the listening socket and its accepted connections; other tests open sockets in the same process concurrently.
    private func socketsOpen(at path: String) throws -> Int {
        guard let table = fopen("/proc/net/unix", "re") else { throw PlainClient.SystemError("fopen") }
        defer { fclose(table) }
        var line = [CChar](repeating: 0, count: 4_096)
        var count = 0
        while fgets(&line, Int32(line.count), table) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if text.hasSuffix(" \(path)\n") { count += 1 }
        }
        return count
    }
}
