import Chronicle
import ChronicleLog
import FeatureCounter
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct StatesTests {
    private func withHouse(_ body: (Store<House>) async throws -> Void) async throws {
        let log = InMemoryActionLog()
        let store = Store(
            try RecoveryResult<House>(from: log, initial: House.State()), log: log, options: StoreOptions(build: 1))
        try await body(store)
        await store.stop()
    }

    @Test func `the current state comes first, then each change`() async throws {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch([.add(1)]))
            var states = store.states().makeAsyncIterator()
            let first = try #require(await states.next())
            #expect(first.state.sum == 1 && first.sequence == 1)
            _ = try await store.dispatch(Dispatch([.add(2), .ask("x"), .show("page")]))
            let second = try #require(await states.next())
            #expect(second.state == Tally.State(sum: 3, asked: ["x"]))
            #expect(second.sequence == 4)
        }
    }

    @Test func `a slow reader gets several changes as one`() async throws {
        try await withStore { store in
            var states = store.states().makeAsyncIterator()
            _ = await states.next()
            for _ in 0..<100 { _ = try await store.dispatch(Dispatch([.add(1)])) }
            #expect(await states.next()?.state.sum == 100)
        }
    }

    @Test func `a state that is equal to the last one is not delivered`() async throws {
        try await withStore { store in
            let sums = Collected<Int64>()
            let reader = Task { for await present in store.states() { sums.add(present.state.sum) } }
            _ = try await sums.wait(for: 1)
            _ = try await store.dispatch(Dispatch([.add(5), .add(-5)]))
            while store.publisher.waiting == 0 { await Task.yield() }
            _ = try await store.dispatch(Dispatch([.add(1)]))
            #expect(try await sums.wait(for: 2) == [0, 1])
            reader.cancel()
        }
    }

    @Test func `a redaction that was published before the wait is not reported again`() async throws {
        try await withStore { store in
            var present = store.present
            present.redactions += 1
            store.publisher.publish(present)
            async let next = store.publisher.next(after: present.sequence, redactions: present.redactions)
            while store.publisher.waiting == 0 { await Task.yield() }
            store.publisher.end()
            #expect(await next == nil)
        }
    }

    @Test func `the sequence of states ends with the store and with the task`() async throws {
        let store = try Store<Tally>.open(InMemoryActionLog())
        async let seen = sums(of: store)
        while store.publisher.waiting == 0 { await Task.yield() }
        _ = try await store.dispatch(Dispatch([.add(1)]))
        while store.publisher.waiting == 0 { await Task.yield() }
        await store.stop()
        #expect(await seen == [0, 1])

        let other = try Store<Tally>.open(InMemoryActionLog())
        try await withThrowingTaskGroup(of: [Int64].self) { group in
            group.addTask { await sums(of: other) }
            while other.publisher.waiting == 0 { await Task.yield() }
            group.cancelAll()
            let seen = try await group.next()
            #expect(seen == [0])
        }
        await other.stop()
    }

    private func sums(of store: Store<Tally>) async -> [Int64] {
        var sums: [Int64] = []
        for await present in store.states() { sums.append(present.state.sum) }
        return sums
    }

    @Test func `a dispatch can expect a child's slice or one of its fields to be unchanged`() async throws {
        try await withHouse { store in
            let tally = House.tally.offset
            _ = try await store.dispatch(Dispatch([.tally(.add(2)), .tally(.ask("x"))]))
            _ = try await store.dispatch(Dispatch([.stairs(.up(.increment))]))
            // The dispatch expects the child's slice to be unchanged, not the whole log or another field of it.
            _ = try await store.dispatch(Dispatch([.tally(.add(1))], expectedSequence: 2, scope: tally))
            await #expect(throws: StoreError.stale(current: 4)) {
                try await store.dispatch(Dispatch([.tally(.add(1))], expectedSequence: 3, scope: tally))
            }
            _ = try await store.dispatch(Dispatch([.tally(.forget(index: 0))], expectedSequence: 2, scope: tally + 2))
            #expect(store.present.state.tally == Tally.State(sum: 3))
        }
    }

    @Test func `the number of reads of one uid that wait for a future sequence is limited, others can still wait`() async throws {
        try await withStore { store in
            let wait: @Sendable (UInt32) async throws -> UInt64 = { uid in
                try await QueryThread.$asker.withValue(uid) { try await store.present(atLeast: 1).sequence }
            }
            try await withThrowingTaskGroup(of: UInt64.self) { group in
                for _ in 0..<Limits.waitingReadsOfAskerMax { group.addTask { try await wait(7) } }
                while store.publisher.waiting < Limits.waitingReadsOfAskerMax { await Task.yield() }
                await #expect(throws: StoreError.queryBusy) { try await wait(7) }
                group.addTask { try await wait(8) }
                while store.publisher.waiting <= Limits.waitingReadsOfAskerMax { await Task.yield() }
                _ = try await store.dispatch(Dispatch([.add(1)]))
                for try await sequence in group { #expect(sequence == 1) }
            }
            #expect(try await wait(7) == 1)
        }
    }
}
