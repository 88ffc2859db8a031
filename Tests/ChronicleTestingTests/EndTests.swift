import Chronicle
import ChronicleTesting
import Testing

@Suite struct `The end of a command in a test store` {
    private let there = Tally.Command.fetch(from: "there")
    private let count = Tally.Command.count

    @Test func `an end without a result produces the feature's event`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.expect(count)
        store.fail("no way") {
            $0.isCounting = false
            $0.failure = "no way"
        }
        store.finish()
    }

    @Test func `the changes of an end must be expected`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.expect(count)
        #expect(
            failures { store.fail("no way") }.first?.hasPrefix("The state changed, but the test does not describe the change")
                == true)
        store.finish()
    }

    @Test func `an end without an event of the feature changes nothing`() {
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

    @Test func `a later command with the same cancel id ends the earlier one`() {
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

    @Test func `a command that was superseded before it was expected needs no answer`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.send(.countAll) { $0.displaced = 1 }
        store.expect(count, count)
        store.close(count)
        store.finish()
    }

    @Test func `an action that cancels a command ends it`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.expect(count)
        store.send(.stopCounting) { $0.isCounting = false }
        store.expect(.stop)
        store.finish()
    }

    @Test func `parking a command leaves it open`() {
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

    @Test func `an end whose result is refused is a failure`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.countAll) { $0.isCounting = true }
        store.expect(count)
        store.refuse(.counted(-1), name: "NegativeAmount", answering: count) {
            $0.isCounting = false
            $0.failure = "An amount is at least 0."
        }
        store.finish()
    }

    @Test func `only the result of a command can be an event`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        #expect(failures { store.send(.counted(1)) { $0.count = 1 } }.first?.contains("refused as FactNotAllowed") == true)
        store.refuse(.counted(1), name: "FactNotAllowed")
        store.finish()
    }
}
