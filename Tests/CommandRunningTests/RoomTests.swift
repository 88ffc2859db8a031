import Chronicle
import ChronicleLog
import ChronicleTesting
import Synchronization
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct RoomTests {
    @Test func `no attempt begins below the free space reserve, but ends may use it`() async throws {
        let log = FailingLog()
        try await withStore(log, freeBytesMin: 1_000) { store in
            let ids = try await store.run(Errand("a"), Errand("b"), Errand("c"))
            // The reserve is exact to the byte.
            log.pretend(FreeSpace(diskFreeBytes: 1_000))
            try await store.submit(.begin(ids[0], attempt: 1))
            log.pretend(FreeSpace(diskFreeBytes: 999))
            guard case .storageFull? = await store.error(of: .begin(ids[1], attempt: 1)) else {
                Issue.record("the attempt began")
                return
            }
            try await store.submit(.end(ids[0], .done("a")))
            try await store.submit(.skip(ids[1], by: 1))
            log.pretend(nil)
            try await store.submit(.begin(ids[2], attempt: 1))
            #expect(store.present.state == Errands.State(done: ["a"], ended: ["b skipped"]))
        }
    }

    @Test func `a failed commit changes no open command`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            let load = Errand("old").with { $0.cancelID = "load" }
            let id = try await store.run(load)[0]
            log.failNext()
            #expect(await store.error(of: [.run(load)]) != nil)
            #expect(store.status.commands.open == 1)
            log.failNext()
            #expect(await store.error(of: .begin(id, attempt: 1)) != nil)
            #expect(store.status.commands.started == 0)
            try await store.submit(.begin(id, attempt: 1))
            log.failNext()
            #expect(await store.error(of: .end(id, .done("old"))) != nil)
            log.failNext()
            #expect(await store.error(of: .hold(by: 1)) != nil)
            #expect(store.status.commands.held == 0)
            try await store.submit(.end(id, .done("old")))
            #expect(store.present.state == Errands.State(done: ["old"]))
            #expect(store.status.commands.open == 0)
        }
    }

    @Test func `a listener gets the open commands, then the changes of each flush, each command once`() async throws {
        try await withStore { store in
            let told = Mutex<[String]>([])
            let first = try await store.run(Errand("a"))[0]
            try await store.listen { news in
                told.withLock { told in
                    told += news.map { news in
                        switch news {
                        case .open(let open): "\(open.id) \(open.row.stage)"
                        case .closed(let id): "\(id) closed"
                        case .held(let sequence): "held \(sequence)"
                        }
                    }
                }
            }
            let load = Errand("b").with { $0.cancelID = "load" }
            try await store.run(load, load)
            try await store.submit(.begin(first, attempt: 1))
            try await store.submit(.end(first, nil))
            _ = try await store.dispatch(Dispatch([.note("x")]))
            try await store.listen(nil)
            try await store.submit(.skip(CommandID(sequence: 3, index: 0), by: 1))
            #expect(told.withLock { $0 } == ["held 0", "1.0 waiting", "3.0 waiting", "1.0 started", "1.0 closed"])
        }
    }

    @Test func `folding the records of commands runs none and writes no row`() async throws {
        let log = InMemoryActionLog()
        // Each command supersedes the previous one, so the number of ends is one less than the number of errands.
        let count: UInt64 = 20_000
        try await withStore(log) { store in
            let batch = [Errands.Action](
                repeating: .run(Errand("a").with { ($0.cancelID, $0.isSilent) = ("same", true) }), count: 5_000)
            for _ in 0..<count / 5_000 { _ = try await store.dispatch(Dispatch(batch)) }
        }
        let head = log.head
        let rows = try log.outbox()
        let recovered = try RecoveryResult<Errands>(from: log, initial: Errands.State())
        #expect(recovered.folded == 2 * count - 1)
        #expect(log.head == head)
        let after = try log.outbox()
        #expect(after == rows && rows.count == 1)
    }

    @Test func `a dispatch that exceeds the limit of open commands is refused`() async throws {
        try await withStore { store in
            let batch = [Errands.Action](repeating: .run(Errand("a")), count: 16_384)
            for _ in 0..<Limits.openCommandsMax / batch.count { _ = try await store.dispatch(Dispatch(batch)) }
            #expect(await store.error(of: [.run(Errand("one more"))]) == .tooManyCommands)
            #expect(store.status.commands.open == Limits.openCommandsMax)
            _ = try await store.dispatch(Dispatch([.note("still")]))
            try await store.submit(.skip(CommandID(sequence: 1, index: 0), by: 1))
            try await store.run(Errand("one more"))
        }
    }

    @Test(arguments: [0, 3_600])
    func `scheduled commands have their own limit and leave room for others, however soon they are due`(delay: Int) async throws {
        try await withStore { store in
            let planned = Errand("planned").with { ($0.delay, $0.isScheduled) = (delay, true) }
            let batch = [Errands.Action](repeating: .run(planned), count: 16_384)
            for _ in 0..<Limits.delayedCommandsMax / batch.count { _ = try await store.dispatch(Dispatch(batch)) }
            for one in [0, 3_600] {
                let errand = planned.with { $0.delay = one }
                #expect(await store.error(of: [.run(errand)]) == .tooManyDelayedCommands(max: Limits.delayedCommandsMax))
            }
            #expect(store.status.commands.open == Limits.delayedCommandsMax)
            try await store.run(Errand("at once"), Errand("later").with { $0.delay = 3_600 })
            // A command that was attempted and waits again, or is parked, counts towards the general limit.
            let (first, second) = (CommandID(sequence: 1, index: 0), CommandID(sequence: 2, index: 0))
            try await store.submit(.begin(first, attempt: 1))
            try await store.submit(.wait(first, due: 1))
            try await store.submit(.park(second, reason: "ask"))
            #expect(await store.error(of: [.run(planned)]) == .tooManyDelayedCommands(max: Limits.delayedCommandsMax))
            try await store.submit(.skip(first, by: 1))
            try await store.run(planned)
            #expect(await store.error(of: [.run(planned)]) == .tooManyDelayedCommands(max: Limits.delayedCommandsMax))
        }
    }

    @Test func `a uid can hold only its share of the scheduled commands`() async throws {
        try await withStore { store in
            let planned = Errands.Action.run(Errand("planned").with { $0.isScheduled = true })
            // Each uid uses its whole share.
            for uid in 7...16 as ClosedRange<UInt32> {
                let share = (Limits.delayedCommandsMax - store.status.commands.open + 1) / 2
                let batch = [Errands.Action](repeating: planned, count: share)
                _ = try await store.dispatch(Dispatch(batch, origin: uid, isOfOwner: true))
                await #expect(throws: StoreError.tooManyDelayedCommands(max: share, of: uid)) {
                    try await store.dispatch(Dispatch([planned], origin: uid, isOfOwner: true))
                }
            }
            _ = try await store.dispatch(Dispatch([planned], origin: 17, isOfOwner: true))
            _ = try await store.dispatch(Dispatch([planned], origin: 7))
        }
    }

    @Test func `an undo may exceed the limit of scheduled commands, up to the limit of open commands`() async throws {
        try await withStore { store in
            let planned = Errands.Action.run(Errand("planned").with { $0.isScheduled = true })
            let moved = Errand("moved").with { ($0.isScheduled, $0.cancelID, $0.isSilent) = (true, "moved", true) }
            try await store.run(moved)
            func bringBack(_ count: Int) async throws(StoreError) {
                let actions = [Errands.Action](repeating: planned, count: count)
                _ = try await store.compensate(
                    UndoBatch<Errands>(origin: 7, cancelling: .these([])) {
                        _, _ throws(StoreError) in [.init(undoes: nil, actions: actions)]
                    })
            }
            let batch = [Errands.Action](repeating: planned, count: 16_384)
            _ = try await store.dispatch(Dispatch(batch))
            _ = try await store.dispatch(Dispatch(Array(batch.dropLast())))
            try await bringBack(1)
            #expect(store.status.commands.open == Limits.delayedCommandsMax + 1)
            #expect(await store.error(of: [planned]) == .tooManyDelayedCommands(max: Limits.delayedCommandsMax))
            // Rescheduling a command needs no further slot.
            try await store.run(moved)
            let room = Limits.openCommandsMax - store.status.commands.open
            await #expect(throws: StoreError.tooManyCommands) { try await bringBack(room + 1) }
            try await bringBack(room)
            #expect(store.status.commands.open == Limits.openCommandsMax)
        }
    }
}
