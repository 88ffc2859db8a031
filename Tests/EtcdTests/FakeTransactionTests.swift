import EtcdTesting
import Testing

@testable import Etcd

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
        (14, "etcdserver: rpc not supported for learner", .away("etcdserver: rpc not supported for learner")),
        (12, "unknown service etcdserverpb.KV", .refused(.other, "unknown service etcdserverpb.KV")),
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

    @Test func `an answer of nobody knows which cluster is none of this one`() async throws {
        let member = FakeMember { _, _ in .init(200, #"{"header":{"revision":"1"}}"#) }
        let client = try client([member.endpoint])
        client.trust("7")
        #expect(await error(client) == .unreadable("etcdserverpb.KV/Txn: without the id of the cluster"))
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

    /// Whoever has begun an answer has begun to do what was asked, too; it was taken for not done, and done twice.
    @Test func `what has an answer that was begun is in doubt, whatever is said behind that`() async throws {
        for frame in [RawMember.frame(7, [0, 0, 0, 0, 0, 0, 0, 0]), RawMember.frame(3, stream: 1, [0, 0, 0, 7])] {
            let member = RawMember(Self.settings + RawMember.frame(1, flags: 4, stream: 1, Self.ok) + frame)
            let client = try client([member.endpoint])
            await TransactionTests.expectDoubt("") { _ = try await client.answer(to: TransactionTests.look) }
        }
    }

    /// It was waited for as long as all of it takes over a slow line, though a member has to say before that that some has come.
    @Test func `a large call to a silent member is given up as soon as some of it could have come`() async throws {
        let member = RawMember(Self.settings)
        let client = try client([member.endpoint])
        let large = EtcdTransaction(then: [.put([1], Array(repeating: 1, count: 1 << 20))])
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await TransactionTests.expectDoubt("it did not answer in time") {
                    _ = try await client.answer(to: .transaction(large))
                }
                return true
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(12))
                return false
            }
            #expect(await group.next() == true)
            group.cancelAll()
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
