import Chronicle
import ChronicleLog
import FeatureCounter
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(5))) struct StatesTests {
    private func withHouse(_ body: (Store<House>) async throws -> Void) async throws {
        let log = InMemoryActionLog()
        let store = Store(
            try RecoveryResult<House>(from: log, initial: House.State()), log: log, options: StoreOptions(build: 1))
        try await body(store)
        await store.stop()
    }

    @Test func `the current state comes first, then each change with the previous state and the requested commands`() async throws
    {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch([.add(1)]))
            var states = store.states().makeAsyncIterator()
            let first = try #require(try await states.next())
            #expect(first.state.sum == 1 && first.previous == nil && first.commands.isEmpty && first.sequence == 1)
            _ = try await store.dispatch(Dispatch([.add(2), .ask("x"), .show("page")]))
            let second = try #require(try await states.next())
            #expect(second.state == Tally.State(sum: 3, asked: ["x"]))
            #expect(second.previous == first.state)
            #expect(second.commands == [.fetch("x")])
            #expect(second.sequence == 4)
        }
    }

    @Test func `a slow reader gets several changes as one, and nothing if the state is the same again`() async throws {
        try await withStore { store in
            var states = store.states(of: 0).makeAsyncIterator()
            _ = try await states.next()
            for _ in 0..<100 { _ = try await store.dispatch(Dispatch([.add(1)])) }
            #expect(try await states.next()?.state.sum == 100)
            _ = try await store.dispatch(Dispatch([.add(5)]))
            _ = try await store.dispatch(Dispatch([.add(-5)]))
            _ = try await store.dispatch(Dispatch([.ask("x")]))
            _ = try await store.dispatch(Dispatch([.add(1)]))
            let next = try #require(try await states.next())
            #expect(next.previous?.sum == 100 && next.state.sum == 101)
            #expect(next.commands.isEmpty, "they were requested outside of the scope")
        }
    }

    @Test func `the sequence of states ends with the store and with the task`() async throws {
        let store = try Store<Tally>.open(InMemoryActionLog())
        async let seen = sums(of: store)
        while store.status.waitingReaders == 0 { await Task.yield() }
        _ = try await store.dispatch(Dispatch([.add(1)]))
        while store.status.waitingReaders == 0 { await Task.yield() }
        await store.stop()
        #expect(try await seen == [0, 1])

        let other = try Store<Tally>.open(InMemoryActionLog())
        try await withThrowingTaskGroup(of: [Int64].self) { group in
            group.addTask { try await sums(of: other) }
            while other.status.waitingReaders == 0 { await Task.yield() }
            group.cancelAll()
            let seen = try await group.next()
            #expect(seen == [0])
        }
        await other.stop()
    }

    private func sums(of store: Store<Tally>) async throws -> [Int64] {
        var sums: [Int64] = []
        for try await change in store.states() { sums.append(change.state.sum) }
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

    @Test func `changes of one slice are not delivered to readers of another`() async throws {
        try await withHouse { store in
            let delivered = Collected<Int64>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let up = House.stairs.offset + 1 + Stairs.up.offset
                    for try await change in store.states(of: up) { delivered.add(change.state.stairs.up.count) }
                }
                _ = try await delivered.wait(for: 1)
                while store.status.waitingReaders == 0 { await Task.yield() }
                for _ in 0..<100 {
                    _ = try await store.dispatch(Dispatch([.stairs(.down(.increment))]))
                    _ = try await store.dispatch(Dispatch([.tally(.add(1))]))
                }
                // Unwanted changes would have arrived before this one.
                _ = try await store.dispatch(Dispatch([.stairs(.up(.increment))]))
                #expect(try await delivered.wait(for: 2) == [0, 1])
                group.cancelAll()
            }
            #expect(store.present.state.stairs.down.count == 100)
        }
    }

    @Test func `the number of reads of one uid that wait for a future sequence is limited, others can still wait`() async throws {
        try await withStore { store in
            let wait: @Sendable (UInt32) async throws -> UInt64 = { uid in
                try await QueryThread.$asker.withValue(uid) { try await store.present(atLeast: 1).sequence }
            }
            try await withThrowingTaskGroup(of: UInt64.self) { group in
                for _ in 0..<Limits.waitingReadsOfAskerMax { group.addTask { try await wait(7) } }
                while store.status.waitingReaders < Limits.waitingReadsOfAskerMax { await Task.yield() }
                await #expect(throws: StoreError.queryBusy) { try await wait(7) }
                group.addTask { try await wait(8) }
                while store.status.waitingReaders <= Limits.waitingReadsOfAskerMax { await Task.yield() }
                _ = try await store.dispatch(Dispatch([.add(1)]))
                for try await sequence in group { #expect(sequence == 1) }
            }
            #expect(try await wait(7) == 1)
        }
    }

    @Test func `a reader of a parent gets the changes of its children`() async throws {
        try await withHouse { store in
            var states = store.states(of: House.stairs.offset).makeAsyncIterator()
            #expect(try await states.next()?.previous == nil)
            _ = try await store.dispatch(Dispatch([.stairs(.down(.decrement))]))
            let change = try #require(try await states.next())
            #expect(change.previous?.stairs == Stairs.State())
            #expect(change.state.stairs.down.count == -1)
        }
    }
}
