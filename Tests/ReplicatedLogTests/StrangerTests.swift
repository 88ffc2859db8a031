import ChronicleLog
import ChronicleStore
import ChronicleValues
import Etcd
import EtcdTesting
import FeatureCounter
import Synchronization
import TestSupport
import Testing

@testable import ReplicatedLog

/// Tests of logs that look like copies of a shared log but are not.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct StrangerTests {
    @Test func `a copy does not continue after a restored cluster, even if no record differs`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        try await one.count()
        try await two.count()
        _ = try one.log.follow(until: one.log.deadlineFromNow)
        let client = try EtcdClient(machines.cluster.options())
        let keys = one.log.keys
        let head = try #require(try await client.answer(to: .range(EtcdRange(keys.head))).first)
        let number = try one.log.ownPlace().number

        try one.log.append(rows(of: "one", after: one.log.head))
        _ = try await client.answer(
            to: .transaction(
                EtcdTransaction(then: [.put(keys.head, head.value), .delete(EtcdRange(keys.batch(number + 1)))])))
        try two.log.append(rows(of: "two", after: two.log.head))
        try await two.count()

        let error = #expect(throws: ActionLogError.self) { try one.log.follow(until: one.log.deadlineFromNow) }
        guard case .contradiction(let what) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(what.contains("restored to an older state"))
    }

    @Test(arguments: [403, 404, 429])
    func `a single member that refuses everything blocks nothing`(status: Int) async throws {
        let machines = try Machines()
        let unwilling = FakeMember { _, _ in .init(status, #"{"error":"not here","code":7}"#) }
        var etcd = machines.cluster.options()
        etcd.endpoints = [unwilling.endpoint] + etcd.endpoints
        let one = try Machine("one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster, etcd: etcd)
        #expect(try await one.count() == 1)
        _ = try one.log.follow(until: one.log.deadlineFromNow)
        #expect(one.log.head.sequence == 1)
    }

    @Test func `a request that all members refuse fails with the reason and is not retried until the timeout`() async throws {
        let machines = try Machines()
        let unwilling = (0..<2).map { _ in FakeMember { _, _ in .init(403, #"{"error":"not you","code":7}"#) } }
        var etcd = machines.cluster.options()
        etcd.endpoints = unwilling.map(\.endpoint)
        let error = #expect(throws: ActionLogError.self) {
            try Machine("one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster, etcd: etcd)
        }
        guard case .contradiction(let what) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(what.contains("not you"))
    }

    @Test(arguments: [true, false])
    func `a copy of a log that was founded again under the same name reports it, even if the copy is longer`(
        withItsRecords: Bool
    ) async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        try await one.count()
        let client = try EtcdClient(machines.cluster.options())
        let (obstacles, continuation) = AsyncStream.makeStream(of: Void.self)
        one.store.listenToFollowing { obstacle in if obstacle != nil { continuation.finish() } }
        try await one.following {
            // From then on the watch reports no head that is not longer.
            let two = try machines.machine("two")
            try await two.count()
            while one.store.present.sequence < 2 { await Task.yield() }
            var head = try one.log.sharedHead()
            (head.number, head.batch) = (1, SharedBatch.newID())
            if withItsRecords { head.epoch += 1 } else { head.storeID = "another" }
            try await client.answer(to: EtcdCall<Void>.put(one.log.keys.head, head.canonicalBytes))
            for await _ in obstacles {}
            // All machines are notified, because this copy would be taken for one that has everything.
            while true {
                let said = try await client.answer(to: .range(EtcdRange(one.log.keys.node("one")))).first
                if try SharedNode(canonical: said?.value ?? []).obstacle.contains("another log") { break }
                await Task.yield()
            }
        }
        #expect(one.store.followingObstacle?.contains("another log") == true)
        #expect(one.log.head.sequence == 2)
    }

    /// A run of ids of any length takes a few bytes.
    @Test func `a key with more ids than a batch may hand out is not applied, and the ids are not allocated`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        var flush = Flush(after: one.log.head)
        let ids = Array(1...UInt64(1 << 20) + 1)
        for key in ["a", "b"] { try flush.stage(KeyRow(first: 0, last: 0, ids: ids, digest: 1, time: 1), key: key, of: 1_000) }
        try one.log.append(flush)
        let error = #expect(throws: ActionLogError.self) { try two.log.follow(until: two.log.deadlineFromNow) }
        guard case .contradiction(let what) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(what.contains("ids"))
        #expect(try two.log.key("a", of: 1_000) == nil)
    }

    @Test func `the error explains how to discard the log of an empty machine as long as that log is empty`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        for isEmpty in [true, false] {
            if !isEmpty { try await one.count() }
            let copy = InMemoryActionLog()
            var flush = Flush(after: copy.head)
            flush.stage(RecordHeader(sequence: 1, time: 1), payload: [1])
            try copy.append(flush)
            let error = #expect(throws: ActionLogError.self) {
                try Machine("two", of: machines.name, copy: copy, on: machines.cluster)
            }
            guard case .contradiction(let what) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(what.contains("etcdctl del --prefix /todod/\(machines.name)/") == isEmpty, "\(what)")
        }
    }

    @Test(arguments: [true, false])
    func `a log without records that is not empty neither founds nor joins a shared log`(isFirst: Bool) async throws {
        let machines = try Machines()
        if !isFirst { _ = try machines.machine("one") }
        let copy = InMemoryActionLog()
        try copy.append(rows(of: "two", after: copy.head))
        let error = #expect(throws: ActionLogError.self) {
            try Machine("two", of: machines.name, copy: copy, on: machines.cluster)
        }
        guard case .contradiction(let what) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(what.contains("empty directory"))
        #expect(try machines.machine("three").log.head.sequence == 0)
    }

    @Test func `a batch that this version can't read is not applied, and earlier ones are`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        let readable = Mutex(Set<[UInt8]>())
        let copy = InMemoryActionLog()
        let options = SharedLogOptions(name: machines.name, node: "two", etcd: machines.cluster.options())
        let two = try ReplicatedActionLog.open(copy, options) { payload in readable.withLock { $0.contains(payload) } }
        try await one.count()
        readable.withLock { known in known = [Counter.Action.increment.canonicalBytes] }
        try await one.count(.decrement)
        _ = try two.follow(until: two.deadlineFromNow)
        #expect(two.head.sequence == 1)
        let error = #expect(throws: ActionLogError.self) { try two.follow(until: two.deadlineFromNow) }
        guard case .contradiction(let what) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(what.contains("can't read") && copy.head.sequence == 1)
        readable.withLock { known in _ = known.insert(Counter.Action.decrement.canonicalBytes) }
        _ = try two.follow(until: two.deadlineFromNow)
        #expect(copy.head.sequence == 2)
    }

    @Test(arguments: [(UInt64.max, UInt64.max), (2, 1), (0, 1), (1, 9)])
    func `a key with an impossible range of records is not applied`(first: UInt64, last: UInt64) throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        var flush = Flush(after: one.log.head)
        try flush.stage(KeyRow(first: first, last: last, digest: 1, time: 1), key: "key", of: 1_000)
        try one.log.append(flush)
        #expect(throws: ActionLogError.self) { try two.log.follow(until: two.log.deadlineFromNow) }
        #expect(try two.log.key("key", of: 1_000) == nil)
    }

    /// A flush with a key and without records.
    private func rows(of key: String, after head: Head) throws -> Flush {
        var flush = Flush(after: head)
        try flush.stage(KeyRow(first: 0, last: 0, digest: 1, time: 1), key: key, of: 1_000)
        return flush
    }
}
