import ChronicleLog
import ChronicleTesting
import Synchronization
import Testing

@testable import ChronicleStore

private typealias Answer = Result<DispatchResult<Tally.Command>, StoreError>

@Suite struct FlushTests {
    @Test func `dispatches that arrive during a flush share the next one`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let answers = Collected<Answer>()
            log.hold()
            store.enqueue(Dispatch([.add(1)])) { answers.add($0) }
            for _ in 0..<50 { store.enqueue(Dispatch([.add(1)])) { answers.add($0) } }
            log.release()
            let sequences = try await answers.wait(for: 51).map { try $0.get().sequences.lowerBound }
            #expect(sequences == Array(1...51))
            #expect(log.counts.flushes.count <= 3)
            #expect(log.counts.flushes.reduce(0, +) == 51)
        }
    }

    @Test func `no change is visible and no call is answered before the flush`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let answers = Collected<Answer>()
            log.hold()
            store.enqueue(Dispatch([.add(1)])) { answers.add($0) }
            store.enqueue(Dispatch([.add(13)])) { answers.add($0) }
            #expect(store.present.sequence == 0)
            #expect(answers.all.isEmpty)
            log.release()
            let both = try await answers.wait(for: 2)
            let first = try both[0].get()
            #expect(first.sequences == 1..<2)
            #expect(throws: StoreError.self) { try both[1].get() }
            #expect(store.present.state.sum == 1)
        }
    }

    @Test func `a full disk refuses the flush, publishes nothing, and writing resumes by itself`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            _ = try await store.dispatch(Dispatch([.add(1)]))
            log.failNext(with: .storageFull(.disk, message: "no room"))
            #expect(await store.error(of: Dispatch([.add(1), .ask("x")], key: "k")) == .storageFull("no room"))
            #expect(store.present.state == Tally.State(sum: 1))
            #expect(store.present.sequence == 1)
            #expect(try await store.dispatch(Dispatch([.add(5)], key: "k")).sequences == 2..<3)
            #expect(store.present.state == Tally.State(sum: 6))
        }
    }

    @Test func `a failed flush fails every answer that depends on it, including refusals and duplicates`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            _ = try await store.dispatch(Dispatch([.add(1)]))
            let answers = Collected<Answer>()
            log.hold()
            log.failNext(2, with: .storageFull(.disk, message: "no room"))
            store.enqueue(Dispatch([.add(1)])) { answers.add($0) }
            store.enqueue(Dispatch([.add(2)], key: "k")) { answers.add($0) }
            store.enqueue(Dispatch([.add(2)], key: "k")) { answers.add($0) }
            store.enqueue(Dispatch([.add(13)])) { answers.add($0) }
            log.release()
            for answer in try await answers.wait(for: 4) {
                #expect(throws: StoreError.storageFull("no room")) { try answer.get() }
            }
            #expect(store.present.sequence == 1)
        }
    }

    @Test func `an unknown outcome is reported to the caller and the process`() async throws {
        let log = FailingLog()
        let reported = Collected<String>()
        let store = try Store<Tally>.open(log) { reported.add($0) }
        log.failNext(with: .unknownOutcome(what: "EIO"))
        #expect(await store.error(of: Dispatch([.add(1)])) == .outcomeUnknown("EIO"))
        #expect(reported.all == ["EIO"])
        await store.stop()
    }

    @Test func `a flush accepts no further batch once it is full`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let answers = Collected<Answer>()
            log.hold()
            store.enqueue(Dispatch([.add(1)])) { answers.add($0) }
            for _ in 0..<5 {
                store.enqueue(Dispatch(Array(repeating: .add(1), count: 500))) { answers.add($0) }
            }
            log.release()
            _ = try await answers.wait(for: 6)
            #expect(log.counts.flushes.allSatisfy { $0 <= Limits.flushRecordsMax + 500 })
            #expect(log.counts.flushes.reduce(0, +) == 2_501)
            #expect(log.counts.flushes.count >= 2)
        }
    }

    @Test func `a dispatch after the stop is refused, earlier ones are answered`() async throws {
        let store = try Store<Tally>.open(InMemoryActionLog())
        let answers = Collected<Answer>()
        for _ in 0..<10 { store.enqueue(Dispatch([.add(1)])) { answers.add($0) } }
        await store.stop()
        #expect(answers.all.count == 10)
        #expect(await store.error(of: Dispatch([.add(1)])) == .stopping)
        #expect(store.present.state.sum == 10)
    }

    @Test(arguments: [
        ActionLogError.damaged(sequence: 3, what: "the payload"), .undecodable(sequence: 3, what: "another version's"),
    ])
    func `opening a log for reading recovers the records before a damaged one`(error: ActionLogError) async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            for _ in 0..<5 { _ = try await store.dispatch(Dispatch([.add(1)])) }
        }
        log.damage(3, with: error)
        let looked = try RecoveryResult<Tally>(from: log, initial: Tally.State(), onDamage: .stopBefore)
        #expect(looked.present.sequence == 2 && looked.damage == StoreError(error))
        #expect(throws: StoreError(error)) { try RecoveryResult<Tally>(from: log, initial: Tally.State()) }
    }

    @Test func `a read only store refuses every dispatch`() async throws {
        let log = InMemoryActionLog()
        let recovered = try RecoveryResult<Tally>(from: log, initial: Tally.State(sum: 4))
        let store = Store(recovered, log: log, options: StoreOptions(access: .readOnly))
        #expect(await store.error(of: Dispatch([.add(1)])) == .readOnly)
        #expect(store.present.state.sum == 4)
        await store.stop()
    }

    @Test func `the heartbeat of a blocked store does not return, even if its inbox is full`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let events = Collected<String>()
            log.hold()
            store.enqueue(Dispatch([.add(1)])) { _ in events.add("first") }
            try await log.appending(1)
            store.enqueue(Dispatch([.add(1)], byteCount: Limits.waitingBytesMax + 1)) { _ in events.add("second") }
            await withTaskGroup { group in
                group.addImmediateTask {
                    await store.heartbeat()
                    events.add("heartbeat")
                }
                #expect(events.all.isEmpty)
                log.release()
            }
            #expect(events.all == ["first", "second", "heartbeat"])
        }
    }

    enum Flood: CaseIterable {
        case batches, refusedBatches, bookmarks
    }

    @Test(arguments: Flood.allCases)
    func `a call waits for one call of a uid that floods the store, not for all of them`(flood: Flood) async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let events = Collected<String>()
            log.hold()
            store.enqueue(Dispatch([.add(1)], origin: 1)) { _ in events.add("first") }
            try await log.appending(1)
            await withTaskGroup { group in
                for number in 0..<20 {
                    let batch = Array(repeating: Tally.Action.add(1), count: 1_000) + (flood == .refusedBatches ? [.add(13)] : [])
                    switch flood {
                    case .batches, .refusedBatches: store.enqueue(Dispatch(batch, origin: 1)) { _ in events.add("flood") }
                    case .bookmarks:
                        group.addImmediateTask {
                            _ = try? await store.set(Bookmark(name: "\(number)", sequence: 0), by: 1)
                            events.add("flood")
                        }
                    }
                }
                store.enqueue(Dispatch([.add(1)], origin: 2)) { _ in events.add("other") }
                log.release()
            }
            let place = try await events.wait(for: 22).firstIndex(of: "other") ?? .max
            #expect(place <= 3, "of 22")
        }
    }
}
