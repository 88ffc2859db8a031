import Dispatch
import Etcd
import EtcdTesting
import Synchronization
import Testing

/// Tests of answers that real members do not give.
@Suite struct FakeMemberTests {
    @Test func `a token with control characters is not kept`() async throws {
        let tokens = Tokens([#"a\r\nb: c"#, "token.1"])
        let member = FakeMember { path, _ in
            path == "auth/authenticate"
                ? .init(200, #"{"header":{},"token":"\#(tokens.next())"}"#) : .init(200, FakeMember.nothing)
        }
        var options = self.options([member])
        options.user = EtcdOptions.User(name: "todod", password: "a password")
        let client = try EtcdClient(options)
        await #expect(throws: EtcdError.away("the answer is not from a member: auth/authenticate")) {
            try await client.answer(to: EtcdCall<Void>.put([1], [1]))
        }
        try await client.answer(to: EtcdCall<Void>.put([1], [1]))
    }

    /// A recreated member waits with an old token until it reaches the revision in it.
    @Test func `the client gets a new token if a member does not answer a request with the old one`() async throws {
        let tokens = Tokens(["old.900"] + Array(repeating: "new.1", count: 100))
        let isOver = DispatchSemaphore(value: 0)
        defer { isOver.signal() }
        let member = FakeMember { path, request in
            if path == "auth/authenticate" { return .init(200, #"{"header":{},"token":"\#(tokens.next())"}"#) }
            if request.contains("old.900") { isOver.wait() }
            return .init(200, FakeMember.nothing)
        }
        var options = EtcdOptions(endpoints: [member.endpoint], requestTimeMax: .seconds(1), connectTimeMax: .seconds(5))
        options.user = EtcdOptions.User(name: "todod", password: "a password")
        let client = try EtcdClient(options)
        let silence = EtcdError.doubt("http://\(member.endpoint): it did not answer in time")
        await #expect(throws: silence) { try await client.answer(to: EtcdCall<Void>.put([1], [1])) }
        // A slow member is asked again.
        var isAnswered = false
        for _ in 0..<30 where !isAnswered {
            isAnswered = (try? await client.answer(to: EtcdCall<Void>.put([1], [1]))) != nil
        }
        #expect(isAnswered)
    }

    @Test func `an answer that is too large is not read to its end`() async throws {
        let member = FakeMember { _, _ in .init(200, #"{"version":"\#(String(repeating: "3", count: 2 << 20))"}"#) }
        let client = try EtcdClient(options([member]))
        let error = await #expect(throws: EtcdError.self) {
            _ = try await client.answer(to: .databaseBytesInUse)
        }
        #expect(error == .doubt("http://\(member.endpoint): its answer is too large"))
    }

    @Test func `a large answer is read for as long as data arrives`() async throws {
        let body = #"{"header":{"revision":"1"},"kvs":[],"more":"\#(String(repeating: "x", count: 4_096))"}"#
        let member = FakeMember { _, _ in .init(200, body, pieces: 8) }
        let client = try EtcdClient(
            EtcdOptions(endpoints: [member.endpoint], requestTimeMax: .seconds(1), connectTimeMax: .seconds(5)))
        #expect(try await client.answer(to: .range(EtcdRange([1]))) == [])
    }

    /// The library takes such a status for an interim response.
    ///
    /// The data after it made the program end.
    @Test(arguments: [0, 1, 99], ["", "{}"])
    func `an invalid status is not an HTTP answer`(status: Int, body: String) async throws {
        let member = FakeMember { _, _ in .init(status, body) }
        let client = try EtcdClient(options([member]))
        let error = EtcdError.doubt("http://\(member.endpoint): its answer is not HTTP")
        await #expect(throws: error) { try await client.answer(to: EtcdCall<Void>.put([1], [1])) }
    }

    /// A proxy in front of a member may have forwarded a call and answer with a page of its own.
    @Test(arguments: [400, 401, 403, 404, 429, 500, 503])
    func `only an error of a member is a refusal`(status: Int) async throws {
        let page = FakeMember { _, _ in .init(status, "<html>Please try later: space exceeded, too large, compacted</html>") }
        let client = try EtcdClient(options([page]))
        let error = await #expect(throws: EtcdError.self) { try await client.answer(to: EtcdCall<Void>.put([1], [1])) }
        guard case .unreadable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a request to the peer port of a member fails with an error that says so`() async throws {
        let peer = FakeMember { _, _ in .init(404, "404 page not found\n") }
        let client = try EtcdClient(options([peer]))
        await #expect(throws: EtcdError.unreadable("kv/put: 404 404 page not found ; check that this is the port for clients")) {
            try await client.answer(to: EtcdCall<Void>.put([1], [1]))
        }
    }

    /// Trap 10: without that the gateway of a member whose certificate names a user acts with the rights of that user.
    @Test func `each call says which content type it accepts`() async throws {
        let member = FakeMember { _, request in
            let accepts = request.lowercased().contains("\r\naccept: application/json\r\n")
            return accepts ? .init(200, FakeMember.nothing) : .init(403, "{}")
        }
        let client = try EtcdClient(options([member]))
        try await client.answer(to: EtcdCall<Void>.put([1], [1]))
        #expect(try await client.answer(to: .range(EtcdRange([1]))) == [])
    }

    @Test func `an answer without a member's id is not accepted`() async throws {
        let member = FakeMember { _, _ in .init(200, "{}") }
        let client = try EtcdClient(options([member]))
        await #expect(throws: EtcdError.unreadable("kv/range")) { try await client.answer(to: .range(EtcdRange([1]))) }
        await #expect(throws: EtcdError.unreadable("kv/put")) { try await client.answer(to: EtcdCall<Void>.put([1], [1])) }
    }

    @Test func `an answer of too many values is not accepted`() async throws {
        let member = FakeMember { _, _ in .init(200, "[" + String(repeating: "0,", count: 200_000) + "0]") }
        let client = try EtcdClient(options([member]))
        await #expect(throws: EtcdError.unreadable("kv/put")) { try await client.answer(to: EtcdCall<Void>.put([1], [1])) }
    }

    @Test func `the client switches from a member without a leader to the next`() async throws {
        let alone = FakeMember { _, _ in .init(503, #"{"error":"etcdserver: no leader","code":14}"#) }
        let other = FakeMember { _, _ in .init(200, FakeMember.nothing) }
        let client = try EtcdClient(options([alone, other]))
        await #expect(throws: EtcdError.doubt("etcdserver: no leader (14)")) {
            try await client.answer(to: EtcdCall<Void>.put([1], [1]))
        }
        try await client.answer(to: EtcdCall<Void>.put([1], [1]))
    }

    /// The server may be a proxy and no member, or know another set of users.
    @Test(arguments: [403, 404, 429])
    func `the client switches from a member that refuses calls to the next`(status: Int) async throws {
        let unwilling = FakeMember { _, _ in .init(status, #"{"error":"not here","code":7}"#) }
        let other = FakeMember { _, _ in .init(200, FakeMember.nothing) }
        let client = try EtcdClient(options([unwilling, other]))
        await #expect(throws: EtcdError.self) { try await client.answer(to: EtcdCall<Void>.put([1], [1])) }
        try await client.answer(to: EtcdCall<Void>.put([1], [1]))
    }

    private func options(_ members: [FakeMember]) -> EtcdOptions {
        EtcdOptions(endpoints: members.map(\.endpoint), requestTimeMax: .seconds(10), connectTimeMax: .seconds(5))
    }

    private final class Tokens: Sendable {
        private let rest: Mutex<[String]>
        init(_ all: [String]) { rest = Mutex(all) }
        func next() -> String { rest.withLock { $0.isEmpty ? "" : $0.removeFirst() } }
    }
}
