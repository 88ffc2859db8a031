import ChronicleLog
import Etcd
import EtcdTesting
import FeatureCounter
import Synchronization
import TestSupport
import Testing

@testable import ChronicleStore
@testable import ReplicatedLog

/// Surprising behavior of members.
///
/// The numbers are those of the list of traps.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct TrapTests {
    /// Trap 3: a member that was suspended and got a snapshot from the others repeats old events to live watchers.
    ///
    /// Therefore a watch is only a notification, and its contents are not used.
    @Test func `a watch that repeats old events delivers nothing twice`() async throws {
        let machines = try Machines(on: try EtcdCluster(members: 3, flags: ["--snapshot-count=100"]))
        let leader = try machines.cluster.leader()
        let follower = (leader + 1) % 3
        let one = try machines.machine("one")
        let two = try Machine(
            "two", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster,
            etcd: machines.cluster.options(ofMember: follower))
        let seen = Seen()
        try await two.following {
            let watching = Task {
                try? await EtcdClient(machines.cluster.options(ofMember: follower)).watch(two.log.keys.head, until: seen.note)
            }
            for _ in 0..<300 { try await one.count() }
            _ = try await two.store.present(atLeast: 300)
            machines.cluster.freeze(follower)
            // More entries than members keep for a member that lags.
            let client = try EtcdClient(machines.cluster.options(ofMember: leader))
            for index in 0..<6_000 { try await client.answer(to: EtcdCall<Void>.put(Array("filler".utf8), [UInt8(index % 256)])) }
            for index in 0..<20 { try await untilAvailable { try await one.count(key: "while one is away \(index)") } }
            machines.cluster.resume(follower)
            let present = try await two.store.present(atLeast: 320)
            #expect(present.state.count == 320)
            watching.cancel()
        }
        let records = try await two.store.records(from: 101, through: 320)
        #expect(records.map(\.header.sequence) == Array(101...320))
        #expect(two.log.standing.batches == one.log.standing.batches)
    }

    /// A member that runs out of space while it applies a transaction has applied it, and answers that it has no space.
    ///
    /// Of 24 such transactions, 8 were applied.
    @Test func `an append that members answer with no space is refused only if they have not applied it`() async throws {
        enum Space { case enough, tooLateFound, none, untold }
        let machines = try Machines()
        let space = Mutex(Space.enough)
        let real = machines.cluster.endpoints[0]
        let member = FakeMember { path, request in
            let space = space.withLock { $0 }
            let isAppend = path == "kv/txn" && request.contains("request_put")
            let full = FakeMember.Answer(429, #"{"error":"etcdserver: mvcc: database space exceeded","code":8}"#)
            if isAppend, space == .none { return full }
            if !isAppend, space == .untold { return .init(503, "{}") }
            let answer = FakeMember.answer(of: real, to: path, request)
            return isAppend && space != .enough ? full : answer
        }
        let one = try Machine(
            "one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster,
            etcd: EtcdOptions(endpoints: [member.endpoint], requestTimeMax: .seconds(5), connectTimeMax: .seconds(2)))
        try await one.count(key: "first")
        space.withLock { $0 = .tooLateFound }
        #expect(try await one.count(key: "second") == 2)
        space.withLock { $0 = .none }
        guard case .storageFull? = await one.error(key: "third") else { throw Unexpected() }
        #expect(one.log.head.sequence == 2)
        // Its outcome is unknown, so it is not reported as refused.
        space.withLock { $0 = .untold }
        guard case .inDoubt? = await one.error(key: "third") else { throw Unexpected() }
        space.withLock { $0 = .enough }
        try await untilAvailable { try await one.count(key: "third") }
        #expect(one.log.head.sequence == 3)
    }

    private struct Unexpected: Error {}

    /// Trap 3, without depending on members: the notification comes late, repeatedly, and with a known head.
    @Test func `repeated and late notifications change nothing`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        let client = try EtcdClient(machines.cluster.options())
        var heads: [EtcdEntry] = []
        for _ in 0..<5 {
            try await one.count()
            heads += try await client.answer(to: .range(EtcdRange(one.log.keys.head)))
            try await two.store.catchUp()
        }
        #expect(heads.allSatisfy { !two.log.isNews($0) })
        for _ in 0..<20 { two.store.followOthers() }
        try await two.store.catchUp()
        #expect(two.store.present.state.count == 5 && two.log.head.sequence == 5)
    }

    @Test func `a machine whose query for many batches fails asks for fewer at once`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        for _ in 0..<10 { try await one.count() }
        let real = machines.cluster.endpoints[0]
        let member = FakeMember { path, request in
            let isMuch = request.firstMatch(of: #/"limit":(\d+)/#).flatMap { Int($0.1) } ?? 0 > 4
            return path == "kv/txn" && isMuch ? .init(500, "{}") : FakeMember.answer(of: real, to: path, request)
        }
        let two = try Machine(
            "two", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster,
            etcd: EtcdOptions(endpoints: [member.endpoint], requestTimeMax: .seconds(5), connectTimeMax: .seconds(2)))
        try await two.store.catchUp()
        #expect(two.store.present.state.count == 10 && two.log.standing.isAway == false)
    }

    /// Trap 5: missing batches are read in pages of a few megabytes.
    ///
    /// A single large request did not complete within its timeout, again and again.
    @Test func `a machine that lacks many large batches reads them in pages`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        let large = [UInt8](repeating: 7, count: 400 << 10)
        let count: UInt64 = 40
        for sequence in 1...count {
            var flush = Flush(after: one.log.head)
            flush.stage(RecordHeader(sequence: sequence, time: one.log.head.time + 1), payload: large)
            try await one.append(flush)
        }
        let late = try machines.machine("late")
        var largest = 0
        while let news = try await late.next() {
            guard case .appended(let flush) = news else { break }
            largest = max(largest, flush.byteCount)
        }
        #expect(late.log.head.sequence == count && late.log.head.checksum == one.log.head.checksum)
        #expect(largest <= 8 << 20, "\(largest)")
    }

    /// Trap 9: a member without a quorum keeps a watch open forever and reports it as healthy, unless the request requires a
    /// leader.
    ///
    /// Failed without `hasleader` in the client's headers.
    @Test func `a watch of a member without a quorum ends`() async throws {
        let cluster = try EtcdCluster(members: 3)
        let client = try EtcdClient(cluster.options(ofMember: 0))
        let ended = await withTaskGroup(of: Bool.self) { group in
            let began = AsyncStream<Void>.makeStream()
            group.addTask {
                do throws(EtcdError) {
                    try await client.watch([1]) {
                        if $0 == .begun { began.continuation.yield() }
                        return false
                    }
                } catch {
                    return true
                }
                return false
            }
            for await _ in began.stream { break }
            for member in 1...2 { cluster.kill(member) }
            group.addTask {
                try? await Task.sleep(for: .seconds(20))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        #expect(ended)
    }

    /// Trap 9: such a member also answers stale reads if the request allows it.
    @Test func `a machine that reaches only a member without a quorum refuses dispatches, serves reads, and recovers by itself`()
        async throws
    {
        let machines = try Machines(on: try EtcdCluster(members: 3))
        let one = try Machine(
            "one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster,
            etcd: machines.cluster.options(ofMember: 0, requestTimeMax: .seconds(1)))
        try await untilAvailable { try await one.count(key: "the first") }
        for member in 1...2 { machines.cluster.freeze(member) }
        let start = ContinuousClock.now
        switch await one.error() {
        case .unavailable, .inDoubt: break
        case let error: Issue.record("\(String(describing: error))")
        }
        #expect(start.duration(to: .now) < .seconds(10))
        #expect(one.store.present.state.count == 1)
        // A refusal depends on the whole log, so now nothing is refused by a rule.
        switch await one.error(of: .increment) {
        case .unavailable, .inDoubt: break
        case let error: Issue.record("\(String(describing: error))")
        }
        for member in 1...2 { machines.cluster.resume(member) }
        try await untilAvailable { try await one.count(key: "the last") }
        let two = try Machine(
            "two", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster, etcd: machines.cluster.options())
        try await two.store.catchUp()
        try await one.store.catchUp()
        #expect(two.log.head.checksum == one.log.head.checksum)
    }

    private final class Seen: Sendable {
        private let revisions = Mutex<[Int64]>([])
        func note(_ event: EtcdEvent) -> Bool {
            if case .put(let entry) = event { revisions.withLock { $0.append(entry.modRevision) } }
            return false
        }
    }
}

extension Machine {
    /// Appends as its store does, concurrently with it.
    @concurrent fileprivate func append(_ flush: Flush) async throws(ActionLogError) { try log.append(flush) }

    /// Applies a page.
    @concurrent fileprivate func next() async throws(ActionLogError) -> ReplicationEvent? { try log.follow() }
}
