import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureCounter
import Testing

/// A store runs any feature, whether it is part of an app or a whole app.
@Suite struct OneFeatureTests {
    @Test func `a feature runs in a store of its own and is restored after a restart`() async throws {
        let log = InMemoryActionLog()
        for round in 1...3 {
            let recovered = try RecoveryResult<Counter>(from: log, initial: Counter.State())
            let store = Store(recovered, log: log, options: StoreOptions(build: 1))
            #expect(store.present.state.count == Int64(round - 1))
            _ = try await store.dispatch(Dispatch([.increment]))
            #expect(store.present.state.count == Int64(round))
            await store.stop()
        }
        #expect(log.head.sequence == 3)
    }
}
