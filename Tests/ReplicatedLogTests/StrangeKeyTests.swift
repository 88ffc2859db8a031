import ChronicleLog
import ChronicleValues
import EtcdTesting
import FeatureCounter
import Synchronization
import Testing

@testable import ChronicleStore
@testable import Etcd
@testable import ReplicatedLog

/// Tests of keys in the cluster with values that no machine writes.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct StrangeKeyTests {
    @Test func `an unexpected long key is shortened in the error`() {
        let entry = EtcdEntry(key: Array(repeating: 107, count: 7_000), value: [1], createRevision: 1, modRevision: 1)
        let error = #expect(throws: ActionLogError.self) { _ = try SharedHead(entry) }
        let key = String(repeating: "k", count: 200)
        #expect(error == .contradiction(what: "the key \(key) of the cluster has a value that no machine wrote"))
    }

    @Test func `a batch that the head does not include is reported, and no append follows it`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        let client = try EtcdClient(machines.cluster.options())
        try await one.count()
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.batch(2), [1]))
        guard case .unreadable(let what) = await one.error() else {
            Issue.record("the batch was not reported")
            return
        }
        #expect(what.contains(String(decoding: one.log.keys.batch(2), as: UTF8.self)) && one.log.head.sequence == 1)
        try await client.answer(to: EtcdCall<Void>.delete(EtcdRange(one.log.keys.batch(2))))
        #expect(try await one.count() == 2)
    }

    @Test func `batches after the head are not applied`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        let client = try EtcdClient(machines.cluster.options())
        try await one.count()
        let head = try #require(try await client.answer(to: EtcdCall<[EtcdEntry]>.range(EtcdRange(one.log.keys.head))).first)
        try await one.count()
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.head, head.value))
        try await two.store.catchUp()
        #expect(two.log.head.sequence == 1 && two.store.present.state.count == 1)
    }

    @Test func `a head with the maximum number is refused, and the machine continues once the head is restored`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        let client = try EtcdClient(machines.cluster.options())
        try await one.count()
        let entry = try #require(try await client.answer(to: EtcdCall<[EtcdEntry]>.range(EtcdRange(one.log.keys.head))).first)
        var head = try SharedHead(entry)
        head.number = .max
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.head, head.canonicalBytes))
        #expect(await one.error() != nil)
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.head, entry.value))
        #expect(try await one.count() == 2)
    }

    /// It says nothing about the local log that would prevent a start.
    @Test func `an unreadable value in the cluster is reported with its key and is not damage of the log`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        let client = try EtcdClient(machines.cluster.options())
        try await one.count()
        let keys = one.log.keys
        func value(of key: [UInt8]) async throws -> [UInt8] {
            try #require(try await client.answer(to: EtcdCall<[EtcdEntry]>.range(EtcdRange(key))).first).value
        }
        let (head, batch) = (try await value(of: keys.head), try await value(of: keys.batch(1)))
        // A field that this version does not know.
        var newer = CanonicalWriter()
        newer.field(15, "of tomorrow")
        for (key, was, isNow, words) in [
            (keys.head, head, head + newer.bytes, "newer version"), (keys.head, head, [1], "has a value that no machine wrote"),
            (keys.batch(1), batch, [1], "has a value that no machine wrote"),
        ] {
            try await client.answer(to: EtcdCall<Void>.put(key, isNow))
            let error = #expect(throws: ActionLogError.self) { _ = try two.log.follow() }
            guard case .contradiction(let what) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(what.contains(String(decoding: key, as: UTF8.self)) && what.contains(words), "\(what)")
            try await client.answer(to: EtcdCall<Void>.put(key, was))
        }
        try await two.store.catchUp()
        #expect(two.store.present.state.count == 1)
    }

    @Test func `batches that end differently than the head says are not applied`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        let client = try EtcdClient(machines.cluster.options())
        try await one.count()
        let entry = try #require(try await client.answer(to: EtcdCall<[EtcdEntry]>.range(EtcdRange(one.log.keys.head))).first)
        var head = try SharedHead(entry)
        head.checksum ^= 1
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.head, head.canonicalBytes))
        await #expect(throws: StoreError.self) { try await two.store.catchUp() }
        #expect(two.log.head.sequence == 0)
    }

    /// A batch that the copy could not apply is applied only if a check finds it in the cluster.
    @Test func `a machine's own append counts as news if its copy does not have it`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let one = try machines.machine("one", requestTimeMax: .milliseconds(250))
        let client = try EtcdClient(machines.cluster.options())
        try await one.count()
        let entry = try #require(try await client.answer(to: EtcdCall<[EtcdEntry]>.range(EtcdRange(one.log.keys.head))).first)
        machines.cluster.freeze(0)
        guard case .inDoubt = await one.error() else {
            Issue.record("the dispatch was not in doubt")
            return
        }
        machines.cluster.resume(0)
        var head = try SharedHead(entry)
        (head.number, head.batch) = (2, try #require(one.log.state.withLock { $0.doubt?.place.batch }))
        let key = Array("the next head".utf8)
        try await client.answer(to: EtcdCall<Void>.put(key, head.canonicalBytes))
        let next = try #require(try await client.answer(to: EtcdCall<[EtcdEntry]>.range(EtcdRange(key))).first)
        #expect(one.log.isNews(next))
    }
}
