import Chronicle
import ChronicleTesting
import Testing

@Suite struct `A test store that is not exhaustive` {
    @Test func `a test that is not exhaustive checks only the given expectations`() {
        let store = TestStore(Tally.State(count: 3), of: Tally.self)
        store.exhaustivity = .off
        store.send(.increment)
        store.send(.double) { $0.count = 8 }
        store.send(.nothing)
        store.send(.fetch(from: "there"))
        store.finish()
        #expect(store.state.changed == Context.test.time + 2)
    }

    @Test func `a wrong expectation fails`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.exhaustivity = .off
        let messages = failures { store.send(.touch) { $0.count = 1 } }
        #expect(messages.count == 1)
        #expect(messages.first?.contains("-   count: 1,\n    +   count: 0,") == true, "\(messages)")
        #expect(failures { store.send(.double, logging: [.touch]) }.count == 1)
        #expect(failures { store.send(.add(-1)) }.count == 1)
    }

    @Test func `commands before the expected one are skipped`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.exhaustivity = .off
        store.send(.fetch(from: "here"))
        store.send(.fetch(from: "there"))
        store.expect(.fetch(from: "there"))
        store.receive(.fetched(1)) { $0.count = 1 }
        #expect(failures { store.expect(.fetch(from: "nowhere")) }.count == 1)
        store.finish()
    }

    @Test func `exhaustivity can be switched off for a part of a test`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.exhaustivity = .off
        store.send(.double)
        store.exhaustivity = .on
        #expect(failures { store.send(.increment) }.count == 1)
        store.send(.increment) { $0.count = 2 }
        store.finish()
    }
}
