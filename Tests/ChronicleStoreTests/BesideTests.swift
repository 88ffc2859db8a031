import Chronicle
import ChronicleLog
import ChronicleTesting
import Foundation
import Testing

@testable import ChronicleStore

/// Work whose duration a client controls is done on the query thread.
@Suite(.timeLimit(.minutes(15))) struct BesideTests {
    @Test func `a dry run is decided on the query thread, and a dispatch on the store's thread`() async throws {
        let threads = Collected<String>()
        let clock = StoreClock(
            wall: {
                threads.add(threadName())
                return 1_000
            }, boot: { 0 })
        let store = try Store<Tally>.open(InMemoryActionLog(), clock: clock)
        _ = try await store.dispatch(Dispatch([.add(1)], purpose: .dryRun))
        #expect(threads.all == ["queries"])
        _ = try await store.dispatch(Dispatch([.add(1)]))
        #expect(threads.all == ["queries", "store"])
        await store.stop()
    }

    @Test func `a dry run sees the dispatches before it and none after it`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let answers = Collected<Result<DispatchResult<Tally.Command>, StoreError>>()
            log.hold()
            store.enqueue(Dispatch([.add(1)])) { answers.add($0) }
            store.enqueue(Dispatch([.add(2)], purpose: .dryRun)) { answers.add($0) }
            store.enqueue(Dispatch([.add(4)])) { answers.add($0) }
            log.release()
            let tried = try await answers.wait(for: 3)[1].get()
            #expect(!tried.isWhole)
            let whole = try await store.complete(tried)
            #expect(whole.isWhole)
            #expect(whole.changes?.first?.old == ["sum": .int(1)])
            #expect(whole.changes?.first?.new == ["sum": .int(3)])
            #expect(whole.ids == [2])
            #expect(store.present.state.sum == 5)
        }
    }

    @Test func `a dry run is refused for the same reasons as a dispatch`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            func error(_ dispatch: Dispatch<Tally.Action>) async -> StoreError? {
                var trial = dispatch
                trial.purpose = .dryRun
                return await store.error(of: trial)
            }
            _ = try await store.dispatch(Dispatch([.add(1), .ask("x")], origin: 7))
            #expect(await error(Dispatch([.add(1)], expectedSequence: 1)) == .stale(current: 2))
            #expect(await error(Dispatch([.add(1)], epoch: 1)) == .epochChanged(current: store.present.epoch))
            #expect(await error(Dispatch([.add(1)], origin: 7, step: 2)) == .unknownOwnStep(2))
            #expect(await error(Dispatch([.add(1)], origin: 7, step: 1)) == nil)
            #expect(await error(Dispatch([.forget(index: 0)])) == .staleIndex(current: 2))
            guard case .refused(_, action: 1)? = await error(Dispatch([.add(1), .add(13)])) else {
                Issue.record("13 was not refused")
                return
            }
            let many = Array(repeating: Tally.Action.add(1), count: Limits.batchRecordsMax + 1)
            #expect(await error(Dispatch(many)) == .batchTooLarge)
            log.pretend(FreeSpace(diskFreeBytes: 0, mapFreeBytes: 1 << 30, mapBytes: 1 << 30))
            guard case .storageFull? = await error(Dispatch([.add(1)])) else {
                Issue.record("the full disk was not reported")
                return
            }
            #expect(store.present.sequence == 2)
        }
    }

    @Test func `the changes of a dry run are limited by bytes`() async throws {
        try await withStore { store in
            let long = String(repeating: "x", count: Limits.changesBytesMax / 4)
            let few = Dispatch<Tally.Action>(Array(repeating: .ask(long), count: 3), purpose: .dryRun)
            let tried = try await store.dispatch(few)
            #expect(tried.changes?.count == 3)
            let many = Dispatch<Tally.Action>(Array(repeating: .ask(long), count: 5), purpose: .dryRun)
            #expect(await store.error(of: many) == .answerTooLarge)
        }
    }

    @Test func `the first call with a key is read again on the query thread`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let batch = Dispatch<Tally.Action>(Array(repeating: .show("page"), count: 1_000), key: "k")
            let first = try await store.dispatch(batch)
            log.holdReads()
            async let again = store.dispatch(batch)
            while store.status.dispatches < 2 { await Task.yield() }
            #expect(await store.error(of: Dispatch([.add(1)])) == nil)
            log.releaseReads()
            #expect(try await again.isDuplicate)
            #expect(try await again.presentations == first.presentations)
            #expect(try await again.sequences == first.sequences)
        }
    }

    @Test func `an old step is looked up on the query thread, a recent one is not`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            _ = try await store.dispatch(Dispatch([.add(1)], origin: 7))
            log.holdReads()
            // The step began just now.
            #expect(try await store.dispatch(Dispatch([.add(2)], origin: 7, step: 1)).sequences == 2..<3)
            log.releaseReads()
        }
        try await withStore(log) { store in
            log.holdReads()
            async let continued = store.dispatch(Dispatch([.add(3)], origin: 7, key: "k", step: 1))
            async let refused = store.error(of: Dispatch([.add(3)], origin: 8, step: 1))
            while store.status.dispatches < 2 { await Task.yield() }
            let other = try await store.dispatch(Dispatch([.add(1)]))
            #expect(other.sequences == 3..<4)
            log.releaseReads()
            #expect(try await continued.sequences == 4..<5)
            let refusal = await refused
            #expect(refusal == .unknownOwnStep(1))
            log.holdReads()
            #expect(try await store.dispatch(Dispatch([.add(4)], origin: 7, step: 1)).sequences == 5..<6)
            log.releaseReads()
            #expect(try await store.records(from: 4, through: 5).map(\.header.step) == [1, 1])
        }
    }

    @Test func `a step whose flush failed does not exist`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            log.failNext()
            _ = await store.error(of: Dispatch([.add(1)], origin: 7))
            try await store.set(Bookmark(name: "here", sequence: 0), by: 9)
            #expect(await store.error(of: Dispatch([.add(1)], origin: 7, step: 1)) == .unknownOwnStep(1))
        }
    }
}

private func threadName() -> String {
    (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))?.trimmingCharacters(in: .newlines) ?? ""
}
