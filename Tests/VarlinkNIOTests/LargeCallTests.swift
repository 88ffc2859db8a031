import Dispatch
import Testing
import Varlink

@testable import VarlinkNIO

@Suite(.timeLimit(.minutes(15)))
struct LargeCallTests {
    /// Pads a call to one megabyte.
    private func large(_ call: Call) -> [UInt8] {
        var bytes: [UInt8] = []
        call.write(into: &bytes)
        bytes.removeLast()
        return bytes + [UInt8](repeating: 0x20, count: 1_000_000 - bytes.count) + [0]
    }

    @Test func `other connections are served during the parsing of a large call, and later calls wait`() async throws {
        let gate = DispatchSemaphore(value: 0)
        try await ServerFixture.run(handler: TestHandler(largeGate: gate)) { fixture in
            let (client, other) = (try fixture.client(), try fixture.client())
            client.write(large(.test("Echo", ["n": 1])))
            client.send(.test("Echo", ["n": 2]))
            await fixture.handler.largeReads.wait { $0 == 1 }
            for n in 10..<30 as Range<Int64> {
                other.send(.test("Echo", ["n": .int(n)]))
                #expect(try other.reply() == .number(n))
            }
            gate.signal()
            #expect(try client.reply() == .number(1))
            #expect(try client.reply() == .number(2))
            #expect(fixture.handler.seen.value == Array(10..<30) + [1, 2])
        }
    }

    @Test func `large calls are scheduled fairly among connections`() async throws {
        let gate = DispatchSemaphore(value: 0)
        try await ServerFixture.run(handler: TestHandler(largeGate: gate)) { fixture in
            let (client, other) = (try fixture.client(), try fixture.client())
            client.write(large(.test("Echo", ["n": 1])))
            await fixture.handler.largeReads.wait { $0 == 1 }
            other.write(large(.test("Echo", ["n": 2])))
            for _ in 1...4 { gate.signal() }
            for n in 3...4 as ClosedRange<Int64> { client.write(large(.test("Echo", ["n": .int(n)]))) }
            #expect(try other.reply() == .number(2))
            for n in [1, 3, 4] as [Int64] { #expect(try client.reply() == .number(n)) }
            #expect(fixture.handler.seen.value.firstIndex(of: 2) ?? 9 < 3)
        }
    }

    @Test func `a large call is answered like any other`() async throws {
        try await ServerFixture.run { fixture in
            let client = try fixture.client()
            client.write(large(.test("Echo", ["n": 1], oneway: true)))
            client.write(large(.test("Shout")))
            client.write(large(.test("Stream", ["count": 2, "bytes": 1], more: true)))
            client.write(large(.test("Late", ["n": 5])))
            client.send(.test("Echo", ["n": 6]))
            #expect(try client.reply() == Reply(.methodNotFound("org.example.test.Shout")))
            #expect(try client.reply()?.continues == true)
            #expect(try client.reply() == .number(1))
            #expect(try client.reply() == .number(5))
            #expect(try client.reply() == .number(6))
            client.write([UInt8](repeating: 0x20, count: 500_000) + [0])
            #expect(try client.reply()?.error == "org.varlink.service.InvalidParameter")
            #expect(try client.reply() == nil)
        }
    }

    @Test func `the fair queue serves users round-robin`() {
        var queue = FairQueue<String>()
        for (element, user) in [("a1", 1), ("a2", 1), ("a3", 1), ("b1", 2), ("c1", 3), ("b2", 2)] as [(String, UInt32)] {
            queue.add(element, of: user)
        }
        var taken: [String] = []
        while let element = queue.next() { taken.append(element) }
        #expect(taken == ["a1", "b1", "c1", "a2", "b2", "a3"])
        queue.add("d1", of: 4)
        #expect(queue.next() == "d1")
    }
}
