import Etcd
import EtcdTesting
import Testing

/// Tests of the client with real members.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"))
struct EtcdClientTests {
    @Test func `a key is read back as it was written, and a range is in order`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options())
        for name in ["b/2", "b/1", "c", "b/3"] {
            try await client.answer(to: EtcdCall<Void>.put(Array(name.utf8), [0, 255, 10]))
        }
        let found = try await client.answer(to: EtcdCall<[EtcdEntry]>.range(EtcdRange(allWith: Array("b/".utf8), limit: 2)))
        #expect(found.map { String(decoding: $0.key, as: UTF8.self) } == ["b/1", "b/2"])
        #expect(found.allSatisfy { $0.value == [0, 255, 10] && $0.createRevision == $0.modRevision })
        try await client.answer(to: EtcdCall<Void>.delete(EtcdRange(allWith: Array("b/".utf8))))
        #expect(
            try await client.answer(to: EtcdCall<[EtcdEntry]>.range(EtcdRange(allWith: [])))
                .map(\.key) == [Array("c".utf8)])
    }

    @Test func `a transaction executes one of its two branches`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options())
        let transaction = EtcdTransaction(
            if: [.createRevision(of: [1], 0)], then: [.put([1], [7])],
            otherwise: [.range(EtcdRange([1])), .range(EtcdRange([2]))])
        let first = try await client.answer(to: .transaction(transaction))
        #expect(first.hasSucceeded)
        let second = try await client.answer(to: .transaction(transaction))
        #expect(!second.hasSucceeded && second.entries.map(\.count) == [1, 0])
        #expect(second.entries[0].first?.value == [7] && second.entries[0].first?.createRevision == first.revision)
        let third = try await client.answer(to: .transaction(EtcdTransaction(if: [.value(of: [1], [7])], then: [.put([1], [])])))
        #expect(third.hasSucceeded)
    }

    @Test func `keeping an expired lease alive returns 0 seconds`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options())
        let lease = try await client.answer(to: .grantLease(seconds: 10))
        #expect(try await client.answer(to: .keepAlive(lease: lease.id)).seconds == 10)
        try await client.answer(to: EtcdCall<Void>.put([1], [1], lease: lease.id))
        try await client.answer(to: EtcdCall<Void>.revoke(lease: lease.id))
        #expect(try await client.answer(to: .keepAlive(lease: lease.id)).seconds == 0)
        #expect(try await client.answer(to: EtcdCall<[EtcdEntry]>.range(EtcdRange([1]))).isEmpty)
    }

    @Test func `a request that is too large is refused and not in doubt`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options())
        let error = await #expect(throws: EtcdError.self) {
            try await client.answer(to: EtcdCall<Void>.put([1], Array(repeating: 1, count: 2 << 20)))
        }
        guard case .refused(.tooLarge, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `the client switches from an unreachable member to the next, and nothing is in doubt`() async throws {
        let cluster = try EtcdCluster()
        var options = cluster.options()
        options.endpoints.insert("127.0.0.1:1", at: 0)
        let client = try EtcdClient(options)
        let error = await #expect(throws: EtcdError.self) { try await client.answer(to: EtcdCall<Void>.put([1], [1])) }
        guard case .away = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await client.answer(to: EtcdCall<Void>.put([1], [1]))
    }

    @Test func `a request to a member that does not answer is in doubt`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options(requestTimeMax: .milliseconds(250)))
        try await client.answer(to: EtcdCall<Void>.put([1], [1]))
        cluster.freeze(0)
        let error = await #expect(throws: EtcdError.self) { try await client.answer(to: EtcdCall<Void>.put([1], [2])) }
        guard case .doubt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        cluster.resume(0)
    }

    @Test func `streams do not use up the connections of calls`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options())
        await withTaskGroup(of: Void.self) { group in
            let (begun, continuation) = AsyncStream<Void>.makeStream()
            for _ in 0..<16 {
                group.addTask {
                    try? await client.watch([1]) {
                        if $0 == .begun { continuation.yield() }
                        return false
                    }
                }
            }
            var iterator = begun.makeAsyncIterator()
            for _ in 0..<16 { _ = await iterator.next() }
            await #expect(throws: Never.self) { try await client.answer(to: EtcdCall<Void>.put([2], [1])) }
            group.cancelAll()
        }
    }

    @Test func `a watch delivers the entries that are written from then on until it is stopped`() async throws {
        let cluster = try EtcdCluster()
        let client = try EtcdClient(cluster.options())
        let (events, continuation) = AsyncStream<EtcdEvent>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await client.watch([1]) {
                    continuation.yield($0)
                    if case .put = $0 { return true }
                    return false
                }
                continuation.finish()
            }
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() == .begun)
            try await client.answer(to: EtcdCall<Void>.put([1], [2]))
            guard case .put(let entry)? = await iterator.next() else {
                Issue.record("the watch delivered nothing")
                return group.cancelAll()
            }
            #expect(entry.key == [1] && entry.value == [2])
            #expect(await iterator.next() == nil)
            try await group.waitForAll()
        }
    }
}
