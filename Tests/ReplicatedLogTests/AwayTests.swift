import ChronicleLog
import DiskLog
import Etcd
import EtcdTesting
import FeatureCounter
import Foundation
import ReplicatedLog
import Synchronization
import TestSupport
import Testing

@testable import ChronicleStore

/// Tests of dispatches while members are down or do not answer.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct AwayTests {
    @Test func `while no member answers, dispatches are refused and reads work, and later both work again`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let one = try machines.machine("one")
        try await one.count()
        machines.cluster.kill(0)
        // A request over a connection that had ended unnoticed may have arrived.
        let first = await one.error(key: "while no member runs")
        switch first {
        case .unavailable, .inDoubt: break
        default: Issue.record("\(String(describing: first))")
        }
        let second = await one.error()
        guard case .unavailable = second else {
            Issue.record("\(String(describing: second))")
            return
        }
        #expect(one.store.present.state.count == 1)
        #expect(try await one.store.records(from: 1, through: 1).count == 1)
        try machines.cluster.start(0)
        try machines.cluster.waitForLeader()
        try await untilAvailable { try await one.count(key: "while no member runs") }
        #expect(one.store.present.sequence == 2)
    }

    /// A request without an answer may be executed later, so it must not be reported as failed.
    @Test func `a dispatch in doubt is executed once, even if it is repeated`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let one = try machines.machine("one", requestTimeMax: .milliseconds(250))
        try await one.count()
        for round in 0..<3 {
            machines.cluster.freeze(0)
            guard case .inDoubt = await one.error(key: "in doubt \(round)") else {
                Issue.record("the dispatch was not in doubt")
                return
            }
            // A repeated dispatch is not answered as refused.
            guard case .inDoubt = await one.error(key: "in doubt \(round)") else {
                Issue.record("the dispatch in doubt was refused")
                return
            }
            // No other append begins before the outcome is known.
            guard case .unavailable = await one.error(key: "another \(round)") else {
                Issue.record("an append began before the outcome was known")
                return
            }
            machines.cluster.resume(0)
            try await untilAvailable { try await one.count(key: "in doubt \(round)") }
        }
        #expect(one.store.present.state.count == 4 && one.store.present.sequence == 4)
        let two = try machines.machine("two")
        try await two.count(.increment)
        #expect(two.store.present.state.count == 5)
    }

    /// Trap 2: a repeated append that finds its own batch there must not take it for a batch of others and be decided again.
    @Test func `an append whose answer was late is executed once, even without a key`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let one = try machines.machine("one", requestTimeMax: .milliseconds(250))
        try await one.count()
        for round in 0..<5 {
            machines.cluster.freeze(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await one.count() }
                // The append is sent at least twice before anything reads it.
                try await Task.sleep(for: .milliseconds(700))
                machines.cluster.resume(0)
                try await group.waitForAll()
            }
            #expect(one.store.present.sequence == UInt64(round) + 2)
        }
        #expect(one.store.present.state.count == 6)
    }

    /// A proxy in front of a member may allow only HTTP/1.1.
    ///
    /// Such a machine used to report that all was well.
    @Test func `a machine whose transactions do not get through notices it, even without dispatches`() async throws {
        let machines = try Machines()
        let isOpen = Mutex(true)
        let real = machines.cluster.endpoints[0]
        let member = FakeMember { path, request in
            guard path != "kv/txn" || isOpen.withLock({ $0 }) else { return .init(502, "bad gateway") }
            return FakeMember.answer(of: real, to: path, request)
        }
        let one = try Machine(
            "one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster,
            etcd: EtcdOptions(endpoints: [member.endpoint], requestTimeMax: .seconds(5), connectTimeMax: .seconds(2)))
        try await one.count()
        isOpen.withLock { $0 = false }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await one.log.run(onNews: {}) }
            while !one.log.standing.isAway { try? await Task.sleep(for: .milliseconds(20)) }
            isOpen.withLock { $0 = true }
            while one.log.standing.isAway { try? await Task.sleep(for: .milliseconds(20)) }
            group.cancelAll()
        }
    }

    /// The batch is in the cluster but not yet in the copy, where keys are looked up.
    @Test func `a dispatch whose batch was found in the cluster is not refused before the copy has it`() async throws {
        enum Answers { case all, noAppends, appendsAlone, none }
        let machines = try Machines()
        let answers = Mutex(Answers.all)
        let real = machines.cluster.endpoints[0]
        let member = FakeMember { path, request in
            let isAppend = path == "kv/txn" && request.contains("request_put")
            switch answers.withLock({ $0 }) {
            case .appendsAlone where !isAppend, .none where !isAppend: return .init(503, "{}")
            case .noAppends where isAppend, .none where isAppend:
                _ = FakeMember.answer(of: real, to: path, request)
                return .init(500, #"{"error":"lost"}"#)
            default: return FakeMember.answer(of: real, to: path, request)
            }
        }
        let one = try Machine(
            "one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster,
            etcd: EtcdOptions(endpoints: [member.endpoint], requestTimeMax: .seconds(5), connectTimeMax: .seconds(2)))
        try await one.count()
        answers.withLock { $0 = .noAppends }
        guard case .inDoubt = await one.error(key: "in doubt") else {
            Issue.record("the dispatch was not in doubt")
            return
        }
        // The second time another append is in doubt and will never be executed.
        for _ in 0..<2 {
            answers.withLock { $0 = .appendsAlone }
            while one.log.standing.isInDoubt { #expect(await one.error(key: "another") != nil) }
            #expect(one.log.head.sequence == 1)
            guard case .inDoubt = await one.error(key: "in doubt") else {
                Issue.record("a committed dispatch was refused")
                return
            }
            answers.withLock { $0 = .none }
            while !one.log.standing.isInDoubt { #expect(await one.error(key: "another") != nil) }
        }
        answers.withLock { $0 = .all }
        try await untilAvailable { try await one.count(key: "in doubt") }
        #expect(one.store.present.state.count == 2 && one.store.present.sequence == 2)
    }

    @Test func `a machine that follows the log resolves an append in doubt without a new dispatch`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let one = try machines.machine("one", requestTimeMax: .milliseconds(250))
        try await one.count()
        try await one.following {
            machines.cluster.freeze(0)
            // The follower may have found before that no member answers. In that case nothing is sent for a while.
            var error: StoreError?
            repeat { error = await one.error() } while error.map { if case .unavailable = $0 { true } else { false } } == true
            guard case .inDoubt = error else {
                Issue.record("it was not in doubt: \(String(describing: error))")
                return
            }
            machines.cluster.resume(0)
            let present = try await one.store.present(atLeast: 2)
            #expect(present.state.count == 2)
        }
    }

    @Test func `while the members have no space, appends are refused and everything else works`() async throws {
        let machines = try Machines(on: try EtcdCluster(flags: ["--quota-backend-bytes=131072"]))
        let one = try machines.machine("one")
        var done = 0
        var error: StoreError?
        while error == nil, done < 5_000 {
            error = await one.error(key: "a key of a dispatch \(done)")
            if error == nil { done += 1 }
        }
        guard case .storageFull = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(one.store.present.state.count == Int64(done) && one.log.head.sequence == UInt64(done))
        let words = "the cluster has no space left (etcdserver: mvcc: database space exceeded)"
        let joining = #expect(throws: ActionLogError.self) { _ = try machines.machine("two") }
        #expect("\(joining!)".hasPrefix(words), "\(joining!)")
    }

    @Test func `one of three members may die at any time`() async throws {
        let machines = try Machines(on: try EtcdCluster(members: 3))
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        var done = 0
        for round in 0..<3 {
            let leader = try machines.cluster.leader()
            machines.cluster.kill(leader)
            for index in 0..<10 {
                try await untilAvailable { try await (index % 2 == 0 ? one : two).count(key: "\(round)/\(index)") }
                done += 1
            }
            try machines.cluster.start(leader)
            try machines.cluster.waitForLeader()
        }
        try await untilAvailable { try await one.count(.reset) }
        try await untilAvailable { try await two.count(.reset) }
        #expect(two.log.head.sequence == UInt64(done) + 2)
        #expect(try one.log.checksum(of: UInt64(done)) == two.log.checksum(of: UInt64(done)))
    }

    /// As if a machine stopped between the acknowledgement of the cluster and its own commit.
    @Test func `a copy without the last batch of its own machine reads it from the cluster and appends nothing`() async throws {
        let machines = try Machines()
        let (copy, kept) = ("\(machines.directory.path)/one", "\(machines.directory.path)/kept")
        do {
            let one = try machines.machine("one")
            try await one.count()
            await one.store.stop()
        }
        try FileManager.default.copyItem(atPath: copy, toPath: kept)
        do {
            let one = try machines.machine("one")
            try await one.count(key: "cut off")
            await one.store.stop()
        }
        // In the same files, because a copy in other files belongs to another machine.
        for name in try FileManager.default.contentsOfDirectory(atPath: kept) {
            try Data(contentsOf: URL(filePath: "\(kept)/\(name)")).write(to: URL(filePath: "\(copy)/\(name)"))
        }
        let one = try machines.machine("one")
        #expect(one.log.head.sequence == 1)
        #expect(try await one.store.dispatch(Dispatch([.increment], origin: 1_000, key: "cut off")).isDuplicate)
        #expect(one.store.present.state.count == 2 && one.log.head.sequence == 2)
    }
}

/// Repeats an operation until the cluster accepts it, for at most half a minute.
func untilAvailable<Value>(_ body: () async throws -> Value) async throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
        do {
            _ = try await body()
            return
        } catch let error as StoreError {
            switch error {
            case .unavailable, .inDoubt: break
            default: throw error
            }
            guard ContinuousClock.now < deadline else { throw error }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
