import Dispatch
import EtcdTesting
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Etcd

/// Transactions, which go by gRPC, at real members.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(5)))
struct TransactionTests {
    @Test func `each comparison, and all that is done, means what it says`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options())
        func does(_ comparison: EtcdTransaction.Comparison) async throws -> Bool {
            try await client.answer(to: .transaction(EtcdTransaction(if: [comparison], then: []))).hasSucceeded
        }
        let range = EtcdRange(allWith: [7])
        let lease = try await client.answer(to: .grantLease(seconds: 60))
        let long = [UInt8](repeating: 255, count: 300)
        let puts: [EtcdTransaction.Operation] = [.put([7, 1], [1], lease: lease.id), .put([7, 2], long)]
        let first = try await client.answer(to: .transaction(EtcdTransaction(then: puts)))
        #expect(first.hasSucceeded && first.revision > 0 && first.cluster != nil && first.entries == [[], []])
        let comparisons: [(EtcdTransaction.Comparison, Bool)] = [
            (.value(of: [7, 1], [1]), true), (.value(of: [7, 1], [2]), false),
            (.createRevision(of: [7, 1], first.revision), true), (.createRevision(of: [7, 1], 0), false),
            (.createRevision(of: [8], 0), true), (.exists([7, 1]), true), (.exists([8]), false),
            (.unwritten(range, since: first.revision), true), (.unwritten(range, since: first.revision - 1), false),
        ]
        for (comparison, holds) in comparisons { #expect(try await does(comparison) == holds, "\(comparison)") }

        let newest = EtcdRange(allWith: [7], limit: 1).newestFirst
        let found = try await client.answer(
            to: .transaction(EtcdTransaction(then: [.range(range), .range(newest), .range(EtcdRange([8]))])))
        #expect(found.entries.map(\.count) == [2, 1, 0])
        let second = EtcdEntry(key: [7, 2], value: long, createRevision: first.revision, modRevision: first.revision)
        #expect(found.entries[0][1] == second)
        try await client.answer(to: EtcdCall<Void>.revoke(lease: lease.id))
        #expect(try await does(.exists([7, 1])) == false)
        _ = try await client.answer(to: .transaction(EtcdTransaction(then: [.delete(range)])))
        #expect(try await does(.exists([7, 2])) == false)
    }

    @Test func `calls go side by side over one connection, and over another once its numbers end`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let cluster = try EtcdCluster()
        let connections = try RPCConnections(cluster.options(), on: loop, streamsMax: 40)
        let message = EtcdTransaction(then: [.range(EtcdRange([1]))]).message
        try await withThrowingTaskGroup(of: RPCReply.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await connections.call("etcdserverpb.KV/Txn", message, of: 0, token: nil, upTo: 1_000).get()
                }
            }
            for try await reply in group { #expect(reply.code == 0 && reply.message != nil) }
        }
        connections.stop()
    }

    /// Members ping with nearly each call; the library ended a connection after 200 of that, and left the call that ran in doubt.
    @Test func `a connection lasts however much is asked on it`() async throws {
        let cluster = try EtcdCluster()
        let connections = try RPCConnections(cluster.options(), on: MultiThreadedEventLoopGroup.singleton.next())
        let message = EtcdTransaction(then: [.put([1], [1])]).message
        for _ in 0..<1_000 {
            let reply = try await connections.call("etcdserverpb.KV/Txn", message, of: 0, token: nil, upTo: 1_000).get()
            #expect(reply.code == 0)
        }
        connections.stop()
        // Whoever stopped asks no more.
        await #expect(throws: RPCError.self) {
            _ = try await connections.call("etcdserverpb.KV/Txn", message, of: 0, token: nil, upTo: 1_000).get()
        }
    }

    /// Each address has a channel; the end of the first took the way to the second away, and calls waited for ever.
    @Test func `a name of which one address does not answer is asked at the other, again and again`() async throws {
        let cluster = try EtcdCluster()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        var options = cluster.options()
        options.endpoints = options.endpoints.map { "member.example:\($0.split(separator: ":")[1])" }
        let connections = try RPCConnections(options, on: loop, resolver: TwoAddresses(loop))
        let message = EtcdTransaction(then: [.put([1], [1])]).message
        for _ in 0..<3 {
            let reply = try await connections.call("etcdserverpb.KV/Txn", message, of: 0, token: nil, upTo: 1_000).get()
            #expect(reply.code == 0)
        }
        connections.stop()
    }

    @Test func `a large call over a slow line is waited for`() async throws {
        let cluster = try EtcdCluster()
        let relay = SlowRelay(to: cluster.endpoints[0], bytesPerSecond: 200_000)
        let client = try EtcdClient(
            EtcdOptions(endpoints: [relay.endpoint], requestTimeMax: .seconds(1), connectTimeMax: .seconds(5)))
        let large = EtcdTransaction(then: [.put([1], (0..<600_000).map { UInt8(truncatingIfNeeded: $0) })])
        #expect(try await client.answer(to: .transaction(large)).hasSucceeded)
    }

    @Test func `what is too large is refused, and nobody is in doubt`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options())
        let large = EtcdTransaction(then: [.put([1], Array(repeating: 1, count: 2 << 20))])
        let error = await #expect(throws: EtcdError.self) { _ = try await client.answer(to: .transaction(large)) }
        guard case .refused(.tooLarge, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a member that is not there is passed over, and nothing is in doubt`() async throws {
        var options = try EtcdCluster.shared.get().options()
        options.endpoints.insert("127.0.0.1:1", at: 0)
        let client = try EtcdClient(options)
        let error = await #expect(throws: EtcdError.self) { _ = try await client.answer(to: Self.look) }
        guard case .away = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        _ = try await client.answer(to: Self.look)
    }

    @Test func `a member that does not answer, or dies, leaves what was asked in doubt, and is asked again later`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options(requestTimeMax: .milliseconds(500)))
        _ = try await client.answer(to: Self.look)
        cluster.freeze(0)
        await Self.expectDoubt("it did not answer in time") { _ = try await client.answer(to: Self.look) }
        cluster.resume(0)
        _ = try await client.answer(to: Self.look)
        let patient = try EtcdClient(cluster.options(requestTimeMax: .seconds(60)))
        _ = try await patient.answer(to: Self.look)
        cluster.freeze(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await Self.expectDoubt("it closed the connection") { _ = try await patient.answer(to: Self.look) } }
            // It may have been sent by then, or not: a connection that ends under a call is one that ends before it, too.
            try await Task.sleep(for: .milliseconds(300))
            cluster.kill(0)
            try await group.waitForAll()
        }
        try cluster.start(0)
        try cluster.waitForLeader()
        _ = try await patient.answer(to: Self.look)
    }

    /// Trap 9; seen red without `hasleader`.
    @Test func `a member that lost the others says so at once`() async throws {
        let cluster = try EtcdCluster(members: 3)
        let client = try EtcdClient(cluster.options(ofMember: 0, requestTimeMax: .seconds(30)))
        for member in 1...2 { cluster.kill(member) }
        let put = EtcdTransaction(then: [.put([1], [1])])
        let deadline = ContinuousClock.now + .seconds(30)
        var met: EtcdError?
        repeat {
            do throws(EtcdError) { _ = try await client.answer(to: .transaction(put)) } catch { met = error }
        } while met?.isWithoutLeader != true && .now < deadline
        #expect(met?.isWithoutLeader == true, "\(String(describing: met))")
    }

    static let look = EtcdCall<EtcdTransaction.Answer>.transaction(EtcdTransaction(then: [.range(EtcdRange([1]))]))

    static func expectDoubt(_ words: String, _ body: () async throws -> Void) async {
        let error = await #expect(throws: EtcdError.self) { try await body() }
        guard case .doubt(let what) = error, what.contains(words) else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}

/// Finds two addresses of each name: one at which nobody listens, and this machine's.
private final class TwoAddresses: Resolver, Sendable {
    private let loop: any EventLoop
    init(_ loop: any EventLoop) { self.loop = loop }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses("127.0.0.1", port) }
    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses("::1", port) }
    func cancelQueries() {}

    private func addresses(_ host: String, _ port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeCompletedFuture { [try SocketAddress(ipAddress: host, port: port)] }
    }
}

/// What is made of answers to transactions that real members do not give.
@Suite struct FakeTransactionTests {
    private func client(_ members: [String]) throws -> EtcdClient {
        try EtcdClient(EtcdOptions(endpoints: members, requestTimeMax: .seconds(1), connectTimeMax: .seconds(5)))
    }

    private func error(_ client: EtcdClient) async -> EtcdError? {
        do throws(EtcdError) {
            _ = try await client.answer(to: TransactionTests.look)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a large answer is read for as long as something of it comes`() async throws {
        let value = String(repeating: "eHh4", count: 2_000)
        let body = #"{"header":{"revision":"1"},"responses":[{"response_range":{"kvs":[{"key":"AQ==","value":"\#(value)"}]}}]}"#
        let member = FakeMember { _, _ in .init(200, body, pieces: 8) }
        let answer = try await client([member.endpoint]).answer(to: TransactionTests.look)
        #expect(answer.entries.first?.first?.value.count == 6_000)
    }

    @Test func `an answer that is too large is not read to its end`() async throws {
        let body = String(repeating: "x", count: 17 << 20)
        let member = FakeMember { _, _ in .init(200, body) }
        #expect(try await error(client([member.endpoint])) == .doubt("http://\(member.endpoint): its answer is too large"))
    }

    /// Who stands before a member may have passed a call on, and answers with a page of its own.
    @Test(arguments: [400, 401, 403, 404, 429, 500, 503])
    func `only what a member says is a refusal`(status: Int) async throws {
        let page = FakeMember { _, _ in .init(status, "space exceeded") }
        #expect(try await error(client([page.endpoint])) == .unreadable("etcdserverpb.KV/Txn: \(status)"))
    }

    @Test(arguments: [
        (8, "etcdserver: mvcc: database space exceeded", EtcdError.refused(.full, "etcdserver: mvcc: database space exceeded")),
        (
            3, "etcdserver: required revision has been compacted",
            .refused(.compacted, "etcdserver: required revision has been compacted")
        ),
        (5, "etcdserver: requested lease not found", .refused(.notFound, "etcdserver: requested lease not found")),
        (7, "etcdserver: permission denied", .refused(.denied(.permission), "etcdserver: permission denied")),
        (16, "etcdserver: invalid auth token", .refused(.expired, "etcdserver: invalid auth token")),
        (14, "etcdserver: no leader", .away("etcdserver: no leader")),
        (14, "etcdserver: request timed out", .doubt("etcdserver: request timed out (503)")),
        (4, "context deadline exceeded", .doubt("context deadline exceeded (500)")),
    ]) func `a code means what the gateway makes of it`(code: Int, message: String, meant: EtcdError) async throws {
        let member = FakeMember { _, _ in .init(500, #"{"error":"\#(message)","code":\#(code)}"#) }
        #expect(try await error(client([member.endpoint])) == meant)
    }

    @Test func `a member that knows no leader is passed over`() async throws {
        let alone = FakeMember { _, _ in .init(503, #"{"error":"etcdserver: no leader","code":14}"#) }
        let other = FakeMember { _, _ in .init(200, #"{"header":{"revision":"1"}}"#) }
        let client = try client([alone.endpoint, other.endpoint])
        #expect(await error(client) == .away("etcdserver: no leader"))
        #expect(await error(client) == nil)
    }

    @Test func `an answer without its sender is none`() async throws {
        let member = FakeMember { _, _ in .init(200, "{}") }
        #expect(try await error(client([member.endpoint])) == .unreadable("etcdserverpb.KV/Txn"))
    }

    @Test func `a member of another cluster is none of this one`() async throws {
        let member = FakeMember { _, _ in .init(200, #"{"header":{"cluster_id":"8","revision":"1"}}"#) }
        let client = try client([member.endpoint, "127.0.0.1:1"])
        client.trust("7")
        #expect(await error(client) == .foreign("http://\(member.endpoint) is a member of another cluster"))
    }

    static let settings = RawMember.frame(4)
    /// What stands in the table of all for the status 200.
    static let ok: [UInt8] = [0x88]
    static let done: [UInt8] = [0, 11] + Array("grpc-status".utf8) + [1] + Array("0".utf8)

    @Test(arguments: [
        // Nothing at all, and what others speak.
        [], Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), Array(repeating: 0xFF, count: 100),
        // The call is ended, or will not be answered any more.
        settings + RawMember.frame(3, stream: 1, [0, 0, 0, 2]), settings + RawMember.frame(7, [0, 0, 0, 1, 0, 0, 0, 0]),
        // An answer to what nobody asked, and no headers.
        settings + RawMember.frame(0, flags: 1, stream: 9, [0, 0, 0, 0, 0]),
        settings + RawMember.frame(1, flags: 5, stream: 1, [0xFF, 0xFF]),
    ]) func `who does not speak as members do leaves what was asked in doubt`(bytes: [UInt8]) async throws {
        let member = RawMember(bytes, closes: bytes.isEmpty)
        let client = try client([member.endpoint])
        for _ in 0..<2 { await TransactionTests.expectDoubt("") { _ = try await client.answer(to: TransactionTests.look) } }
    }

    @Test(arguments: [
        settings + RawMember.frame(1, flags: 5, stream: 1, ok), settings + RawMember.frame(1, flags: 5, stream: 1, ok + done),
        // A length that is not that of the message, one that is compressed, and a message that is none.
        settings + RawMember.frame(1, flags: 4, stream: 1, ok) + RawMember.frame(0, stream: 1, [0, 0, 0, 0, 9, 10, 2, 24, 7])
            + RawMember.frame(1, flags: 5, stream: 1, done),
        settings + RawMember.frame(1, flags: 4, stream: 1, ok) + RawMember.frame(0, stream: 1, [1, 0, 0, 0, 4, 10, 2, 24, 7])
            + RawMember.frame(1, flags: 5, stream: 1, done),
        settings + RawMember.frame(1, flags: 4, stream: 1, ok) + RawMember.frame(0, stream: 1, [0, 0, 0, 0, 4, 10, 9, 24, 7])
            + RawMember.frame(1, flags: 5, stream: 1, done),
    ]) func `what is no message is no answer`(bytes: [UInt8]) async throws {
        let member = RawMember(bytes)
        let error = try await error(client([member.endpoint]))
        guard case .unreadable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// The rest of it came behind that, and stood, though it was taken for not done.
    @Test func `what is refused before all of it was sent is not sent to its end`() async throws {
        let refusal = Self.ok + [0, 11] + Array("grpc-status".utf8) + [2] + Array("14".utf8)
        let words = [0, 12] + Array("grpc-message".utf8) + [21] + Array("etcdserver: no leader".utf8)
        // No room for the body, an answer to the head, and then room.
        let member = RawMember(
            RawMember.frame(4, [0, 4, 0, 0, 0, 0]) + RawMember.frame(1, flags: 5, stream: 1, refusal + words)
                + RawMember.frame(8, stream: 1, [0, 0x10, 0, 0]) + RawMember.frame(8, [0, 0x10, 0, 0]))
        let client = try client([member.endpoint])
        let large = EtcdTransaction(then: [.put([1], Array(repeating: 1, count: 1 << 19))])
        await #expect(throws: EtcdError.away("etcdserver: no leader")) {
            _ = try await client.answer(to: .transaction(large))
        }
        await client.stop()
        #expect(await member.bytesOfConnection() < 1 << 18)
    }

    @Test func `what is answered before all of it was sent is not done`() async throws {
        let member = RawMember(
            RawMember.frame(4, [0, 4, 0, 0, 0, 0]) + RawMember.frame(1, flags: 4, stream: 1, Self.ok)
                + RawMember.frame(0, stream: 1, [0, 0, 0, 0, 4, 10, 2, 24, 7])
                + RawMember.frame(1, flags: 5, stream: 1, Self.done))
        let client = try client([member.endpoint])
        let large = EtcdTransaction(then: [.put([1], Array(repeating: 1, count: 1 << 19))])
        await TransactionTests.expectDoubt("") { _ = try await client.answer(to: .transaction(large)) }
    }

    @Test func `what the member says it did not begin is not in doubt`() async throws {
        for frame in [RawMember.frame(7, [0, 0, 0, 0, 0, 0, 0, 0]), RawMember.frame(3, stream: 1, [0, 0, 0, 7])] {
            let member = RawMember(Self.settings + frame)
            let error = try await error(client([member.endpoint]))
            guard case .away = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test(arguments: [["8", "0"], ["0", "8"], ["+0"], ["-1"], ["0x"]])
    func `a code that is none, or one of several, is no answer`(codes: [String]) async throws {
        var trailers: [UInt8] = []
        for code in codes { trailers += [0, 11] + Array("grpc-status".utf8) + [UInt8(code.utf8.count)] + Array(code.utf8) }
        let member = RawMember(
            Self.settings + RawMember.frame(1, flags: 4, stream: 1, Self.ok)
                + RawMember.frame(0, stream: 1, [0, 0, 0, 0, 4, 10, 2, 24, 7])
                + RawMember.frame(1, flags: 5, stream: 1, trailers))
        #expect(try await error(client([member.endpoint])) == .unreadable("etcdserverpb.KV/Txn: 200"))
    }

    @Test func `an answer of more entries than any page has is none`() async throws {
        let entries = Array(repeating: "{}", count: 20_000).joined(separator: ",")
        let body = #"{"header":{"revision":"1"},"responses":[{"response_range":{"kvs":[\#(entries)]}}]}"#
        let member = FakeMember { _, _ in .init(200, body) }
        #expect(try await error(client([member.endpoint])) == .unreadable("etcdserverpb.KV/Txn"))
    }

    @Test func `a message in frames of its own is an answer`() async throws {
        let bytes =
            Self.settings + RawMember.frame(1, flags: 4, stream: 1, Self.ok) + RawMember.frame(0, stream: 1, [0, 0, 0, 0, 4])
            + RawMember.frame(0, stream: 1, [10, 2, 24, 7]) + RawMember.frame(1, flags: 5, stream: 1, Self.done)
        let member = RawMember(bytes)
        #expect(try await client([member.endpoint]).answer(to: TransactionTests.look).revision == 7)
    }
}
