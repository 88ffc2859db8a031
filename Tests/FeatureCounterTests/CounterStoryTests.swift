import FeatureCounter
import Fields
import StoreTesting
import Testing

@Suite struct CounterStoryTests {
    @Test func `a counter counts up and down and goes back to zero, and asks nobody for anything`() {
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

    @Test func `a reset is logged even where it changes nothing`() {
        let store = TestStore(Counter.State(), of: Counter.self)
        store.send(.reset)
        store.finish()
        #expect(store.logged.map(\.action) == [.reset])
    }

    @Test func `what is refused at a limit leaves no trace, and the way back is open`() {
        let store = TestStore(Counter.State(count: Counter.countMax), of: Counter.self)
        store.refuse(.increment, name: "CounterAtMaximum")
        #expect(store.logged.isEmpty && store.state.count == Counter.countMax)
        store.send(.decrement) { $0.count = Counter.countMax - 1 }
        store.send(.increment) { $0.count = Counter.countMax }
        store.finish()

        let other = TestStore(Counter.State(count: -Counter.countMax), of: Counter.self)
        other.refuse(.decrement, name: "CounterAtMinimum")
        other.send(.increment) { $0.count = 1 - Counter.countMax }
        other.finish()
    }

    @Test func `nobody dispatches a shift, which only taking back does`() {
        let store = TestStore(Counter.State(count: 7), of: Counter.self)
        store.refuse(.shift(by: 3), name: "FactNotAllowed")
        store.finish()
    }

    @Test func `a story may begin at any count, and whoever dispatches counts the same`() {
        for (count, origin) in [(-100, 1000), (0, 0), (100, 1001)] as [(Int64, UInt32)] {
            let store = TestStore(Counter.State(count: count), of: Counter.self, origin: origin)
            store.send(.increment) { $0.count = count + 1 }
            store.finish()
            #expect(store.logged.map(\.context.origin) == [origin])
        }
    }
}
