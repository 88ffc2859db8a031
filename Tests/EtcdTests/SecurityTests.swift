import EtcdTesting
import TestSupport
import Testing

@testable import Etcd

/// Tests of certificates, users and passwords with real members.
@Suite(
    .serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"),
    .enabled(if: TestCertificates.arePossible, "\(TestCertificates.missing)"), .timeLimit(.minutes(15)))
struct SecurityTests {
    @Test func `a user with a password can use its keys over TLS, and no other user can`() async throws {
        let cluster = try EtcdCluster(certificates: TestCertificates())
        try cluster.enableUsers()
        let client = try EtcdClient(todod(cluster))
        try await client.answer(to: EtcdCall<Void>.put(Array("/todod/a".utf8), [1]))
        #expect(try await value(client) == [1])
        let elsewhere = await error { try await client.answer(to: EtcdCall<Void>.put(Array("/other".utf8), [1])) }
        #expect(elsewhere.isDenied, "\(String(describing: elsewhere))")

        let append = EtcdTransaction(if: [.value(of: Array("/todod/a".utf8), [1])], then: [.put(Array("/todod/a".utf8), [1])])
        #expect(try await client.answer(to: .transaction(append)).hasSucceeded)
        let other = EtcdTransaction(then: [.put(Array("/other".utf8), [1])])
        let kept = await error { _ = try await client.answer(to: .transaction(other)) }
        #expect(kept.isDenied, "\(String(describing: kept))")

        let stranger = try EtcdClient(cluster.options())
        let refused = await error { try await stranger.answer(to: EtcdCall<Void>.put(Array("/todod/a".utf8), [2])) }
        #expect(refused.isRefused, "\(String(describing: refused))")
        let shut = await error { _ = try await stranger.answer(to: .transaction(append)) }
        #expect(shut.isRefused, "\(String(describing: shut))")
        var wrong = todod(cluster)
        wrong.user?.password = "another"
        let denied = await error { try await EtcdClient(wrong).answer(to: EtcdCall<Void>.put(Array("/todod/a".utf8), [2])) }
        #expect(denied.isDenied && "\(denied!)".contains("the password is wrong"), "\(String(describing: denied))")
        #expect(try await value(client) == [1])
    }

    /// Trap 10; failed with only one token: every call after the end of the member was refused.
    @Test func `a token is lost with its member, and the next call gets a new one`() async throws {
        let cluster = try EtcdCluster(certificates: TestCertificates())
        try cluster.enableUsers()
        let client = try EtcdClient(todod(cluster))
        try await client.answer(to: EtcdCall<Void>.put(Array("/todod/a".utf8), [1]))
        cluster.kill(0)
        try cluster.start(0)
        try cluster.waitForLeader()
        // The old connections are found to be closed, and a member that has just started learns of users a moment later.
        let deadline = ContinuousClock.now + .seconds(30)
        while (try? await value(client)) == nil, .now < deadline {}
        #expect(try await value(client) == [1])
        let events = AsyncStream<EtcdEvent>.makeStream()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await client.watch(Array("/todod/a".utf8)) {
                    events.continuation.yield($0)
                    return false
                }
            }
            for await event in events.stream {
                #expect(event == .begun)
                break
            }
            group.cancelAll()
        }
    }

    /// Trap 10; before the fix the error was the members' own message, which says neither whose certificate it is nor what to do.
    @Test func `a certificate with a common name is refused with a remedy`() async throws {
        let certificates = try TestCertificates()
        let cluster = try EtcdCluster(certificates: certificates)
        try cluster.enableUsers()
        var options = todod(cluster)
        options.certificates = certificates.of(.named)
        let refused = await error { try await EtcdClient(options).answer(to: EtcdCall<Void>.put(Array("/todod/a".utf8), [2])) }
        #expect(
            refused.isDenied && "\(refused!)".contains("has a common name, which a cluster with users does not accept"),
            "\(String(describing: refused))")
    }

    @Test func `a client without TLS gets an error that says that the members require it`() async throws {
        let cluster = try EtcdCluster(certificates: TestCertificates())
        var options = cluster.options()
        options.isEncrypted = false
        let met = await error { _ = try await EtcdClient(options).answer(to: .databaseBytesInUse) }
        #expect("\(met!)".contains("write https://"), "\(String(describing: met))")
    }

    @Test func `a client that does not trust the members' authority gets an error, and nothing is in doubt`() async throws {
        let cluster = try EtcdCluster(certificates: TestCertificates())
        let others = try TestCertificates()
        var options = cluster.options()
        options.certificates = others.of()
        let met = await error { try await EtcdClient(options).answer(to: EtcdCall<Void>.put([1], [1])) }
        #expect("\(met!)".contains("not signed by an authority that this machine trusts"), "\(String(describing: met))")
        if case .untrusted = met {} else { Issue.record("\(String(describing: met))") }
        let again = await error { _ = try await EtcdClient(options).answer(to: TransactionTests.look) }
        #expect(again == met)
    }

    @Test func `a client with a certificate for servers only gets an error that says so`() async throws {
        let certificates = try TestCertificates()
        let cluster = try EtcdCluster(certificates: certificates)
        var options = cluster.options()
        options.certificates = certificates.of(.server)
        let met = await error { try await EtcdClient(options).answer(to: EtcdCall<Void>.put([1], [1])) }
        #expect("\(met!)".contains("does not accept the certificate of this machine"), "\(String(describing: met))")
        #expect(met?.isLasting == true)
        let again = await error { _ = try await EtcdClient(options).answer(to: TransactionTests.look) }
        #expect(again == met)
    }

    @Test func `a request whose TLS handshake failed was not executed`() async throws {
        let cluster = try EtcdCluster(certificates: TestCertificates())
        let client = try EtcdClient(cluster.options())
        cluster.freeze(0)
        let met = await error { _ = try await client.answer(to: TransactionTests.look) }
        if case .away = met {} else { Issue.record("\(String(describing: met))") }
        cluster.resume(0)
        #expect(await error { _ = try await client.answer(to: TransactionTests.look) } == nil)
    }

    /// Trap 10; failed without a new token in place of one that the member does not know.
    @Test func `a member whose certificate names a user does not lend its rights to clients`() async throws {
        let cluster = try EtcdCluster(certificates: TestCertificates(ofMembers: "/O=member/CN=root"))
        try cluster.enableUsers()
        let client = try EtcdClient(todod(cluster))
        client.use("a token that never was.1")
        let elsewhere = await error { try await client.answer(to: EtcdCall<Void>.put(Array("/other".utf8), [1])) }
        #expect(elsewhere.isDenied, "\(String(describing: elsewhere))")
        client.use("a token that never was.1")
        let other = EtcdTransaction(then: [.put(Array("/other".utf8), [1])])
        let kept = await error { _ = try await client.answer(to: .transaction(other)) }
        #expect(kept.isDenied, "\(String(describing: kept))")
    }

    @Test func `a user without administrator rights can compact and read the used size of the database`() async throws {
        let cluster = try EtcdCluster(certificates: TestCertificates())
        try cluster.enableUsers()
        let client = try EtcdClient(todod(cluster))
        let put = EtcdTransaction(then: [.put(Array("/todod/a".utf8), [1])])
        let revision = try await client.answer(to: .transaction(put)).revision
        try await client.answer(to: EtcdCall<Void>.compact(through: revision))
        #expect(try await client.answer(to: .databaseBytesInUse) > 0)
    }

    private func todod(_ cluster: EtcdCluster) -> EtcdOptions {
        var options = cluster.options()
        options.user = EtcdOptions.User(name: EtcdCluster.user.name, password: EtcdCluster.user.password)
        return options
    }

    private func value(_ client: EtcdClient) async throws(EtcdError) -> [UInt8]? {
        try await client.answer(to: .range(EtcdRange(Array("/todod/a".utf8)))).first?.value
    }

    /// The error of a body.
    ///
    /// A slow member is asked again.
    private func error(_ body: () async throws -> Void) async -> EtcdError? {
        var met: EtcdError?
        for _ in 0..<5 {
            do {
                try await body()
                return nil
            } catch {
                met = error as? EtcdError
            }
            if met.isRefused { break }
        }
        return met
    }
}

extension EtcdError? {
    fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }
    fileprivate var isDenied: Bool { if case .refused(.denied, _) = self { true } else { false } }
}
