import EtcdTesting
import TestSupport
import Testing

@testable import Etcd

/// Transactions with real members.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct TransactionTests {
    @Test func `each comparison and operation has its documented effect`() async throws {
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

        let limited = EtcdRange(allWith: [7], limit: 1)
        let found = try await client.answer(
            to: .transaction(EtcdTransaction(then: [.range(range), .range(limited), .range(EtcdRange([8]))])))
        #expect(found.entries.map(\.count) == [2, 1, 0])
        let second = EtcdEntry(key: [7, 2], value: long, createRevision: first.revision, modRevision: first.revision)
        #expect(found.entries[0][1] == second)
        try await client.answer(to: EtcdCall<Void>.revoke(lease: lease.id))
        #expect(try await does(.exists([7, 1])) == false)
        _ = try await client.answer(to: .transaction(EtcdTransaction(then: [.delete(range)])))
        #expect(try await does(.exists([7, 2])) == false)
    }

    @Test func `calls run concurrently, and stopping waits for none of them`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options(requestTimeMax: .seconds(3_600)))
        await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await client.answer(to: Self.look) } }
            await #expect(throws: Never.self) { try await group.waitForAll() }
        }
        cluster.freeze(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { await #expect(throws: EtcdError.self) { _ = try await client.answer(to: Self.look) } }
            }
            client.stop()
        }
        cluster.resume(0)
        // A stopped client sends no further requests.
        await #expect(throws: EtcdError.self) { _ = try await client.answer(to: Self.look) }
    }

    @Test func `a large call over a slow connection does not time out`() async throws {
        let cluster = try EtcdCluster()
        let relay = SlowRelay(to: cluster.endpoints[0], bytesPerSecond: 200_000)
        let client = try EtcdClient(
            EtcdOptions(endpoints: [relay.endpoint], requestTimeMax: .seconds(1), connectTimeMax: .seconds(5)))
        let large = EtcdTransaction(then: [.put([1], (0..<600_000).map { UInt8(truncatingIfNeeded: $0) })])
        #expect(try await client.answer(to: .transaction(large)).hasSucceeded)
    }

    @Test func `a request that is too large is refused and not in doubt`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options())
        let large = EtcdTransaction(then: [.put([1], Array(repeating: 1, count: 2 << 20))])
        let error = await #expect(throws: EtcdError.self) { _ = try await client.answer(to: .transaction(large)) }
        guard case .refused(.tooLarge, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `the client switches from an unreachable member to the next, and nothing is in doubt`() async throws {
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

    @Test func `a request to a member that hangs or dies is in doubt, and later ones are sent to it again`() async throws {
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
            // The request may have been sent or not. A connection that ends during a call and one that ended before it look the
            // same.
            try await Task.sleep(for: .milliseconds(300))
            cluster.kill(0)
            try await group.waitForAll()
        }
        try cluster.start(0)
        try cluster.waitForLeader()
        _ = try await patient.answer(to: Self.look)
    }

    /// Trap 9; failed without `hasleader`.
    @Test func `a member without a quorum reports it at once`() async throws {
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
