import Chronicle
import ChronicleTesting
import Testing

@Suite struct `The end of a command in a test store` {
    private let there = Tally.Command.fetch(from: "there")
    private let count = Tally.Command.count

    @Test func `without a result tells what the feature has to say about it`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.expect(count)
        store.fail("no way") {
            $0.isCounting = false
            $0.failure = "no way"
        }
        store.finish()
    }

    @Test func `must be said in what it changes`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.expect(count)
        #expect(failures { store.fail("no way") }.first?.hasPrefix("The state changed, and the test does not say how") == true)
        store.finish()
    }

    @Test func `of a kind of which the feature has nothing to say changes nothing`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        store.send(.fetch(from: "there"))
        store.send(.fetch(from: "there"))
        store.expect(there, there, there)
        store.fail("no way", answering: there)
        store.cancel(there)
        #expect(failures { store.skip(there) { $0.count = 1 } }.count == 1)
        store.finish()
    }

    @Test func `comes with a later one of its name`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.expect(count)
        store.send(.countAll) { $0.displaced = 1 }
        store.expect(count)
        store.receive(.counted(4)) {
            $0.isCounting = false
            $0.count = 4
        }
        #expect(failures { store.receive(.counted(5)) }.count == 1)
        #expect(store.logged.map(\.action) == [.countAll, .countAll, .displaced, .counted(4)])
        store.finish()
    }

    @Test func `that came before it was expected leaves nothing to be answered`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.send(.countAll) { $0.displaced = 1 }
        store.expect(count, count)
        store.close(count)
        store.finish()
    }

    @Test func `comes with an action that takes it back`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.expect(count)
        store.send(.stopCounting) { $0.isCounting = false }
        store.expect(.stop)
        store.finish()
    }

    @Test func `leaves one that is parked open`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.expect(count)
        store.park("look") { $0.failure = "look" }
        store.receive(.counted(4)) {
            $0.isCounting = false
            $0.count = 4
        }
        store.finish()
    }

    @Test func `whose result is refused is a failure`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.expect(count)
        store.refuse(.counted(-1), name: "NegativeAmount", answering: count) {
            $0.isCounting = false
            $0.failure = "An amount is at least 0."
        }
        store.finish()
    }

    @Test func `brings the only facts there are`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        #expect(failures { store.send(.counted(1)) { $0.count = 1 } }.first?.contains("refused as FactNotAllowed") == true)
        store.refuse(.counted(1), name: "FactNotAllowed")
        store.finish()
    }
}
