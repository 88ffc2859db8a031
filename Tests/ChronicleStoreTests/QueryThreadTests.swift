import ChronicleStore
import Synchronization
import Testing

/// Counts the long queries that have begun and their slices.
private final class Turns: Sendable {
    let counts = Mutex((begun: 0, turns: 0))
    var begun: Int { counts.withLock { $0.begun } }
    var count: Int { counts.withLock { $0.turns } }
}

@Suite struct QueryThreadTests {
    private let queries = QueryThread()
    private let turns = Turns()

    /// Starts as many long queries as one uid may have, then runs the body.
    private func beside(_ count: Int, of uid: UInt32, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { [queries, turns] in
                    _ = try? await queries.admit(.long, by: uid) { queries throws(StoreError) in
                        turns.counts.withLock { $0.begun += 1 }
                        while !Task.isCancelled {
                            turns.counts.withLock { $0.turns += 1 }
                            let end = ContinuousClock.now + .milliseconds(1)
                            while ContinuousClock.now < end {}
                            await Task.yield()
                        }
                    }
                }
            }
            while turns.begun < count { await Task.yield() }
            try await body()
            group.cancelAll()
        }
    }

    @Test func `one uid gets a share of the long queries, and another uid is admitted beside them`() async throws {
        try await beside(Limits.queriesOfAskerMax, of: 1) {
            await #expect(throws: StoreError.queryBusy) { try await self.queries.admit(.long, by: 1) { _ in } }
            try await queries.admit(.long, by: 2) { _ in }
        }
    }

    @Test(.timeLimit(.minutes(15))) func `a continued query waits for a slot of its uid before new ones and is never refused`()
        async throws
    {
        let order = Collected<String>()
        try await beside(Limits.queriesOfAskerMax - 1, of: 1) {
            let last = Collected<CheckedContinuation<Void, Never>>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [queries] in
                    try await queries.admit(.long, by: 1) { _ in
                        await withCheckedContinuation { last.add($0) }
                        order.add("the last place")
                    }
                }
                let place = try await last.wait(for: 1)[0]
                for _ in 0..<2 {
                    group.addTask { [queries] in
                        try await queries.goOn(.long, by: 1) { _ in order.add("goes on") }
                    }
                }
                // The query does not wait for other uids.
                try await queries.goOn(.long, by: 2) { _ in }
                await #expect(throws: StoreError.queryBusy) { try await self.queries.admit(.long, by: 1) { _ in } }
                place.resume()
                try await group.waitForAll()
            }
            #expect(order.all == ["the last place", "goes on", "goes on"])
            try await queries.admit(.long, by: 1) { _ in }
        }
    }

    @Test(.timeLimit(.minutes(15))) func `a continued query that is cancelled leaves the queue, even before it entered`()
        async throws
    {
        try await beside(Limits.queriesOfAskerMax, of: 1) {
            let waiting = Task { [queries] in try await queries.goOn(.long, by: 1) { _ in } }
            waiting.cancel()
            await #expect(throws: StoreError.stopping) { try await waiting.value }
        }
        for _ in 0..<Limits.queriesOfAskerMax { try await queries.admit(.long, by: 1) { _ in } }
    }

    @Test func `a short query does not count among the long queries of its uid`() async throws {
        try await beside(Limits.queriesOfAskerMax, of: 1) {
            try await queries.admit(.short, by: 1) { _ in }
        }
    }

    @Test func `a short query does not wait for a slice of each long query`() async throws {
        try await beside(Limits.queriesOfAskerMax, of: 1) {
            var waits: [Int] = []
            for _ in 0..<20 {
                let asked = turns.count
                waits.append(try await queries.admit(.short, by: 2) { [turns] _ in turns.count } - asked)
            }
            // The current slice, and slices that run before the query is queued, but not one of each.
            #expect(try #require(waits.min()) < Limits.queriesOfAskerMax / 2, "\(waits)")
        }
    }

    @Test func `the queries of a task are charged to the uid of its call`() async throws {
        try await beside(Limits.queriesOfAskerMax, of: 7) {
            await #expect(throws: StoreError.queryBusy) {
                try await QueryThread.$asker.withValue(7) { try await self.queries.admit(.long) { _ in } }
            }
        }
    }
}
