import Chronicle
import ChronicleTesting
import Testing

@Suite struct `A test store` {
    @Test func `a test passes if it states the changes`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.increment) { $0.count = 1 }
        store.send(.add(4)) { $0.count += 4 }
        store.finish()
        #expect(store.state.count == 5)
        #expect(store.logged.map(\.action) == [.increment, .add(4)])
    }

    @Test func `a failure shows how the state differs from the expected one`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        let messages = failures { store.send(.increment) { $0.count = 2 } }
        #expect(
            messages == [
                """
                The state is not as expected after:

                    Tally.Action.increment

                      Tally.State(
                    -   count: 2,
                    +   count: 1,
                        changed: nil,
                        by: nil,
                        isCounting: false,
                        failure: nil,
                        displaced: 0
                      )

                (- expected, + actual)
                """
            ])
        // The test continues from the actual state, so that one wrong line gives one failure.
        store.send(.increment) { $0.count = 2 }
    }

    @Test func `a state change without an expectation fails`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        let messages = failures { store.send(.increment) }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("The state changed, but the test does not describe the change, after:") == true)
    }

    @Test func `stating only one of two changes fails`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        #expect(failures { store.send(.touch) { $0.changed = Context.test.time } }.count == 1)
    }

    @Test func `stating a change that did not happen fails`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        #expect(failures { store.send(.fetch(from: "there")) { $0.count = 1 } }.count == 1)
        store.expect(.fetch(from: "there"))
        store.close(.fetch(from: "there"))
    }

    @Test func `an error in the closure fails with that error`() {
        struct Wrong: Error {}
        let store = TestStore(Tally.State(), of: Tally.self)
        let messages = failures { store.send(.increment) { _ in throw Wrong() } }
        #expect(messages == ["The closure that changes the state threw: Wrong()"])
    }

    @Test func `actions that were logged in place of the sent one must be stated`() {
        let store = TestStore(Tally.State(count: 3), of: Tally.self)
        store.send(.double, logging: [.add(3), .touch]) {
            $0.count = 6
            $0.changed = store.context.time
            $0.by = UInt64(store.context.origin)
        }
        store.send(.nothing, logging: [])
        #expect(store.logged.count == 2)

        let unsaid = failures { store.send(.nothing) }
        #expect(unsaid.count == 1)
        #expect(unsaid.first?.hasPrefix("Other actions were logged than the one sent; list them with `logging:`.") == true)
        let wrong = failures { store.send(.increment, logging: [.add(1)]) { $0.count = 7 } }
        #expect(wrong.count == 1)
        #expect(wrong.first?.hasPrefix("Other actions were logged than expected:") == true)
    }

    @Test func `a refused action fails and logs nothing`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        let messages = failures { store.send(.add(-1)) { $0.count = -1 } }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("This action was refused as NegativeAmount: An amount is at least 0.") == true)
        #expect(store.logged.isEmpty)
        #expect(store.state == Tally.State())
    }

    @Test func `a refusal is expected by its name`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.refuse(.add(-1), name: "NegativeAmount")
        #expect(store.logged.isEmpty)

        let otherwise = failures { store.refuse(.add(-1), name: "Full") }
        #expect(otherwise.count == 1)
        #expect(otherwise.first?.hasPrefix("This action should be refused as Full, but it was refused as NegativeAmount") == true)
        let accepted = failures { store.refuse(.increment, name: "Full") }
        #expect(accepted.count == 1)
        #expect(accepted.first?.hasPrefix("This action should be refused as Full, but it was accepted:") == true)
        #expect(store.logged.isEmpty)
    }

    @Test func `each record has a later time than the one before, and the origin`() {
        let clock = TestClock(microseconds: 1_000)
        let store = TestStore(Tally.State(), of: Tally.self, clock: clock, origin: 7)
        #expect(store.context == Context(time: 1_000, origin: 7))
        store.send(.touch) {
            $0.changed = 1_000
            $0.by = 7
        }
        store.send(.touch) { $0.changed = 1_001 }
        clock.advance(by: .milliseconds(1))
        store.origin = 8
        store.send(.touch) {
            $0.changed = 2_000
            $0.by = 8
        }
        #expect(store.logged.map(\.context.time) == [1_000, 1_001, 2_000])
    }

    @Test func `the store starts with the context for tests`() {
        #expect(TestStore(Tally.State(), of: Tally.self).context == .test)
    }

    @Test func `a reducer with two different results is detected`() {
        let store = TestStore(Drifting.State(), of: Drifting.self)
        store.exhaustivity = .off
        let messages = failures { store.send(.drift) }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("`reduce` gave two results for one action") == true)
    }

    @Test func `a prepare with two different results is detected`() {
        let store = TestStore(Drifting.State(), of: Drifting.self)
        store.exhaustivity = .off
        let messages = failures { store.send(.driftBefore) }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("`prepare` gave two results for one action") == true)
    }
}
