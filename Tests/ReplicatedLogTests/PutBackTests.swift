import ChronicleLog
import ChronicleValues
import Etcd
import EtcdTesting
import TestSupport
import Testing

@testable import ChronicleStore
@testable import ReplicatedLog

/// Tests of a cluster that was restored to an earlier snapshot while machines have more batches.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct PutBackTests {
    @Test func `no machine continues or joins while another machine has more batches than a restored cluster`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        try await one.count()
        try await two.count()
        let client = try EtcdClient(machines.cluster.options())
        let head = try two.log.sharedHead()
        try await one.count()
        try await client.answer(to: EtcdCall<Void>.put(two.log.keys.head, head.canonicalBytes))
        try await client.answer(to: EtcdCall<Void>.delete(EtcdRange(two.log.keys.batch(head.number + 1))))

        try await one.log.report()
        let (events, continuation) = AsyncStream.makeStream(of: ClusterHealth.self)
        two.log.listen { event in if case .reach(let reach) = event { continuation.yield(reach) } }
        try await two.following {
            var reaches = events.makeAsyncIterator()
            let reach = await reaches.next()
            guard case .unavailable(let what) = await two.error() else {
                Issue.record("the machine continued")
                return
            }
            #expect(
                what.contains("the machine one has more") && what.contains("up to 3")
                    && what.contains("restored to an older state"))
            #expect(reach == .refused(what) && two.log.head.sequence == 2)
            #expect(await two.log.win() == nil)
            for _ in 0..<2 {
                let error = #expect(throws: ActionLogError.self) { try machines.machine("three") }
                #expect(error == .contradiction(what: what))
            }

            // This remains so when others have appended as much, until that machine follows them.
            let key = two.log.keys.node("one")
            let said = SharedNode(
                name: "one", batches: 3, sequence: 3, time: 1, copyID: try one.log.ownPlace().copyID, epoch: one.log.head.epoch,
                obstacle: "restored to an older state")
            try await client.answer(to: EtcdCall<Void>.put(key, said.canonicalBytes))
            var passed = head
            passed.number = 3
            let entries = try await client.answer(to: .range(EtcdRange(key)))
            #expect(two.log.machineAhead(of: passed, in: entries) != nil && one.log.machineAhead(of: passed, in: entries) == nil)

            // A person discards the additional batches of that machine.
            #expect(what.hasSuffix("etcdctl del \(String(decoding: key, as: UTF8.self))"))
            try await client.answer(to: EtcdCall<Void>.delete(EtcdRange(key)))
            let after = await reaches.next()
            #expect(after == .answers)
            #expect(try await two.count() == 3)
            #expect(await two.log.win() != nil)
        }
        #expect(try machines.machine("three").log.head.sequence == 0)
    }

    @Test func `a stale report from a log that was replaced does not block anything`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        try await one.count()
        let before = SharedNode(
            name: "before", batches: 9, sequence: 9, time: .max, copyID: 1, epoch: one.log.head.epoch - 1)
        let client = try EtcdClient(machines.cluster.options())
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.node("before"), before.canonicalBytes))
        let two = try machines.machine("two")
        #expect(try await two.count() == 2)
        #expect(try await Set(two.log.survey().nodes.filter { $0.name != "before" }.map(\.epoch)) == [one.log.head.epoch])
    }
}
