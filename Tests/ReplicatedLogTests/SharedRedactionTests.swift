import Chronicle
import ChronicleLog
import Etcd
import EtcdTesting
import FeatureCounter
import Synchronization
import Testing

@testable import ChronicleStore
@testable import ReplicatedLog

/// Tests of redactions in a log that several machines share.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct SharedRedactionTests {
    @Test func `a machine that claims a base after its end does not block redactions`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        for _ in 0..<2 { try await one.count() }
        let client = try EtcdClient(machines.cluster.options())
        var claim = SharedNode(name: "two", batches: 2, sequence: 2, time: 0)
        claim.base = .max
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.node("two"), claim.canonicalBytes))
        try await one.redact(2, to: .decrement)
        #expect(one.store.present.state.count == 0)
    }

    @Test func `a redaction on one machine applies to all, with equal states and histories`() async throws {
        let machines = try Machines(trimming: SharedLogTrimming(batchesKept: 1_000))
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        for _ in 0..<3 { try await one.count() }
        #expect(try await two.count() == 4)
        let notifications = NotificationCounter()
        two.store.listenToRedactions { notifications.note() }
        try await one.redact(2, to: .decrement)
        #expect(one.store.present.state.count == 2 && one.store.present.sequence == 4)
        #expect(try await two.count() == 5)
        #expect(two.store.present.state.count == 3 && notifications.count == 1)
        #expect(two.log.redactions.sequences == [2] && two.store.present.redactions == 1)
        #expect(try await two.action(at: 2) == .decrement)
        // A machine that joins later applies it at the same position.
        let later = try machines.machine("later")
        #expect(try await later.count() == 6)
        #expect(later.store.present.state.count == 4)
        #expect(try later.log.checksum(of: 5) == two.log.head.checksum)
        #expect(try await later.action(at: 2) == .decrement)
    }

    @Test func `the cluster removes redacted text once all machines have the redaction, whatever else is kept`() async throws {
        let machines = try Machines(trimming: SharedLogTrimming(batchesKept: 1_000))
        do {
            let one = try machines.machine("one")
            for _ in 0..<3 { try await one.count() }
            #expect(try await one.log.trim() == 0)
            try await one.redact(2, to: .decrement)
            #expect(try await one.count() == 4)
            #expect(try await one.log.trim() == 4)
            await one.store.stop()
        }
        // A machine that continues from its copy also knows the redaction.
        let again = try machines.machine("one")
        #expect(again.log.copy.place?.redaction == 4)
        #expect(try await again.count() == 5)
    }

    @Test func `a record that one machine has compacted away can't be redacted on any machine`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        for _ in 0..<3 { try await one.count() }
        let client = try EtcdClient(machines.cluster.options())
        let compacted = SharedNode(name: "two", batches: 3, sequence: 3, time: 0, base: 2)
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.node("two"), compacted.canonicalBytes))
        let error = await #expect(throws: StoreError.self) { try await one.redact(2, to: .decrement) }
        guard case .unavailable(let what) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let key = String(decoding: one.log.keys.node("two"), as: UTF8.self)
        #expect(what.contains("the machine two has compacted its copy up to record 2"), "\(what)")
        #expect(what.hasSuffix("etcdctl del \(key)"), "\(what)")
        // A dry run says so as well.
        await #expect(throws: ActionLogError.unavailable(what: what)) { try await one.log.checkRedaction(of: 2) }
        try await one.log.checkRedaction(of: 3)
        try await one.redact(3, to: .decrement)
        #expect(one.store.present.state.count == 1)
    }

    @Test func `a record that a machine is about to compact away can't be redacted, even after an earlier check`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        for _ in 0..<3 { try await one.count() }
        // The copy may lack redactions up to that record.
        await #expect(throws: ActionLogError.othersFirst) { try await two.announceBase(2) }
        try await two.store.catchUp()
        let looked = try await one.looksAtBases(before: 2)
        try await two.announceBase(2)
        let client = try EtcdClient(machines.cluster.options())
        #expect(try await !client.answer(to: .transaction(EtcdTransaction(if: [looked], then: []))).hasSucceeded)
        let error = await #expect(throws: StoreError.self) { try await one.redact(2, to: .decrement) }
        guard case .unavailable(let what) = error, what.contains("the machine two has compacted its copy up to record 2") else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await one.redact(3, to: .decrement)
        // In the end it was not compacted.
        two.log.withdrawBase()
        try await two.log.report()
        try await one.redact(2, to: .decrement)
        #expect(one.store.present.state.count == -1)
    }

    @Test func `a redaction with an unreadable payload is not applied`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        for _ in 0..<2 { try await one.count() }
        let old = try ReplicatedActionLog.open(
            InMemoryActionLog(), SharedLogOptions(name: machines.name, node: "old", etcd: machines.cluster.options())
        ) { $0 == Counter.Action.increment.canonicalBytes }
        _ = try await old.next()
        try await one.redact(2, to: .decrement)
        await #expect(throws: ActionLogError.self) { try await old.next() }
        #expect(old.redactions.sequences.isEmpty && old.standing.batches == 2)
    }

    private final class NotificationCounter: Sendable {
        private let number = Atomic<Int>(0)
        func note() { number.add(1, ordering: .relaxed) }
        var count: Int { number.load(ordering: .relaxed) }
    }
}

extension ReplicatedActionLog {
    /// Applies a page.
    @concurrent fileprivate func next() async throws(ActionLogError) -> ReplicationEvent? { try follow() }
}

extension Machine {
    @concurrent fileprivate func announceBase(_ sequence: UInt64) async throws(ActionLogError) { try log.announceBase(sequence) }

    @concurrent fileprivate func looksAtBases(
        before sequence: UInt64
    ) async throws(ActionLogError) -> EtcdTransaction.Comparison {
        try log.checkBases(sequence, until: log.deadlineFromNow)
    }

    /// Replaces the action of a record without folding the log again.
    fileprivate func redact(_ sequence: UInt64, to action: Counter.Action) async throws {
        var state = Counter.State()
        let last = store.present.sequence
        for record in try await store.records(from: 1, through: last) {
            let logged = record.header.sequence == sequence ? action : try #require(record.action)
            _ = Counter.reduce(&state, logged, Context(time: record.header.time, origin: record.header.origin))
        }
        try await store.redact(
            Redaction(
                actions: [(sequence: sequence, action: action)], state: state, through: last, redactions: log.redactions.count))
    }

    fileprivate func action(at sequence: UInt64) async throws -> Counter.Action? {
        try await store.records(from: sequence, through: sequence).first?.action
    }
}
