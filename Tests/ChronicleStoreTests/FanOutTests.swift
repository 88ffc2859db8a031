import Chronicle
import ChronicleLog
import Synchronization
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct FanOutTests {
    @Test func `subscribers that are up to date are notified together, once for each change`() async throws {
        try await withStore { store in
            let audience = Listeners()
            try await withSubscribers(100, of: store, in: audience) { _ in
                for sum in 1...5 {
                    _ = try await store.dispatch(Dispatch([.add(1)]))
                    _ = try await audience.tellings.wait(for: sum)
                }
                _ = try await store.dispatch(Dispatch([.ask("outside of the scope")]))
                _ = try await store.dispatch(Dispatch([.add(1)]))
                let delivered = try await audience.tellings.wait(for: 6)
                #expect(delivered.map(\.item.sequence) == [1, 2, 3, 4, 5, 7])
                #expect(delivered.allSatisfy { $0.members == 100 })
                #expect(delivered[5].item.records.map(\.header.sequence) == [7] && delivered[5].item.skipped == 1)
            }
            #expect(store.publisher.waiting == 0)
        }
    }

    @Test func `changes that arrive during a notification are merged`() async throws {
        try await withStore { store in
            let audience = Listeners(isSlow: true)
            try await withSubscribers(10, of: store, in: audience) { _ in
                _ = try await store.dispatch(Dispatch([.add(1)]))
                _ = try await audience.tellings.wait(for: 1)
                for _ in 0..<4 { _ = try await store.dispatch(Dispatch([.add(1)])) }
                audience.finish()
                let delivered = try await audience.tellings.wait(for: 2)
                #expect(delivered[0].item.sequence == 1)
                #expect(delivered[1].item.sequence == 5 && delivered[1].item.records.count == 4)
                guard case .changes(let changes) = delivered[1].item.content else { return }
                #expect(changes == [Change(path: "", kind: .set, old: ["sum": 1], new: ["sum": 5])])
            }
        }
    }

    @Test func `a subscriber that arrives during a notification joins the group after it`() async throws {
        try await withStore { store in
            let audience = Listeners(isSlow: true)
            try await withSubscribers(2, of: store, in: audience) { _ in
                _ = try await store.dispatch(Dispatch([.add(1)]))
                _ = try await audience.tellings.wait(for: 1)
                // Added by hand, so that the subscriber is certainly there before the notification ends.
                let late = Collected<StateItem<Tally>>()
                let position = store.present
                try await store.queries.perform { _ throws(StoreError) in
                    store.fanOut.add(
                        Listener(audience: audience, alone: late), at: position, to: audience, of: .state(scope: audience.scope))
                }
                _ = try await store.dispatch(Dispatch([.add(1)]))
                #expect(audience.begun.all.count == 2)
                audience.finish()
                #expect(try await audience.tellings.wait(for: 2)[1].members == 2)
                #expect(try await late.wait(for: 1).map(\.sequence) == [2])
                _ = try await audience.begun.wait(for: 3)
                audience.finish()
                _ = try await store.dispatch(Dispatch([.add(1)]))
                #expect(try await audience.tellings.wait(for: 3)[2].members == 3)
            }
        }
    }

    @Test func `a subscriber that leaves the group gets its missed changes alone and rejoins`() async throws {
        try await withStore { store in
            let audience = Listeners()
            try await withSubscribers(3, of: store, in: audience) { alone in
                audience.fillOne()
                _ = try await store.dispatch(Dispatch([.add(1)]))
                let item = try await alone.wait(for: 4)[3]
                #expect(item.sequence == 1 && item.records.count == 1)
                _ = try await audience.begun.wait(for: 4)
                _ = try await store.dispatch(Dispatch([.add(1)]))
                #expect(try await audience.tellings.wait(for: 2).map(\.members) == [2, 3])
            }
        }
    }

    @Test func `subscribers that fall too far behind get the whole state again`() async throws {
        try await withStore { store in
            let audience = Listeners(scope: 1)
            try await withSubscribers(3, of: store, in: audience) { alone in
                _ = try await store.dispatch(Dispatch((0..<1_200).map { .ask("text \($0)") }))
                let pages = try await alone.wait(for: 3 + 3 * 6).dropFirst(3)
                for page in pages {
                    guard case .page = page.content, page.sequence == 1_200 else {
                        Issue.record("\(page) is no page of the state")
                        return
                    }
                }
                #expect(audience.tellings.all.isEmpty)
            }
        }
    }

    @Test func `a subscriber that ended before the scope changed is released`() async throws {
        try await withStore { store in
            let audience = Listeners()
            try await withSubscribers(1, of: store, in: audience) { alone in
                // A new subscriber now has another position than the group and waits for the next change of the scope.
                _ = try await store.dispatch(Dispatch([.ask("outside of the scope")]))
                let member = WeakListener()
                let late = Task {
                    try await store.watch(.state(scope: audience.scope), in: audience) {
                        let listener = Listener(audience: audience, alone: alone)
                        member.listener = listener
                        return listener
                    } whole: {
                        try await store.deliverAll(.state(scope: audience.scope)) { alone.add($0) }
                    } deliver: {
                        alone.add($0)
                    }
                }
                while member.listener == nil { await Task.yield() }
                late.cancel()
                _ = await late.result
                while member.listener != nil {
                    // Every publication checks all groups.
                    _ = try await store.dispatch(Dispatch([.ask("again")]))
                }
                #expect(audience.tellings.all.isEmpty)
            }
        }
    }

    @Test func `a store that stops ends its subscribers`() async throws {
        let store = try Store<Tally>.open(InMemoryActionLog())
        let audience = Listeners()
        try await withSubscribers(5, of: store, in: audience) { _ in
            await store.stop()
            _ = try await audience.ended.wait(for: 5)
        }
    }

    /// Runs a body while subscribers are members of an audience, with the items that they received alone.
    private func withSubscribers(
        _ count: Int, of store: Store<Tally>, in audience: Listeners, _ body: (Collected<StateItem<Tally>>) async throws -> Void
    ) async throws {
        let alone = Collected<StateItem<Tally>>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await subscribe(to: store, in: audience, alone) } }
            _ = try await audience.begun.wait(for: count)
            try await body(alone)
            group.cancelAll()
            while await group.nextResult() != nil {}
        }
    }
}

private func subscribe(to store: Store<Tally>, in audience: Listeners, _ alone: Collected<StateItem<Tally>>) async throws {
    try await store.watch(.state(scope: audience.scope), in: audience) {
        Listener(audience: audience, alone: alone)
    } whole: {
        try await store.deliverAll(.state(scope: audience.scope)) { alone.add($0) }
    } deliver: {
        alone.add($0)
    }
}

private final class WeakListener: Sendable {
    private struct Reference: Sendable {
        weak var listener: Listener?
    }

    private let reference = Mutex(Reference())

    var listener: Listener? {
        get { reference.withLock { $0.listener } }
        set { reference.withLock { $0.listener = newValue } }
    }
}
