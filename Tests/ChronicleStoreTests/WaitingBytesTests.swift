import ChronicleLog
import ChronicleTesting
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct WaitingBytesTests {
    private typealias Answer = Result<DispatchResult<Tally.Command>, StoreError>

    @Test func `waiting calls are limited by bytes, and a decided call frees its bytes`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let answers = Collected<Answer>()
            let large = Dispatch<Tally.Action>([.add(1)], byteCount: Limits.waitingBytesMax / 8 - 1_024)
            log.hold()
            store.enqueue(Dispatch([.add(1)])) { answers.add($0) }
            try await log.appending(1)
            for _ in 0..<4 { store.enqueue(large) { answers.add($0) } }
            #expect(answers.all.isEmpty)
            store.enqueue(large) { answers.add($0) }
            #expect(throws: StoreError.busy) { try answers.all.first?.get() }
            store.enqueue(Dispatch([.add(1)])) { answers.add($0) }
            log.release()
            #expect(try await answers.wait(for: 7).count { (try? $0.get()) != nil } == 6)
            _ = try await store.dispatch(large)
        }
    }

    @Test func `a single dispatch is accepted however large it is`() async throws {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch([.add(1)], byteCount: 2 * Limits.waitingBytesMax))
        }
    }

    @Test func `many small actions are counted with the memory that they use`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let answers = Collected<Answer>()
            let actions = Array(repeating: Tally.Action.idle, count: 1_000)
            let rest = actions.count * MemoryLayout<Tally.Action>.stride - 2
            log.hold()
            store.enqueue(Dispatch([.add(1)])) { answers.add($0) }
            try await log.appending(1)
            store.enqueue(Dispatch([], byteCount: (Limits.waitingBytesMax - rest) / 2)) { answers.add($0) }
            store.enqueue(Dispatch(actions)) { answers.add($0) }
            #expect(throws: StoreError.busy) { try answers.all.first?.get() }
            log.release()
        }
    }
}
