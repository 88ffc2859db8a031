import Chronicle
import ChronicleTesting
import Testing

@Suite struct `A child's view of a test store` {
    @Test func `a scoped test store sends the child's actions and sees its slice`() {
        let store = TestStore(Pair.State(), of: Pair.self)
        let left = store.scope(Pair.left.scope)
        left.send(.increment) { $0.count = 1 }
        left.send(.double, logging: [.add(1), .touch]) {
            $0.count = 2
            $0.changed = store.context.time
            $0.by = UInt64(store.context.origin)
        }
        left.refuse(.add(-1), name: "NegativeAmount")
        #expect(left.state.count == 2)
        #expect(store.state.right == Tally.State())
        #expect(store.logged.first?.action == .left(.increment))
        store.finish()
    }

    @Test func `a wrong expectation of the slice fails`() {
        let store = TestStore(Pair.State(), of: Pair.self)
        let left = store.scope(Pair.left.scope)
        #expect(failures { left.send(.increment) }.count == 1)
        #expect(failures { left.send(.increment) { $0.count = 3 } }.count == 1)
        #expect(failures { left.refuse(.increment, name: "NegativeAmount") }.count == 1)
        struct Wrong: Error {}
        #expect(
            failures { left.send(.increment) { _ in throw Wrong() } } == ["The closure that changes the state threw: Wrong()"])
    }

    @Test func `a change of the rest of the root fails`() {
        let store = TestStore(Pair.State(), of: Pair.self)
        let right = store.scope(Pair.right.scope)
        let messages = failures { right.send(.nothing) { $0.count = 1 } }
        #expect(messages.count == 2, "the logged action differs, and the left tally changed: \(messages)")
        #expect(messages.last?.contains("left: Tally.State(") == true, "\(messages)")
    }

    @Test func `a scoped test store expects the root's commands and receives the child's events`() {
        let store = TestStore(Pair.State(), of: Pair.self)
        let right = store.scope(Pair.right.scope)
        right.send(.fetch(from: "there"))
        #expect(failures { right.receive(.fetched(5)) { $0.count = 5 } }.count == 1)
        right.expect(.right(.fetch(from: "there")))
        right.receive(.fetched(5)) { $0.count = 5 }
        store.finish()
    }

    @Test func `scoped test stores can be nested`() {
        let store = TestStore(House.State(), of: House.self)
        let left = store.scope(House.pair.scope).scope(Pair.left.scope)
        left.send(.increment) { $0.count = 1 }
        #expect(store.state.pair.left.count == 1)
        #expect(store.logged.map(\.action) == [.pair(.left(.increment))])
        store.finish()
    }
}
