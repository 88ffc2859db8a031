import ChronicleLog
import ChronicleTesting
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct ExclusiveWritingTests {
    @Test func `exclusive writing outlives a failed flush of others and ends with its body`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let answers = Collected<Result<DispatchResult<Tally.Command>, StoreError>>()
            log.hold()
            log.failNext(2)
            store.enqueue(Dispatch([.add(1)])) { answers.add($0) }
            try await log.appending(1)
            // These two wait for the next flush, which fails.
            store.enqueue(Dispatch([.add(2)])) { answers.add($0) }
            async let loan: Void = store.writingExclusively {}
            while store.status.waitingDispatches < 2 { await Task.yield() }
            log.release()
            for answer in try await answers.wait(for: 2) {
                #expect(throws: StoreError.storageFull("no space left on device")) { try answer.get() }
            }
            try await loan
            #expect(await store.error(of: Dispatch([.add(1)])) == nil)
        }
    }

    @Test func `a store that stops during exclusive writing does not block its end`() async throws {
        let store = try Store<Tally>.open(InMemoryActionLog())
        try await store.writingExclusively { await store.stop() }
    }
}
