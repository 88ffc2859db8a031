import ChronicleLog
import ChronicleValues
import EtcdTesting
import FeatureCounter
import Synchronization
import Testing

@testable import ChronicleStore
@testable import Etcd
@testable import ReplicatedLog

/// What machines make of keys that stand in the cluster otherwise than they write them.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(5)))
struct StrangeKeyTests {
    @Test func `a key that is longer than any is not told whole`() {
        let entry = EtcdEntry(key: Array(repeating: 107, count: 7_000), value: [1], createRevision: 1, modRevision: 1)
        let error = #expect(throws: ActionLogError.self) { _ = try SharedHead(entry) }
        let key = String(repeating: "k", count: 200)
        #expect(error == .contradiction(what: "the key \(key) of the cluster is not what a machine wrote there"))
    }

    @Test func `a batch that the head does not know of is said, and not appended behind`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        let client = try EtcdClient(machines.cluster.options())
        try await one.count()
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.batch(2), [1]))
        guard case .unreadable(let what) = await one.error() else {
            Issue.record("it was not said")
            return
        }
        #expect(what.contains(String(decoding: one.log.keys.batch(2), as: UTF8.self)) && one.log.head.sequence == 1)
        try await client.answer(to: EtcdCall<Void>.delete(EtcdRange(one.log.keys.batch(2))))
        #expect(try await one.count() == 2)
    }

    @Test func `what stands behind the head is not taken in`() async throws {
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

    @Test func `a head that says the greatest number is refused, and the machine goes on once it is put back`() async throws {
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

    /// It says nothing of the machine's own log, by which a start would be barred.
    @Test func `what can't be read of the cluster is said with its key, and is no damage of the log`() async throws {
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
            (keys.head, head, head + newer.bytes, "newer version"), (keys.head, head, [1], "not what a machine wrote there"),
            (keys.batch(1), batch, [1], "not what a machine wrote there"),
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

    @Test func `batches that end otherwise than the head says are not taken in`() async throws {
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

    @Test func `keys among the questions that are none keep no question from its answers`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        let client = try EtcdClient(machines.cluster.options())
        try await one.count()
        try await two.store.catchUp()
        let stray = Array("0".utf8)
        for index in 0..<20 {
            try await client.answer(to: EtcdCall<Void>.put(one.log.keys.questions + [UInt8(ascii: "!"), UInt8(index)], stray))
        }
        let digest = SharedDigest(chain: 1, digest: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for log in [one.log, two.log] { group.addTask { await log.run(answering: { _ in digest }, onNews: {}) } }
            let comparison = try await one.log.compare()
            #expect(comparison == SharedComparison(sequence: 1, digests: ["one": digest, "two": digest]))
            group.cancelAll()
        }
    }

    /// What the copy could not take in comes only if somebody finds that it is there.
    @Test func `what was appended here is news where the copy does not have it`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let one = try machines.machine("one", requestTimeMax: .milliseconds(250))
        let client = try EtcdClient(machines.cluster.options())
        try await one.count()
        let entry = try #require(try await client.answer(to: EtcdCall<[EtcdEntry]>.range(EtcdRange(one.log.keys.head))).first)
        machines.cluster.freeze(0)
        guard case .inDoubt = await one.error() else {
            Issue.record("it was not in doubt")
            return
        }
        machines.cluster.resume(0)
        var head = try SharedHead(entry)
        (head.number, head.batch) = (2, try #require(one.log.state.withLock { $0.doubt?.place.batch }))
        let key = Array("what the head will be".utf8)
        try await client.answer(to: EtcdCall<Void>.put(key, head.canonicalBytes))
        let next = try #require(try await client.answer(to: EtcdCall<[EtcdEntry]>.range(EtcdRange(key))).first)
        #expect(one.log.isNews(next))
    }
}
