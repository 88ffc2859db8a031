import ChronicleLog
import Dispatch
import Etcd
import EtcdTesting
import Synchronization
import Testing

@testable import ReplicatedLog

/// Which machine runs the commands, and what it can still say once it does not.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(5)))
struct LeadingTests {
    @Test func `one machine at a time runs the commands, and another one when that stops`() async throws {
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

    @Test func `who finds that another machine runs the commands writes nothing`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let (one, two) = (try log("one", of: machines), try log("two", of: machines))
        let term = try #require(await one.win())
        let before = try #require(machines.cluster.status(ofMember: 0))
        var wins = 0
        for _ in 0..<20 where await two.win() != nil { wins += 1 }
        let after = try #require(machines.cluster.status(ofMember: 0))
        // A member that has just begun writes something about itself.
        #expect(wins == 0 && term.fence > 0 && after.appliedIndex - before.appliedIndex < 20)
    }

    /// A lease can be gone although its holder kept it alive, and who compared the head alone would go on.
    @Test func `what a runner says that lost its place is never appended`() async throws {
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
            // Again, now that it knows.
            await #expect(throws: ActionLogError.othersFirst) { try await one.say() }
            turn.end()
            group.cancelAll()
        }
    }

    @Test func `who runs the commands stops when its time is over, also while a member lets it wait for more`() async throws {
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
                await one.leading {
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

    @Test func `a machine of which no transaction comes through leaves the commands to another one`() async throws {
        let machines = try Machines()
        let member = machines.cluster.endpoints[0]
        let isCut = Mutex(false)
        let keptAlive = Mutex(0)
        let (turns, continuation) = AsyncStream<String>.makeStream()
        let fake = FakeMember { path, request in
            if isCut.withLock({ $0 }) {
                if path == "kv/txn" { return FakeMember.Answer(502, "") }
                // It says that it is there for longer than it may.
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

    /// Its lease lasts for seconds, and nobody keeps it alive.
    @Test func `a machine that is killed takes its own place back as soon as it is there again, and no other's`() async throws {
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
        // What it has itself it does not take from itself, nor from a process that has its copy at the same time.
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
    /// Appends a record as the runner of commands would.
    @concurrent fileprivate func say() async throws(ActionLogError) {
        var flush = Flush(after: head)
        flush.stage(RecordHeader(sequence: head.sequence + 1, time: head.time + 1), payload: [1])
        flush.isFromRunner = true
        try append(flush)
    }
}

/// Runs commands in turn with others, until it is told that it is enough.
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
                await log.leading {
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
