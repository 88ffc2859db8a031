import ChronicleLog
import Testing

@testable import ChronicleStore

/// Tests of dispatches while other machines write to the log all the time.
@Suite(.timeLimit(.minutes(15))) struct ContentionTests {
    private static let never = StoreError.unavailable("other machines keep writing to the log first")

    private func dispatch(of count: Int) -> Dispatch<Tally.Action> {
        Dispatch([Tally.Action](repeating: .add(1), count: count), origin: 1_000)
    }

    @Test func `a dispatch that always loses the race is refused after some rounds or at a deadline`() async throws {
        for (deadline, rounds) in [(UInt64.max, Limits.othersFirstMax), (0, 1)] {
            let log = ContendedLog(othersFirst: .max, until: deadline)
            try await withStore(log) { store in
                #expect(await store.error(of: dispatch(of: 1)) == Self.never)
                #expect(store.present.sequence == 0)
            }
            #expect(log.asked.appends == Array(repeating: deadline, count: rounds + 1))
            #expect(log.asked.follows == Array(repeating: deadline, count: rounds))
        }
    }

    @Test func `an expired deadline does not affect an append that succeeds at once`() async throws {
        try await withStore(ContendedLog(othersFirst: 1, until: 0)) { store in
            #expect(await store.error(of: dispatch(of: 1)) == nil)
            #expect(store.present.state.sum == 1)
        }
    }

    @Test(arguments: [0, 1])
    func `a flush that is too large is committed in parts, and only a dispatch that is too large alone is refused`(
        othersFirst: Int
    ) async throws {
        try await withStore(ContendedLog(othersFirst: othersFirst, recordsMax: 4)) { store in
            await store.hold()
            let (answers, continuation) = AsyncStream<Result<DispatchResult<Tally.Command>, StoreError>>.makeStream()
            let counts = [1, 3, 4, 9, 2]
            for count in counts { store.enqueue(dispatch(of: count)) { continuation.yield($0) } }
            store.release()
            var results: [Result<Int, StoreError>] = []
            for await answer in answers.prefix(counts.count) { results.append(answer.map(\.sequences.count)) }
            #expect(results == [.success(1), .success(3), .success(4), .failure(.batchTooLarge), .success(2)])
            #expect(store.present.state.sum == 10 && store.status.dispatches == 5)
        }
    }

    @Test(arguments: [0, 1])
    func `each call that is decided again is counted once`(othersFirst: Int) async throws {
        try await withStore(ContendedLog(othersFirst: othersFirst, recordsMax: 4)) { store in
            await store.hold()
            async let order = try? store.removeInvariant("none", by: 0)
            while store.status.waitingDispatches == 0 { await Task.yield() }
            let (answers, continuation) = AsyncStream<Bool>.makeStream()
            let refused = Dispatch<Tally.Action>([.add(13)], origin: 0)
            for call in [refused, dispatch(of: 3), dispatch(of: 3)] {
                store.enqueue(call) { continuation.yield((try? $0.get()) != nil) }
            }
            store.release()
            _ = await order
            for await _ in answers.prefix(3) {}
            #expect(store.status.dispatches == 3 && store.status.refused == 1)
        }
    }
}
