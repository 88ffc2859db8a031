import ChronicleLog
import Dispatch
import Etcd
import EtcdTesting
import Synchronization
import Testing

@testable import ReplicatedLog

/// Tests of the machine that runs the commands, and of its appends after it lost the lease.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct LeadingTests {
    @Test func `one machine at a time runs the commands, and another one once that stops`() async throws {
        let machines = try Machines()
        let (one, two) = (try log("one", of: machines), try log("two", of: machines))
        let (turns, continuation) = AsyncStream<String>.makeStream()
        var iterator = turns.makeAsyncIterator()
        await withTaskGroup(of: Void.self) { group in
            let first = Turn(one, continuation)
            group.addTask { await first.run() }
            #expect(await iterator.next() == "one")
            #expect(one.isLeading)
            let second = Turn(two, continuation)
            group.addTask { await second.run() }
            first.end()
            #expect(await iterator.next() == "two")
            #expect(two.isLeading && !one.isLeading)
            second.end()
        }
    }

    @Test func `a machine writes nothing while it waits for the lease of another one`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let (one, two) = (try log("one", of: machines), try log("two", of: machines))
        let term = try #require(await one.win())
        let before = try #require(machines.cluster.status(ofMember: 0))
        var wins = 0
        for _ in 0..<20 where await two.win() != nil { wins += 1 }
        let after = try #require(machines.cluster.status(ofMember: 0))
        // A member that has just started writes data of its own.
        #expect(wins == 0 && term.fence > 0 && after.appliedIndex - before.appliedIndex < 20)
    }

    /// A lease can be gone although its holder kept it alive.
    ///
    /// A comparison of the head alone would not notice that.
    @Test func `records of a runner that lost its lease are never appended`() async throws {
        let machines = try Machines()
        let one = try log("one", of: machines)
        let client = try EtcdClient(machines.cluster.options())
        let (turns, continuation) = AsyncStream<String>.makeStream()
        var iterator = turns.makeAsyncIterator()
        let turn = Turn(one, continuation)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await turn.run() }
            #expect(await iterator.next() == "one")
            try await one.say()
            #expect(one.head.sequence == 1)
            let leader = Array("/todod/\(machines.name)/leader".utf8)
            try await client.answer(to: EtcdCall<Void>.delete(EtcdRange(leader)))
            try await client.answer(to: EtcdCall<Void>.put(leader, Array("two".utf8)))
            await #expect(throws: ActionLogError.othersFirst) { try await one.say() }
            #expect(!one.isLeading && one.head.sequence == 1)
            // A second attempt, now that the machine knows it.
            await #expect(throws: ActionLogError.othersFirst) { try await one.say() }
            turn.end()
            group.cancelAll()
        }
    }

    @Test func `the lease holder stops when its time is over, even while it waits for a member's answer`() async throws {
        let machines = try Machines()
        let member = machines.cluster.endpoints[0]
        let hasEnded = DispatchSemaphore(value: 0)
        let endedFirst = Mutex(false)
        let fake = FakeMember { path, request in
            if path == "lease/keepalive" {
                let isInTime = hasEnded.wait(timeout: .now() + 8) == .success
                endedFirst.withLock { $0 = isInTime }
            }
            return FakeMember.answer(of: member, to: path, request.replacing(#""TTL":"10""#, with: #""TTL":"5""#))
        }
        let one = try ReplicatedActionLog.open(
            InMemoryActionLog(),
            SharedLogOptions(
                name: machines.name, node: "one",
                etcd: EtcdOptions(endpoints: [fake.endpoint], requestTimeMax: .seconds(60))))
        let (ends, continuation) = AsyncStream<Void>.makeStream()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await one.runWhileLeader {
                    for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(60)) }) {}
                    hasEnded.signal()
                    continuation.yield()
                }
            }
            for await _ in ends { break }
            group.cancelAll()
        }
        #expect(endedFirst.withLock { $0 })
    }

    @Test func `a machine whose transactions do not get through leaves the lease to another one`() async throws {
        let machines = try Machines()
        let member = machines.cluster.endpoints[0]
        let isCut = Mutex(false)
        let keptAlive = Mutex(0)
        let (turns, continuation) = AsyncStream<String>.makeStream()
        let fake = FakeMember { path, request in
            if isCut.withLock({ $0 }) {
                if path == "kv/txn" { return FakeMember.Answer(502, "") }
                // It keeps its lease alive for longer than it may.
                if path == "lease/keepalive", keptAlive.withLock({ ($0 += 1, $0).1 }) == 12 { continuation.finish() }
            }
            return FakeMember.answer(of: member, to: path, request.replacing(#""TTL":"10""#, with: #""TTL":"5""#))
        }
        let one = try log("one", of: machines, asking: [fake.endpoint])
        let two = try log("two", of: machines)
        var iterator = turns.makeAsyncIterator()
        await withTaskGroup(of: Void.self) { group in
            let (first, second) = (Turn(one, continuation), Turn(two, continuation))
            group.addTask { await first.run() }
            #expect(await iterator.next() == "one")
            group.addTask { await second.run() }
            isCut.withLock { $0 = true }
            #expect(await iterator.next() == "two")
            #expect(two.isLeading && !one.isLeading)
            first.end()
            second.end()
        }
    }

    /// The lease lasts for seconds and is not kept alive.
    @Test func `a restarted machine immediately takes over its own lease, but not that of another machine`() async throws {
        let machines = try Machines()
        let copy = InMemoryActionLog()
        let killed = try log("one", of: machines, copy)
        let before = try #require(await killed.win())
        let other = try log("two", of: machines)
        #expect(await other.win() == nil)
        let again = try log("one", of: machines, copy)
        let after = try #require(await again.win())
        #expect(after.fence > before.fence)
        #expect(await other.win() == nil)
        // It does not take over a lease that it holds itself, or that another process on the same copy holds.
        #expect(await again.win() == nil)
        #expect(await killed.win() == nil)
    }

    private func log(
        _ node: String, of machines: Machines, _ copy: InMemoryActionLog = InMemoryActionLog(), asking endpoints: [String]? = nil
    ) throws -> ReplicatedActionLog {
        var etcd = machines.cluster.options()
        etcd.endpoints = endpoints ?? etcd.endpoints
        return try ReplicatedActionLog.open(copy, SharedLogOptions(name: machines.name, node: node, etcd: etcd))
    }
}

extension ReplicatedActionLog {
    /// Appends a record as the runner of commands does.
    @concurrent fileprivate func say() async throws(ActionLogError) {
        var flush = Flush(after: head)
        flush.stage(RecordHeader(sequence: head.sequence + 1, time: head.time + 1), payload: [1])
        flush.isFromRunner = true
        try append(flush)
    }
}

/// Competes for the lease and runs commands until it is stopped.
private final class Turn: Sendable {
    private let log: ReplicatedActionLog
    private let turns: AsyncStream<String>.Continuation
    private let over = AsyncStream<Void>.makeStream()

    init(_ log: ReplicatedActionLog, _ turns: AsyncStream<String>.Continuation) {
        (self.log, self.turns) = (log, turns)
    }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [log, turns] in
                await log.runWhileLeader {
                    turns.yield(log.node)
                    // Until the task is cancelled.
                    for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(60)) }) {}
                }
            }
            for await _ in over.stream { break }
            group.cancelAll()
        }
    }

    func end() { over.continuation.yield() }
}
