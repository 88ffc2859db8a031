import Chronicle
import ChronicleLog
import ChronicleTesting
import Testing

@testable import ChronicleStore

@Suite struct DispatchTests {
    @Test func `a batch gets consecutive sequences and is visible once it is answered`() async throws {
        try await withStore { store in
            let first = try await store.dispatch(Dispatch([.add(1), .add(2)]))
            #expect(first.sequences == 1..<3)
            #expect(first.ids == [1, 2])
            #expect(!first.isDuplicate)
            #expect(store.present.state.sum == 3)
            #expect(store.present.sequence == 2)
            let second = try await store.dispatch(Dispatch([.twice(5)]))
            #expect(second.sequences == 3..<5)
            #expect(store.present.state.sum == 13)
        }
    }

    @Test func `a refusal of the last action refuses the whole batch`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            guard case .refused(let refusal, action: 2)? = await store.error(of: Dispatch([.add(1), .ask("x"), .add(13)])) else {
                Issue.record("the batch was not refused for its third action")
                return
            }
            #expect(refusal.name == "Unlucky")
            #expect(store.present.state == Tally.State())
            #expect(log.head.sequence == 0)
            let open = try log.outbox()
            #expect(open.isEmpty)
            let next = try await store.dispatch(Dispatch([.add(1)]))
            #expect(next.sequences == 1..<2)
        }
    }

    @Test func `the same key returns the first answer and logs nothing`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            let first = try await store.dispatch(Dispatch([.add(4), .show("page")], origin: 7, key: "k"))
            let again = try await store.dispatch(Dispatch([.add(4), .show("page")], origin: 7, key: "k"))
            #expect(again.sequences == first.sequences)
            #expect(again.ids == first.ids)
            #expect(again.presentations == [.open("page")])
            #expect(again.isDuplicate)
            #expect(log.head.sequence == 2)
        }
    }

    @Test func `two concurrent dispatches with the same key are one dispatch`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let answers = Collected<Result<DispatchResult<Tally.Command>, StoreError>>()
            log.hold()
            store.enqueue(Dispatch([.add(1)])) { _ in }
            try await log.appending(1)
            // Both now wait for the next flush.
            for _ in 0..<2 { store.enqueue(Dispatch([.add(4), .show("page")], key: "k")) { answers.add($0) } }
            log.release()
            let both = try await answers.wait(for: 2).map { try $0.get() }
            #expect(both.map(\.isDuplicate) == [false, true])
            #expect(both[0].sequences == both[1].sequences)
            #expect(both[1].presentations == [.open("page")])
            #expect(log.counts.flushes == [1, 2])
        }
    }

    @Test func `keys that only look alike are different, within a flush and on disk`() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            let answers = Collected<Result<DispatchResult<Tally.Command>, StoreError>>()
            for key in [composed, decomposed] { store.enqueue(Dispatch([.add(4)], key: key)) { answers.add($0) } }
            let both = try await answers.wait(for: 2).map { try $0.get() }
            #expect(both.map(\.isDuplicate) == [false, false])
            for key in [composed, decomposed] {
                #expect(try await store.dispatch(Dispatch([.add(4)], key: key)).isDuplicate)
            }
            #expect(store.present.state.sum == 8)
        }
        let places = try [composed, decomposed].map { try log.key($0, of: 0)?.first }
        #expect(places == [1, 2])
        #expect(KeyPlace(uid: 1, key: composed) != KeyPlace(uid: 1, key: decomposed))
    }

    @Test func `a key belongs to a uid`() async throws {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch([.add(4)], origin: 7, key: "k"))
            #expect(try await !store.dispatch(Dispatch([.add(4)], origin: 8, key: "k")).isDuplicate)
        }
    }

    @Test func `a reused key with other content is refused, and a refused dispatch does not use up its key`() async throws {
        try await withStore { store in
            guard case .refused? = await store.error(of: Dispatch([.add(13)], key: "k")) else {
                Issue.record("13 was not refused")
                return
            }
            _ = try await store.dispatch(Dispatch([.add(1)], key: "k"))
            #expect(await store.error(of: Dispatch([.add(2)], key: "k")) == .keyReused)
        }
    }

    @Test func `a dispatch that logs nothing also stores its key`() async throws {
        try await withStore { store in
            #expect(try await store.dispatch(Dispatch([.idle], key: "k")).sequences.isEmpty)
            let again = try await store.dispatch(Dispatch([.idle], key: "k"))
            #expect(again.isDuplicate)
            #expect(again.sequences.isEmpty)
            #expect(await store.error(of: Dispatch([.add(1)], key: "k")) == .keyReused)
        }
    }

    @Test(arguments: ["", String(repeating: "k", count: 65)])
    func `a key that is empty or too long is refused`(key: String) async throws {
        try await withStore { store in
            #expect(await store.error(of: Dispatch([.add(1)], key: key)) == .keyTooLong)
        }
    }

    @Test func `an expected sequence applies to the whole log or to a scope`() async throws {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch([.add(1)]))
            _ = try await store.dispatch(Dispatch([.ask("x")]))
            #expect(await store.error(of: Dispatch([.add(1)], expectedSequence: 1)) == .stale(current: 2))
            #expect(await store.error(of: Dispatch([.add(1)], expectedSequence: 1, scope: 1)) == .stale(current: 2))
            #expect(try await store.dispatch(Dispatch([.add(1)], expectedSequence: 1, scope: 0)).sequences == 3..<4)
            #expect(await store.error(of: Dispatch([.add(1)], expectedSequence: 9)) == .futureSequence(head: 3))
        }
    }

    @Test func `a known key is answered before its expected sequence is checked`() async throws {
        try await withStore { store in
            let dispatch = Dispatch<Tally.Action>([.add(1)], key: "k", expectedSequence: 0)
            _ = try await store.dispatch(dispatch)
            #expect(try await store.dispatch(dispatch).isDuplicate)
        }
    }

    @Test func `an action with an index requires the sequence at which its list was read`() async throws {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch([.ask("a"), .ask("b")]))
            #expect(await store.error(of: Dispatch([.forget(index: 0)])) == .staleIndex(current: 2))
            #expect(
                await store.error(of: Dispatch([.forget(index: 0)], expectedSequence: 2, scope: 0)) == .staleIndex(current: 2))
            _ = try await store.dispatch(Dispatch([.forget(index: 0)], expectedSequence: 2, scope: 1))
            #expect(
                await store.error(of: Dispatch([.forget(index: 0)], expectedSequence: 2, scope: 1)) == .staleIndex(current: 3))
            #expect(store.present.state.texts == ["b"])
        }
    }

    @Test func `a dry run returns what would happen and changes nothing`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            let tried = try await store.dispatch(Dispatch([.add(2), .ask("x")], key: "k", purpose: .dryRun))
            #expect(tried.sequences.isEmpty)
            #expect(tried.changes?.map(\.path) == ["asked", ""])
            #expect(tried.commands == [.fetch("x")])
            #expect(log.head.sequence == 0)
            #expect(store.present.state == Tally.State())
            #expect(try await !store.dispatch(Dispatch([.add(1)], key: "k")).isDuplicate)
        }
    }

    @Test func `a dispatch with another epoch or a step of another uid is refused`() async throws {
        try await withStore { store in
            let epoch = store.present.epoch
            #expect(await store.error(of: Dispatch([.add(1)], epoch: epoch + 1)) == .epochChanged(current: epoch))
            _ = try await store.dispatch(Dispatch([.add(1), .add(2)], origin: 7))
            #expect(await store.error(of: Dispatch([.add(1)], origin: 8, step: 1)) == .unknownOwnStep(1))
            #expect(await store.error(of: Dispatch([.add(1)], origin: 7, step: 2)) == .unknownOwnStep(2))
            #expect(try await store.dispatch(Dispatch([.add(1)], origin: 7, step: 1)).sequences == 3..<4)
            #expect(try await store.records(from: 3, through: 3).first?.header.step == 1)
        }
    }

    @Test func `a batch of more records than the limit is refused as a whole`() async throws {
        try await withStore { store in
            let batch = Dispatch<Tally.Action>(Array(repeating: .add(1), count: Limits.batchRecordsMax + 1))
            #expect(await store.error(of: batch) == .batchTooLarge)
            #expect(store.present.sequence == 0)
        }
    }

    @Test func `eight callers with an expected sequence never lose an update`() async throws {
        try await withStore { store in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var done = 0
                        while done < 50 {
                            let seen = store.present
                            let dispatch = Dispatch<Tally.Action>([.add(1)], expectedSequence: seen.sequence)
                            if await store.error(of: dispatch) == nil { done += 1 }
                        }
                    }
                }
            }
            #expect(store.present.state.sum == 400)
            #expect(store.present.sequence == 400)
        }
    }
}
