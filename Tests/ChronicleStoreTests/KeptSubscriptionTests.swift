import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleTesting
import Testing

@Suite struct KeptSubscriptionTests {
    private func error(_ order: SubscriptionOrder, by uid: UInt32 = 7, in store: Store<Tally>) async -> StoreError? {
        do {
            try await store.submit(order, by: uid)
            return nil
        } catch {
            return error
        }
    }

    private func position(of name: String, in store: Store<Tally>) -> UInt64? { store.subscription(name)?.position }

    @Test func `one begins where it is told to, goes forward only, and lasts over a restart`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            for _ in 0..<3 { _ = try await store.dispatch(Dispatch([.add(1)])) }
            try await store.submit(.set("now", RecordFilter(), position: nil), by: 7)
            try await store.submit(.set("start", RecordFilter(feature: "tally"), position: 0), by: 7)
            #expect(position(of: "now", in: store) == 3 && position(of: "start", in: store) == 0)
            try await store.submit(.acknowledge("start", through: 2, epoch: store.present.epoch), by: 7)
            try await store.submit(.acknowledge("start", through: 1, epoch: nil), by: 7)
            #expect(position(of: "start", in: store) == 2)
            // What it wants changes, and where it is does not.
            try await store.submit(.set("start", RecordFilter(origin: 5), position: nil), by: 7)
            #expect(
                store.subscription("start") == SubscriptionRow(name: "start", position: 2, owner: 7, filter: .init(origin: 5)))
            #expect(store.present.sequence == 3, "it is no record")
        }
        try await withStore(log) { store in
            #expect(store.subscriptions.map(\.name) == ["now", "start"] && position(of: "start", in: store) == 2)
            try await store.submit(.remove("start"), by: 7)
            #expect(await error(.remove("start"), in: store) == .unknownSubscription("start"))
            #expect(await error(.acknowledge("start", through: 1, epoch: nil), in: store) == .unknownSubscription("start"))
        }
        #expect(try log.subscriptions().rows.map(\.name) == ["now"])
    }

    @Test func `what is not in the log can't be acknowledged, nor what is of another epoch`() async throws {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch([.add(1)]))
            try await store.submit(.set("mail", RecordFilter(), position: 0), by: 7)
            #expect(await error(.acknowledge("mail", through: 2, epoch: nil), in: store) == .futureSequence(head: 1))
            let epoch = store.present.epoch
            #expect(await error(.acknowledge("mail", through: 1, epoch: epoch + 1), in: store) == .epochChanged(current: epoch))
            #expect(position(of: "mail", in: store) == 0)
        }
    }

    @Test func `it is its owner's, and theirs who administer`() async throws {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch([.add(1)]))
            try await store.submit(.set("mail", RecordFilter(), position: 0), by: 7)
            let orders: [SubscriptionOrder] = [
                .set("mail", RecordFilter(), position: nil), .remove("mail"), .acknowledge("mail", through: 1, epoch: nil),
            ]
            for order in orders { #expect(await error(order, by: 8, in: store) == .notYourSubscription("mail", uid: 7)) }
            try await store.submit(.set("mail", RecordFilter(feature: "x"), position: nil), by: 8, administers: true)
            #expect(store.subscription("mail")?.owner == 7)
            try await store.submit(.remove("mail"), by: 8, administers: true)
        }
    }

    @Test func `there are so many and no more`() async throws {
        try await withStore { store in
            for number in 0..<Limits.subscriptionsMax {
                let uid = UInt32(7 + number / Limits.subscriptionsOfOwnerMax)
                try await store.submit(.set("s\(number)", RecordFilter(), position: nil), by: uid)
            }
            let full = StoreError.tooManySubscriptions(max: Limits.subscriptionsMax)
            #expect(await error(.set("more", RecordFilter(), position: nil), by: 99, in: store) == full)
            #expect(await error(.set("s1", RecordFilter(feature: "x"), position: nil), in: store) == nil)
        }
    }

    @Test func `one uid takes so many and no more, unless it may administer`() async throws {
        try await withStore { store in
            for number in 0..<Limits.subscriptionsOfOwnerMax {
                try await store.submit(.set("s\(number)", RecordFilter(), position: nil), by: 7)
            }
            let full = StoreError.tooManySubscriptionsOfOwner(7, max: Limits.subscriptionsOfOwnerMax)
            #expect(await error(.set("more", RecordFilter(), position: nil), in: store) == full)
            #expect(await error(.set("s1", RecordFilter(feature: "x"), position: nil), in: store) == nil)
            #expect(await error(.set("more", RecordFilter(), position: nil), by: 8, in: store) == nil)
            try await store.submit(.set("more yet", RecordFilter(), position: nil), by: 7, administers: true)
            #expect(await error(.remove("s1"), in: store) == nil)
            #expect(await error(.set("s1", RecordFilter(), position: nil), in: store) == full)
        }
    }

    @Test func `of a damaged one the name alone is known: who may administer makes it anew or takes it away`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            _ = try await store.dispatch(Dispatch([.add(1)]))
            for name in ["mail", "list", "well"] { try await store.submit(.set(name, RecordFilter(), position: 0), by: 7) }
        }
        var recovered = try Recovered<Tally>(from: log, initial: Tally.State())
        recovered.subscriptions.rows.removeAll { $0.name != "well" }
        recovered.subscriptions.damaged = ["list", "mail"]
        let store = Store(recovered, log: log, options: StoreOptions(build: 1, fingerprint: "one"))
        #expect(store.subscriptions.map(\.name) == ["well"] && Set(store.damagedSubscriptions) == ["mail", "list"])
        let orders: [SubscriptionOrder] = [
            .set("mail", RecordFilter(), position: nil), .remove("mail"), .acknowledge("mail", through: 1, epoch: nil),
        ]
        for order in orders { #expect(await error(order, in: store) == .damagedSubscription("mail")) }
        #expect(await error(.acknowledge("well", through: 1, epoch: nil), in: store) == nil)
        await #expect(throws: StoreError.damagedSubscription("mail")) {
            try await store.submit(.set("mail", RecordFilter(), position: nil), by: 0, administers: true)
        }
        try await store.submit(.set("mail", RecordFilter(), position: 1), by: 0, administers: true)
        try await store.submit(.remove("list"), by: 0, administers: true)
        #expect(store.damagedSubscriptions == [] && position(of: "mail", in: store) == 1)
        #expect(await error(.remove("list"), in: store) == .unknownSubscription("list"))
        await store.stop()
    }

    @Test func `acknowledgements that come together are one flush, and need no record`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            for _ in 0..<100 { _ = try await store.dispatch(Dispatch([.add(1)])) }
            try await store.submit(.set("a", RecordFilter(), position: 0), by: 7)
            try await store.submit(.set("b", RecordFilter(), position: 0), by: 7)
            log.hold()
            let before = log.counts.appends
            try await withThrowingTaskGroup(of: Void.self) { group in
                // While one is held up, all others wait for the next flush.
                group.addTask { try await store.submit(.acknowledge("a", through: 1, epoch: nil), by: 7) }
                try await log.appending(before + 1)
                for sequence in 2...100 as ClosedRange<UInt64> {
                    group.addTask {
                        try await store.submit(.acknowledge(sequence % 2 == 0 ? "a" : "b", through: sequence, epoch: nil), by: 7)
                    }
                }
                while store.status.waitingDispatches < 99 { await Task.yield() }
                log.release()
                try await group.waitForAll()
            }
            #expect(log.counts.appends - before == 2 && log.counts.flushes.suffix(2) == [0, 0])
            #expect(position(of: "a", in: store) == 100 && position(of: "b", in: store) == 99)
            #expect(try log.subscriptions().rows.map(\.position) == [100, 99])
        }
    }

    @Test func `what could not be written is not so`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            _ = try await store.dispatch(Dispatch([.add(1)]))
            try await store.submit(.set("mail", RecordFilter(), position: 0), by: 7)
            log.failNext(with: .storageFull(.disk, message: "full"))
            #expect(await error(.acknowledge("mail", through: 1, epoch: nil), in: store) == .storageFull("full"))
            #expect(position(of: "mail", in: store) == 0)
            log.failNext(with: .storageFull(.disk, message: "full"))
            #expect(await error(.set("more", RecordFilter(), position: 0), in: store) == .storageFull("full"))
            #expect(store.subscriptions.count == 1)
            #expect(await error(.acknowledge("more", through: 1, epoch: nil), in: store) == .unknownSubscription("more"))
            #expect(await error(.acknowledge("mail", through: 1, epoch: nil), in: store) == nil)
            #expect(position(of: "mail", in: store) == 1)
        }
    }

    @Test func `acknowledging is no dispatch: a lock does not refuse it`() async throws {
        try await withStore { store in
            try await store.submit(.set("mail", RecordFilter(), position: 0), by: 7)
            try await store.lock("moving", by: 5)
            #expect(await error(.acknowledge("mail", through: 1, epoch: nil), in: store) == nil)
        }
    }
}
