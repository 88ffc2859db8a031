import ChronicleLog
import ChronicleValues
import DiskLog
import Etcd
import EtcdTesting
import FeatureCounter
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ChronicleStore
@testable import ReplicatedLog

/// Tests of the batches that the cluster keeps for machines that lag, and of machines that join too late.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct TrimTests {
    @Test func `batches that all machines have are removed, and a machine that joins later begins with a backup`() async throws {
        let machines = try Machines(trimming: SharedLogTrimming(batchesKept: 0))
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        for index in 0..<20 { try await one.count(key: "\(index)") }
        #expect(try await two.count() == 21)
        try await one.store.catchUp()
        for machine in [one, two] { try await machine.log.report() }
        #expect(try await one.log.trim() == 21)
        // Both machines continue.
        #expect(try await one.count() == 22)
        #expect(try await two.count() == 23)
        let backup = "\(machines.directory.path)/backup"
        _ = try (two.log.copy as? LMDBActionLog)?.backUp(to: backup)
        // An empty machine lacks removed batches and must not take the rest for everything.
        let late = try machines.machine("late")
        guard case .unavailable(let what) = await late.error() else {
            Issue.record("the machine continued without the earlier records")
            return
        }
        #expect(what.contains("backup") && late.log.head.sequence == 0)
        #expect(late.store.followingObstacle?.contains("backup") == true)
        #expect(one.store.followingObstacle == nil && two.store.followingObstacle == nil)
        try FileManager.default.moveItem(atPath: backup, toPath: "\(machines.directory.path)/three")
        let three = try machines.machine("three")
        #expect(try await three.count() == 24)
        #expect(three.store.present.state.count == 24)
        #expect(try three.log.checksum(of: 23) == two.log.head.checksum)
    }

    @Test func `batches are kept for a machine that is away, until it has been away for too long`() async throws {
        let machines = try Machines(trimming: SharedLogTrimming(batchesKept: 0, awayMax: .seconds(3_600), silenceMin: .zero))
        let one = try machines.machine("one")
        for _ in 0..<5 { try await one.count() }
        do {
            let away = try machines.machine("away")
            try await away.store.catchUp()
            try await away.log.report()
            await away.store.stop()
        }
        for _ in 0..<5 { try await one.count() }
        #expect(try await one.log.trim() == 5)
        let survey = try await one.log.survey()
        #expect(survey.firstBatch == 6 && survey.batches == 10)
        #expect(survey.nodes.first { $0.name == "away" }?.batches == 5)
        do {
            let back = try machines.machine("away")
            #expect(try await back.count() == 11)
            await back.store.stop()
        }
        try await one.store.catchUp()
        // The report that it makes now is old.
        let client = try EtcdClient(machines.cluster.options())
        let old = SharedNode(name: "away", batches: 5, sequence: 5, time: 0)
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.node("away"), old.canonicalBytes))
        #expect(try await one.log.trim() == 6)
        #expect(try await one.log.survey().firstBatch == nil)
    }

    @Test func `a machine whose clock lags by weeks counts as present as long as it reports`() async throws {
        let machines = try Machines(trimming: SharedLogTrimming(batchesKept: 0, awayMax: .seconds(3_600)))
        let one = try machines.machine("one")
        for _ in 0..<5 { try await one.count() }
        let client = try EtcdClient(machines.cluster.options())
        let lagging = SharedNode(name: "lagging", batches: 3, sequence: 3, time: 0)
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.node("lagging"), lagging.canonicalBytes))
        for _ in 0..<2 { _ = try await one.log.trim() }
        #expect(try await one.log.survey().firstBatch == 4)
    }

    @Test func `batches are not kept for a machine that is gone and whose clock was years ahead`() async throws {
        let machines = try Machines(trimming: SharedLogTrimming(batchesKept: 0, awayMax: .zero, silenceMin: .zero))
        let one = try machines.machine("one")
        for _ in 0..<5 { try await one.count() }
        let client = try EtcdClient(machines.cluster.options())
        let ahead = SharedNode(name: "ahead", batches: 3, sequence: 3, time: .max)
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.node("ahead"), ahead.canonicalBytes))
        #expect(try await one.log.trim() == 5)
    }

    @Test func `a machine whose clock is ahead counts as present as long as one with a correct clock`() async throws {
        let machines = try Machines(trimming: SharedLogTrimming(batchesKept: 0, awayMax: .seconds(3_600), silenceMin: .zero))
        let one = try machines.machine("one")
        for _ in 0..<5 { try await one.count() }
        let client = try EtcdClient(machines.cluster.options())
        let ahead = SharedNode(name: "ahead", batches: 3, sequence: 3, time: .max)
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.node("ahead"), ahead.canonicalBytes))
        for _ in 0..<2 { _ = try await one.log.trim() }
        #expect(try await one.log.survey().firstBatch == 4)
    }

    /// A joining machine reads batches while others remove them, unless they check the machines once more.
    @Test func `batches are kept for a machine that joins between the survey and the deletion`() async throws {
        let trimming = SharedLogTrimming(batchesKept: 0)
        let machines = try Machines(trimming: trimming)
        let (name, member) = (machines.name, machines.cluster.endpoints[0])
        let joining = Mutex<ReplicatedActionLog?>(nil)
        let fake = FakeMember { path, request in
            if path == "kv/txn", request.contains("request_delete_range"), joining.withLock({ $0 == nil }) {
                let late = try? ReplicatedActionLog.open(
                    InMemoryActionLog(), SharedLogOptions(name: name, node: "late", etcd: EtcdOptions(endpoints: [member])))
                joining.withLock { $0 = late }
            }
            return FakeMember.answer(of: member, to: path, request)
        }
        let one = try Machine(
            "one", of: name, copy: InMemoryActionLog(), on: machines.cluster, trimming: trimming,
            etcd: EtcdOptions(endpoints: [fake.endpoint]))
        for _ in 0..<5 { try await one.count() }
        #expect(try await one.log.trim() == 0)
        let late = try #require(joining.withLock { $0 })
        #expect(try await one.log.survey().firstBatch == 1 && late.head.sequence == 0)
        #expect(try await one.log.trim() == 0)
    }

    @Test func `a machine whose next batch is removed while it joins does not keep batches from being removed`() async throws {
        let machines = try Machines(trimming: SharedLogTrimming(batchesKept: 0))
        let member = machines.cluster.endpoints[0]
        let one = try machines.machine("one")
        for _ in 0..<5 { try await one.count() }
        let hasTrimmed = Mutex(false)
        let fake = FakeMember { path, request in
            if path == "kv/txn", request.contains("request_put"), !hasTrimmed.withLock({ $0 }) {
                hasTrimmed.withLock { $0 = true }
                let isDone = DispatchSemaphore(value: 0)
                Task {
                    // A slow member is asked again.
                    var isTrimmed = false
                    while !isTrimmed {
                        _ = try? await one.log.trim()
                        guard let survey = try? await one.log.survey() else { continue }
                        isTrimmed = survey.firstBatch == nil && !survey.nodes.isEmpty
                    }
                    isDone.signal()
                }
                isDone.wait()
            }
            return FakeMember.answer(of: member, to: path, request)
        }
        let place = try one.log.ownPlace()
        let copy = InMemoryActionLog()
        let head = one.log.head
        try copy.become(ReplicaPlace(name: place.name, batch: place.batch), storeID: head.storeID, epoch: head.epoch)
        let options = SharedLogOptions(
            name: machines.name, node: "late", etcd: EtcdOptions(endpoints: [fake.endpoint], requestTimeMax: .seconds(30)))
        _ = try ReplicatedActionLog.open(copy, options)
        #expect(hasTrimmed.withLock { $0 })
        let survey = try await one.log.survey()
        #expect(survey.firstBatch == nil && survey.nodes.map(\.name) == ["one"])
    }

    @Test func `batches are not kept for a machine that can't join any more`() async throws {
        let machines = try Machines(trimming: SharedLogTrimming(batchesKept: 0))
        let one = try machines.machine("one")
        for _ in 0..<5 { try await one.count() }
        #expect(try await one.log.trim() == 5)
        let late = try machines.machine("late")
        #expect(try await one.log.survey().nodes.map(\.name) == ["one"])
        try await late.log.report()
        #expect(try await one.log.survey().nodes.map(\.name) == ["late", "one"])
        for _ in 0..<5 { try await one.count() }
        #expect(try await one.log.trim() == 5)
    }

    @Test func `enough batches are kept for a new machine`() async throws {
        let machines = try Machines(trimming: SharedLogTrimming(batchesKept: 8))
        let one = try machines.machine("one")
        for _ in 0..<20 { try await one.count() }
        #expect(try await one.log.trim() == 12)
        #expect(try await one.log.trim() == 0)
    }

    @Test func `in a large database only batches that a machine lacks are kept`() async throws {
        let machines = try Machines(trimming: SharedLogTrimming(batchesKept: 8, databaseBytesMax: 0))
        let one = try machines.machine("one")
        for _ in 0..<20 { try await one.count() }
        #expect(try await one.log.trim() == 20)
    }

    /// Trap 8: reads and deletions still work, and the alarm remains until the members are defragmented, whatever was removed.
    @Test func `full members refuse appends, are trimmed, and accept appends once an operator has defragmented them`()
        async throws
    {
        let machines = try Machines(on: try EtcdCluster(flags: ["--quota-backend-bytes=262144"]))
        let one = try machines.machine("one")
        var count: UInt64 = 0
        var error: StoreError?
        while error == nil, count < 5_000 {
            error = await one.error(key: "a key of a dispatch \(count)")
            if error == nil { count += 1 }
        }
        guard case .storageFull(let remedy) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(remedy.contains("etcdctl defrag") && remedy.contains("etcdctl alarm disarm"), "\(remedy)")
        #expect(one.log.standing.isFull && one.store.present.state.count == Int64(count))
        #expect(try await one.log.survey().batches == count)
        // The trim is done by a machine that runs no commands, because full members grant no lease. Otherwise it keeps 100,000
        // batches.
        #expect(try await one.log.trim() == count)
        #expect(try await one.log.survey().firstBatch == nil)
        guard case .storageFull = await one.error(key: "before") else {
            Issue.record("a trimmed member accepts appends before it is defragmented")
            return
        }
        // A member compacts after it has answered, so an operator who was too early does it again.
        error = StoreError.storageFull("")
        for _ in 0..<20 where error != nil {
            try machines.cluster.defragmentAndDisarm()
            error = await one.error(key: "after")
        }
        #expect(error == nil && !one.log.standing.isFull)
        #expect(one.store.present.state.count == Int64(count) + 1)
        #expect(try await one.log.survey().batches == count + 1)
    }

    @Test func `an idle machine learns from its reports that the members are full, and when they no longer are`() async throws {
        let machines = try Machines()
        let member = machines.cluster.endpoints[0]
        let isFull = Mutex(false)
        let fake = FakeMember { path, request in
            guard path == "kv/txn", request.contains("request_put"), isFull.withLock({ $0 }) else {
                return FakeMember.answer(of: member, to: path, request)
            }
            return .init(429, #"{"error":"etcdserver: mvcc: database space exceeded","code":8}"#)
        }
        let one = try Machine(
            "one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster,
            etcd: EtcdOptions(endpoints: [fake.endpoint], requestTimeMax: .seconds(10), connectTimeMax: .seconds(5)))
        for full in [true, false] {
            isFull.withLock { $0 = full }
            one.log.state.withLock { $0.reportedAt = 0 }
            try await one.log.report()
            #expect(one.log.standing.isFull == full)
        }
    }
}
