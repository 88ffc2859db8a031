import Chronicle
import ChronicleTesting
import FeatureCounter
import Testing

@Suite struct CounterStoryTests {
    @Test func `a counter counts up, down and back to zero without commands`() {
        let store = TestStore(Counter.State(), of: Counter.self)
        store.send(.increment) { $0.count = 1 }
        store.send(.increment) { $0.count = 2 }
        store.send(.decrement) { $0.count = 1 }
        store.send(.reset) { $0.count = 0 }
        store.send(.decrement) { $0.count = -1 }
        store.expectNoCommands()
        store.finish()
        #expect(store.logged.map(\.action) == [.increment, .increment, .decrement, .reset, .decrement])
    }

    @Test func `a reset is logged even if it changes nothing`() {
        let store = TestStore(Counter.State(), of: Counter.self)
        store.send(.reset)
        store.finish()
        #expect(store.logged.map(\.action) == [.reset])
    }

    @Test func `a refusal at a limit logs nothing, and the count can go back`() {
        let store = TestStore(Counter.State(count: Int64.exactMax), of: Counter.self)
        store.refuse(.increment, name: "CounterAtMaximum")
        #expect(store.logged.isEmpty && store.state.count == Int64.exactMax)
        store.send(.decrement) { $0.count = Int64.exactMax - 1 }
        store.send(.increment) { $0.count = Int64.exactMax }
        store.finish()

        let other = TestStore(Counter.State(count: -Int64.exactMax), of: Counter.self)
        other.refuse(.decrement, name: "CounterAtMinimum")
        other.send(.increment) { $0.count = 1 - Int64.exactMax }
        other.finish()
    }

    @Test func `a client can't dispatch a shift`() {
        let store = TestStore(Counter.State(count: 7), of: Counter.self)
        store.refuse(.shift(by: 3), name: "FactNotAllowed")
        store.finish()
    }

    @Test func `a test may start at any count`() {
        for (count, origin) in [(-100, 1000), (0, 0), (100, 1001)] as [(Int64, UInt32)] {
            let store = TestStore(Counter.State(count: count), of: Counter.self, origin: origin)
            store.send(.increment) { $0.count = count + 1 }
            store.finish()
            #expect(store.logged.map(\.context.origin) == [origin])
        }
    }
}
