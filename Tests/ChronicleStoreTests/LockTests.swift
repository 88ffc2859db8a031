import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleTesting
import Testing

@Suite struct LockTests {
    private let lock = Lock(reason: "moving", origin: 5, record: 2)

    @Test func `a locked store refuses dispatches and undos with the reason, and answers known keys`() async throws {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch([.add(1)], key: "k"))
            #expect(try await store.lock("moving", by: 5).sequences == 2..<3)
            #expect(store.present.lock == lock)
            #expect(await store.error(of: Dispatch([.add(1)])) == .locked(lock))
            #expect(await store.error(of: Dispatch([.idle])) == .locked(lock))
            var dryRun = Dispatch<Tally.Action>([.add(1)])
            dryRun.purpose = .dryRun
            #expect(await store.error(of: dryRun) == .locked(lock))
            #expect(try await store.dispatch(Dispatch([.add(1)], key: "k")).isDuplicate)
            #expect(try await store.unlock(by: 6).sequences == 3..<4)
            #expect(store.present.lock == nil)
            #expect(try await store.dispatch(Dispatch([.add(1)])).sequences == 4..<5)
            #expect(try await store.unlock(by: 6).sequences.isEmpty)
        }
    }

    @Test func `a lock outlives a restart, and a new reason replaces the old one`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            try await store.lock("moving", by: 5)
            try await store.lock("still moving", by: 6)
        }
        try await withStore(log) { store in
            let lock = Lock(reason: "still moving", origin: 6, record: 2)
            #expect(await store.error(of: Dispatch([.add(1)])) == .locked(lock))
            try await store.unlock(by: 1)
        }
        try await withStore(log) { store in _ = try await store.dispatch(Dispatch([.add(1)])) }
        #expect(log.head.sequence == 4 && log.head.lock == nil)
    }

    @Test func `the result of a command is logged while the store is locked`() async throws {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch([.ask("x")]))
            try await store.lock("moving", by: 5)
            let id = CommandID(sequence: 1, index: 0)
            try await store.submit(.begin(id, attempt: 1))
            #expect(try await store.submit(.fail(id, reason: "nobody")).sequences == 3..<4)
        }
    }

    @Test func `a lock that was not written has no effect`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            log.failNext(with: .storageFull(.disk, message: "full"))
            await #expect(throws: StoreError.storageFull("full")) { try await store.lock("moving", by: 5) }
            #expect(store.present.lock == nil)
            _ = try await store.dispatch(Dispatch([.add(1)]))
            #expect(store.present.sequence == 1)
        }
    }
}
