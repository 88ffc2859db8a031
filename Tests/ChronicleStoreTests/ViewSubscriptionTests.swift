import Chronicle
import ChronicleLog
import FeatureCounter
import Testing

@testable import ChronicleStore

/// Who follows what a feature shows.
@Suite(.timeLimit(.minutes(15))) struct ViewSubscriptionTests {
    private static let tally = Watched.view("tally", scope: House.scopes.firstIndex(of: "tally"))

    /// Runs a body beside somebody who follows the tally of a house that asks for 300 things.
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

    @Test func `a view is told in pieces, all of one sequence, then what changes in it`() async throws {
        try await following { store, items in
            let first = try await items.wait(for: 3)
            let pages = self.pages(first)
            #expect(pages.first == ["sum": 5, "rows": []])
            #expect(pages.dropFirst().map { $0["rows"]?.list?.count } == [256, 44])
            #expect(first.allSatisfy { $0.sequence == 301 && $0.epoch == store.present.epoch })
            // Another feature, and what changes nothing of this one.
            _ = try await store.dispatch(Dispatch([.stairs(.up(.increment))]))
            _ = try await store.dispatch(Dispatch([.tally(.show("x"))]))
            _ = try await store.dispatch(Dispatch([.tally(.add(2)), .tally(.ask("y"))]))
            let item = try await items.wait(for: 4)[3]
            #expect(item.sequence == 305 && item.records.isEmpty && item.skipped == 0 && item.time > 0)
            guard case .changes(let changes) = item.content else {
                Issue.record("the view came again")
                return
            }
            #expect(
                changes == [
                    Change(path: "rows", kind: .insert, at: 300, new: ["text": "y"]),
                    Change(path: "", kind: .set, old: ["sum": 5], new: ["sum": 7]),
                ])
        }
    }

    @Test func `who is behind gets what changed meanwhile as one, and what came to nothing not at all`() async throws {
        let goOn = Collected<Void>()
        try await following(goOn) { store, items in
            _ = try await items.wait(for: 3)
            _ = try await store.dispatch(Dispatch([.tally(.add(1))]))
            _ = try await items.wait(for: 4)
            // It is busy with that.
            for _ in 0..<50 { _ = try await store.dispatch(Dispatch([.tally(.add(1))])) }
            goOn.add(())
            let item = try await items.wait(for: 5)[4]
            guard case .changes(let changes) = item.content else {
                Issue.record("the view came again")
                return
            }
            #expect(changes == [Change(path: "", kind: .set, old: ["sum": 6], new: ["sum": 56])] && item.sequence == 352)
            _ = try await store.dispatch(Dispatch([.tally(.add(1)), .tally(.add(-1))]))
            _ = try await store.dispatch(Dispatch([.tally(.ask("more"))]))
            #expect(try await items.wait(for: 6)[5].sequence == 355)
        }
    }

    @Test func `who fell further behind than an item holds gets the view again`() async throws {
        try await following { store, items in
            _ = try await items.wait(for: 3)
            _ = try await store.dispatch(Dispatch((0..<1_200).map { House.Action.tally(.ask("more \($0)")) }))
            // Without its rows, and 1,500 of them.
            let again = try await items.wait(for: 10).dropFirst(3)
            let pages = self.pages(again)
            #expect(pages.count == again.count && again.allSatisfy { $0.sequence == 1_501 })
            #expect(pages.first == ["sum": 5, "rows": []])
        }
    }

    @Test func `a view that is no record is told as a whole each time`() async throws {
        let store = try Store<Tally>.open(InMemoryActionLog())
        let items = Collected<StateItem<Tally>>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await store.watch(.view("sum", scope: nil)) { items.add($0) } }
            _ = try await items.wait(for: 1)
            _ = try await store.dispatch(Dispatch([.ask("what is not in it")]))
            _ = try await store.dispatch(Dispatch([.add(3)]))
            let told = try await items.wait(for: 2)
            #expect(self.pages(told) == [0, 3] && told.map(\.sequence) == [0, 2])
            group.cancelAll()
            while await group.nextResult() != nil {}
        }
        await store.stop()
    }
}
