import EtcdTesting
import Testing

@testable import Etcd

/// Tests of answers to transactions that real members do not give.
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

    @Test func `a large answer is read for as long as data arrives`() async throws {
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

    /// A proxy in front of a member may have forwarded a call and answer with a page of its own.
    @Test(arguments: [400, 401, 403, 404, 429, 500, 503])
    func `only an error of a member is a refusal`(status: Int) async throws {
        let page = FakeMember { _, _ in .init(status, "space exceeded") }
        let hint = status == 404 ? "; check that this is the port for clients" : ""
        #expect(try await error(client([page.endpoint])) == .unreadable("kv/txn: \(status) space exceeded\(hint)"))
    }

    @Test(
        arguments: [
            (
                8, "etcdserver: mvcc: database space exceeded",
                EtcdError.refused(.full, "etcdserver: mvcc: database space exceeded")
            ),
            (8, "grpc: received message larger than max", .refused(.tooLarge, "grpc: received message larger than max")),
            (3, "etcdserver: request is too large", .refused(.tooLarge, "etcdserver: request is too large")),
            (
                11, "etcdserver: required revision has been compacted",
                .refused(.compacted, "etcdserver: required revision has been compacted")
            ),
            (3, "etcdserver: revision of auth store is old", .refused(.expired, "etcdserver: revision of auth store is old")),
            (
                3, "etcdserver: duplicate key given in txn request",
                .refused(.other, "etcdserver: duplicate key given in txn request")
            ),
            (5, "etcdserver: requested lease not found", .refused(.notFound, "etcdserver: requested lease not found")),
            (7, "etcdserver: permission denied", .refused(.denied(.permission), "etcdserver: permission denied")),
            (16, "etcdserver: invalid auth token", .refused(.expired, "etcdserver: invalid auth token")),
            (12, "unknown service etcdserverpb.KV", .refused(.other, "unknown service etcdserverpb.KV")),
            // With any other code the transaction may have been executed, whatever the text says.
            (14, "etcdserver: no leader", .doubt("etcdserver: no leader (14)")),
            (14, "etcdserver: rpc not supported for learner", .doubt("etcdserver: rpc not supported for learner (14)")),
            (14, "etcdserver: request timed out", .doubt("etcdserver: request timed out (14)")),
            (2, "etcdserver: permission denied", .doubt("etcdserver: permission denied (2)")),
            (2, "etcdserver: request is too large", .doubt("etcdserver: request is too large (2)")),
            (8, "etcdserver: too many requests", .doubt("etcdserver: too many requests (8)")),
            (4, "context deadline exceeded", .doubt("context deadline exceeded (4)")), (0, "", .doubt("status (0)")),
        ], [200, 400, 500]) func `only the code decides whether a transaction was executed`(
            refusal: (code: Int, message: String, meant: EtcdError), status: Int
        ) async throws
    {
        let (code, message, meant) = refusal
        let member = FakeMember { _, _ in .init(status, #"{"error":"\#(message)","code":\#(code)}"#) }
        // With status 200 it is neither a refusal nor an answer.
        #expect(try await error(client([member.endpoint])) == (status == 200 ? .unreadable("kv/txn") : meant))
    }

    @Test(arguments: [#""8""#, "-1", "1e3", "null", "[8]", "8.5"]) func `an invalid error code leaves the transaction in doubt`(
        code: String
    )
        async throws
    {
        let member = FakeMember { _, _ in .init(400, #"{"error":"etcdserver: request is too large","code":\#(code)}"#) }
        switch try await error(client([member.endpoint])) {
        case .unreadable, .doubt: break
        // A number may be written as a string.
        case .refused(.tooLarge, _) where code == #""8""#: break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test func `the client switches from a member without a leader to the next`() async throws {
        let alone = FakeMember { _, _ in .init(503, #"{"error":"etcdserver: no leader","code":14}"#) }
        let other = FakeMember { _, _ in .init(200, #"{"header":{"revision":"1"}}"#) }
        let client = try client([alone.endpoint, other.endpoint])
        #expect(await error(client)?.isWithoutLeader == true)
        #expect(await error(client) == nil)
    }

    @Test func `an answer without a member's id is not accepted`() async throws {
        let member = FakeMember { _, _ in .init(200, "{}") }
        #expect(try await error(client([member.endpoint])) == .unreadable("kv/txn"))
    }

    @Test func `an answer of a member of another cluster is not accepted`() async throws {
        let member = FakeMember { _, _ in .init(200, #"{"header":{"cluster_id":"8","revision":"1"}}"#) }
        let client = try client([member.endpoint, "127.0.0.1:1"])
        client.trust("7")
        #expect(await error(client) == .foreign("http://\(member.endpoint) is a member of another cluster"))
    }

    @Test func `an answer without a cluster id is not accepted`() async throws {
        let member = FakeMember { _, _ in .init(200, #"{"header":{"revision":"1"}}"#) }
        let client = try client([member.endpoint])
        client.trust("7")
        #expect(await error(client) == .unreadable("kv/txn: the id of the cluster is missing"))
    }

    @Test(arguments: [
        "", "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        "HTTP/1.1 400 Bad\r\nContent-Length: 90\r\n\r\n{\"code\":3}", "HTTP/1.1 100 Continue\r\n\r\n",
    ]) func `an answer in another protocol leaves the transaction in doubt`(text: String) async throws {
        let member = RawMember(Array(text.utf8), closes: true)
        let client = try client([member.endpoint])
        for _ in 0..<2 { await TransactionTests.expectDoubt("") { _ = try await client.answer(to: TransactionTests.look) } }
    }

    @Test(arguments: ["[]", "{", #"{"header":{"revision":"-1"}}"#, #"{"header":{},"responses":[{"response_range":7}]}"#])
    func `an answer without the results of a transaction is not accepted`(body: String) async throws {
        let member = FakeMember { _, _ in .init(200, body) }
        #expect(try await error(client([member.endpoint])) == .unreadable("kv/txn"))
    }

    /// Without this the client waits as long as the whole answer takes over a slow connection, although a member must answer
    /// sooner.
    @Test func `a large call to a silent member times out as soon as a part of the answer should have arrived`() async throws {
        let member = RawMember([])
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
}
