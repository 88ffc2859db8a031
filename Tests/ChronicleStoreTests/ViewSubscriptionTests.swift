import Chronicle
import ChronicleLog
import FeatureCounter
import Testing

@testable import ChronicleStore

/// Tests of subscriptions to the view of a feature.
@Suite(.timeLimit(.minutes(15))) struct ViewSubscriptionTests {
    private static let tally = Watched.view("tally", scope: House.scopes.firstIndex(of: "tally"))

    /// Runs a body with a subscriber to the tally view of a house that has 300 texts.
    private func following(
        _ goOn: Collected<Void>? = nil, _ body: (Store<House>, Collected<StateItem<House>>) async throws -> Void
    ) async throws {
        let log = InMemoryActionLog()
        let store = Store(
            try RecoveryResult<House>(from: log, initial: House.State()), log: log, options: StoreOptions(build: 1))
        var actions: [House.Action] = [.tally(.add(5))]
        for number in 0..<300 { actions.append(.tally(.ask("\(number)"))) }
        _ = try await store.dispatch(Dispatch(actions))
        let items = Collected<StateItem<House>>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await store.watch(Self.tally) { item in
                    items.add(item)
                    if case .changes = item.content, let goOn { _ = try await goOn.wait(for: 1) }
                }
            }
            try await body(store, items)
            group.cancelAll()
            while await group.nextResult() != nil {}
        }
        await store.stop()
    }

    private func pages<App: Feature>(_ items: some Sequence<StateItem<App>>) -> [Value] {
        var pages: [Value] = []
        for item in items {
            if case .page(let page, _) = item.content { pages.append(page) }
        }
        return pages
    }

    @Test func `a view is delivered in pages of one sequence, then as changes`() async throws {
        try await following { store, items in
            let first = try await items.wait(for: 3)
            let pages = self.pages(first)
            #expect(pages.first == ["sum": 5, "rows": []])
            #expect(pages.dropFirst().map { $0["rows"]?.list?.count } == [256, 44])
            #expect(first.allSatisfy { $0.sequence == 301 && $0.epoch == store.present.epoch })
            // A change of another feature and an action that does not change the view are not delivered.
            _ = try await store.dispatch(Dispatch([.stairs(.up(.increment))]))
            _ = try await store.dispatch(Dispatch([.tally(.show("x"))]))
            _ = try await store.dispatch(Dispatch([.tally(.add(2)), .tally(.ask("y"))]))
            let item = try await items.wait(for: 4)[3]
            #expect(item.sequence == 305 && item.records.isEmpty && item.skipped == 0 && item.time > 0)
            guard case .changes(let changes) = item.content else {
                Issue.record("the whole view was delivered again")
                return
            }
            #expect(
                changes == [
                    Change(path: "rows", kind: .insert, at: 300, new: ["text": "y"]),
                    Change(path: "", kind: .set, old: ["sum": 5], new: ["sum": 7]),
                ])
        }
    }

    @Test func `a slow subscriber gets several changes as one item, and none for changes that cancel out`() async throws {
        let goOn = Collected<Void>()
        try await following(goOn) { store, items in
            _ = try await items.wait(for: 3)
            _ = try await store.dispatch(Dispatch([.tally(.add(1))]))
            _ = try await items.wait(for: 4)
            // The subscriber is still busy with that item.
            for _ in 0..<50 { _ = try await store.dispatch(Dispatch([.tally(.add(1))])) }
            goOn.add(())
            let item = try await items.wait(for: 5)[4]
            guard case .changes(let changes) = item.content else {
                Issue.record("the whole view was delivered again")
                return
            }
            #expect(changes == [Change(path: "", kind: .set, old: ["sum": 6], new: ["sum": 56])] && item.sequence == 352)
            _ = try await store.dispatch(Dispatch([.tally(.add(1)), .tally(.add(-1))]))
            _ = try await store.dispatch(Dispatch([.tally(.ask("more"))]))
            #expect(try await items.wait(for: 6)[5].sequence == 355)
        }
    }

    @Test func `a subscriber that missed more changes than one item holds gets the whole view again`() async throws {
        try await following { store, items in
            _ = try await items.wait(for: 3)
            _ = try await store.dispatch(Dispatch((0..<1_200).map { House.Action.tally(.ask("more \($0)")) }))
            // A page without rows, then the pages of 1,500 rows.
            let again = try await items.wait(for: 10).dropFirst(3)
            let pages = self.pages(again)
            #expect(pages.count == again.count && again.allSatisfy { $0.sequence == 1_501 })
            #expect(pages.first == ["sum": 5, "rows": []])
        }
    }

    @Test func `a view that is not a record is delivered as a whole after each change`() async throws {
        let store = try Store<Tally>.open(InMemoryActionLog())
        let items = Collected<StateItem<Tally>>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await store.watch(.view("sum", scope: nil)) { items.add($0) } }
            _ = try await items.wait(for: 1)
            _ = try await store.dispatch(Dispatch([.ask("not in the view")]))
            _ = try await store.dispatch(Dispatch([.add(3)]))
            let received = try await items.wait(for: 2)
            #expect(self.pages(received) == [0, 3] && received.map(\.sequence) == [0, 2])
            group.cancelAll()
            while await group.nextResult() != nil {}
        }
        await store.stop()
    }
}
