import Chronicle
import ChronicleTesting
import Testing

@Suite struct `A command in a test store` {
    let there = Tally.Command.fetch(from: "there")

    @Test func `a command is expected, answered with an event, and closed`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        store.expect(there)
        store.expectNoCommands()
        store.receive(.fetched(23)) { $0.count = 23 }
        store.finish()
        #expect(store.logged.map(\.action) == [.fetch(from: "there"), .fetched(23)])
    }

    @Test func `a command that was not expected fails the end of the test`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        let messages = failures { store.finish() }
        #expect(
            messages == [
                """
                At the end 1 command was not expected; add `expect`:

                    Tally.Command.fetch(from: "there")
                """
            ])
    }

    @Test func `a command without an answer fails the end of the test`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        store.send(.fetch(from: "here"))
        store.expect(there, .fetch(from: "here"))
        let messages = failures { store.finish() }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("At the end 2 commands were not answered") == true)
    }

    @Test func `a store that is released without finish fails`() {
        let messages = failures {
            let store = TestStore(Tally.State(), of: Tally.self)
            store.send(.fetch(from: "there"))
        }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("The store was released without `finish()`, and 1 command was not expected") == true)
    }

    @Test func `a failure shows how a command differs from the expected one`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        let messages = failures { store.expect(.fetch(from: "here")) }
        #expect(messages.count == 1)
        #expect(
            messages.first?.contains("- Tally.Command.fetch(from: \"here\")\n    + Tally.Command.fetch(from: \"there\")") == true,
            "\(messages)")
        #expect(failures { store.expectNoCommands() }.count == 1)
        #expect(failures { store.finish() }.count == 1)
    }

    @Test func `expecting a command that was not returned fails`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        #expect(failures { store.expect(there) }.first?.hasPrefix("No command is left, but this was expected:") == true)
    }

    @Test func `commands are expected in the order in which they were returned`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "here"))
        store.send(.fetch(from: "there"))
        let messages = failures { store.expect(there) }
        #expect(messages.count == 1)
        #expect(messages.first?.contains("It was returned, but after:\n\n    Tally.Command.fetch(from: \"here\")") == true)
        store.expect(.fetch(from: "here"))
        store.close(.fetch(from: "here"))
        store.close(there)
        store.finish()
    }

    @Test func `a command can't be answered before it is expected, and not twice`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        let early = failures { store.receive(.fetched(1)) { $0.count = 1 } }
        #expect(early.count == 1)
        #expect(early.first?.hasPrefix("No command awaits an answer. These were returned, but not expected yet:") == true)
        let earlyByName = failures { store.receive(.fetched(1), answering: there) { $0.count = 1 } }
        #expect(earlyByName.first?.contains("It was not expected yet; call `expect` first.") == true)

        store.expect(there)
        store.receive(.fetched(1), answering: there) { $0.count = 1 }
        #expect(failures { store.receive(.fetched(2)) { $0.count = 2 } } == ["No command awaits an answer."])
        let twice = failures { store.receive(.fetched(2), answering: there) { $0.count = 2 } }
        #expect(twice.first?.contains("It is not open.") == true)
        #expect(failures { store.close(there) }.count == 1)
        #expect(store.state.count == 1)
        store.finish()
    }

    @Test func `an answer must name its command if several are waiting`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        store.send(.fetch(from: "there"))
        store.send(.fetch(from: "here"))
        store.expect(there, there, .fetch(from: "here"))
        let messages = failures { store.receive(.fetched(1)) { $0.count = 1 } }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("Several commands await an answer; choose one with `answering:`.") == true)
        store.receive(.fetched(1), answering: .fetch(from: "here")) { $0.count = 1 }
        store.receive(.fetched(2)) { $0.count = 2 }
        store.receive(.fetched(3)) { $0.count = 3 }
        store.finish()
    }

    @Test func `a command whose result is refused ends`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        #expect(failures { store.refuse(.fetched(-1), name: "NegativeAmount", answering: there) }.count == 1)
        store.expect(there)
        store.refuse(.fetched(-1), name: "NegativeAmount", answering: there)
        store.finish()
        #expect(store.state.count == 0)
    }

    @Test func `the state after an answer is checked as well`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        store.expect(there)
        #expect(failures { store.receive(.fetched(1)) { $0.count = 2 } }.count == 1)
        store.finish()
    }

    @Test func `a command for the client ends when it is expected`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.show)
        store.expect(.open(page: "tally"))
        store.finish()
    }
}
