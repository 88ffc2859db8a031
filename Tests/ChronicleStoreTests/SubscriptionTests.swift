import Chronicle
import ChronicleLog
import Testing

@testable import ChronicleStore

@Suite struct SubscriptionTests {
    @Test func `a subscriber from the first record gets every one once, in order, then live ones`() async throws {
        try await withStore { store in
            for _ in 0..<300 { _ = try await store.dispatch(Dispatch([.add(1), .add(2)])) }
            let seen = Collected<UInt64>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await store.watchRecords(from: 1, scope: nil) { records, _ in
                        records
                    } deliver: { records in
                        for record in records { seen.add(record.header.sequence) }
                    }
                }
                group.addTask { for _ in 0..<200 { _ = try await store.dispatch(Dispatch([.add(1)])) } }
                let all = try await seen.wait(for: 800)
                #expect(all == Array(1...800))
                group.cancelAll()
                while let result = await group.nextResult() {
                    if case .failure(let error) = result { #expect(error as? StoreError == .stopping) }
                }
            }
            #expect(store.publisher.waiting == 0)
        }
    }

    @Test func `a state subscriber gets the state, then what changes in its scope and nothing else`() async throws {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch([.add(5), .ask("a")]))
            let items = Collected<StateItem<Tally>>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await store.watch(.state(scope: 0)) { items.add($0) } }
                let first = try await items.wait(for: 1)[0]
                guard case .page(let page, isLast: true) = first.content else {
                    Issue.record("the first item is not the whole state")
                    return
                }
                #expect(page == ["sum": 5])
                #expect(first.records.isEmpty)
                _ = try await store.dispatch(Dispatch([.ask("b")]))
                _ = try await store.dispatch(Dispatch([.add(0)]))
                _ = try await store.dispatch(Dispatch([.add(2)]))
                let second = try await items.wait(for: 2)[1]
                guard case .changes(let changes) = second.content else {
                    Issue.record("the second item has no changes")
                    return
                }
                #expect(changes == [Change(path: "", kind: .set, old: ["sum": 5], new: ["sum": 7])])
                #expect(second.sequence == 5)
                #expect(second.records.map(\.header.sequence) == [4, 5])
                #expect(second.skipped == 1)
                group.cancelAll()
                while await group.nextResult() != nil {}
            }
        }
    }

    @Test func `no subscriber gets a state before the store publishes it`() async throws {
        try await withStore { store in
            let ahead = Collected<UInt64>()
            let seen = Collected<UInt64>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await store.watch(.state(scope: nil)) { item in
                            if item.sequence > store.present.sequence { ahead.add(item.sequence) }
                            if item.sequence == 400 { seen.add(item.sequence) }
                        }
                    }
                    group.addTask { for _ in 0..<100 { _ = try await store.dispatch(Dispatch([.add(1)])) } }
                }
                _ = try await seen.wait(for: 4)
                group.cancelAll()
                while await group.nextResult() != nil {}
            }
            #expect(try await ahead.wait(for: 0).isEmpty)
        }
    }

    @Test func `a long list is divided into pages of limited size`() async throws {
        try await withStore { store in
            _ = try await store.dispatch(Dispatch((0..<600).map { .ask("text \($0)") }))
            var pages = StatePages<Tally>(of: store.present.state, scope: 1)
            var sizes: [Int] = []
            while let page = pages.next() {
                guard case .list(let elements)? = page["asked"] else { continue }
                sizes.append(elements.count)
            }
            #expect(sizes == [0, 256, 256, 88])
            #expect(!pages.hasMore)
        }
    }

    @Test func `a subscriber that lags too far gets the whole state again`() async throws {
        try await withStore { store in
            let items = Collected<StateItem<Tally>>()
            let goOn = Collected<Void>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await store.watch(.state(scope: 1)) { item in
                        items.add(item)
                        _ = try await goOn.wait(for: 1)
                    }
                }
                _ = try await items.wait(for: 1)
                for _ in 0..<3 { _ = try await store.dispatch(Dispatch(Array(repeating: .ask("x"), count: 400))) }
                goOn.add(())
                let all = try await items.wait(for: 7)
                #expect(all.count >= 7)
                for item in all[1...] {
                    guard case .page = item.content else {
                        Issue.record("changes were delivered instead of the state")
                        return
                    }
                    #expect(item.sequence == 1_200)
                }
                group.cancelAll()
                while await group.nextResult() != nil {}
            }
        }
    }

    @Test func `changes that are too large for one item are replaced by the whole state`() async throws {
        try await withStore { store in
            let items = Collected<StateItem<Tally>>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await store.watch(.state(scope: 1)) { items.add($0) } }
                _ = try await items.wait(for: 1)
                let text = String(repeating: "x", count: Limits.changesBytesMax / 4)
                _ = try await store.dispatch(Dispatch((0..<3).map { .ask("\($0)" + text) }))
                guard case .changes(let changes)? = try await items.wait(for: 2).last?.content else {
                    Issue.record("changes that fit into an item were not delivered as changes")
                    return
                }
                #expect(changes.count == 3)
                _ = try await store.dispatch(Dispatch((0..<5).map { .ask("\($0)" + text) }))
                guard case .page? = try await items.wait(for: 3)[2...].first?.content else {
                    Issue.record("changes were delivered instead of the state")
                    return
                }
                group.cancelAll()
                while await group.nextResult() != nil {}
            }
        }
    }

    @Test func `a read with a minimum sequence waits for it`() async throws {
        try await withStore { store in
            async let later = store.present(atLeast: 2)
            _ = try await store.dispatch(Dispatch([.add(1)]))
            _ = try await store.dispatch(Dispatch([.add(1)]))
            #expect(try await later.sequence >= 2)
        }
    }

    @Test func `a stopped store ends its subscriptions`() async throws {
        let store = try Store<Tally>.open(InMemoryActionLog())
        let items = Collected<StateItem<Tally>>()
        try await withThrowingTaskGroup(of: StoreError?.self) { group in
            group.addTask {
                do {
                    try await store.watch(.state(scope: nil)) { items.add($0) }
                    return nil
                } catch {
                    return error as? StoreError
                }
            }
            _ = try await items.wait(for: 1)
            await store.stop()
            let end = try await group.next()
            #expect(end == .stopping)
        }
    }
}
