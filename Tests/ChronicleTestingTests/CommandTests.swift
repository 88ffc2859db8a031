import Chronicle
import ChronicleTesting
import Testing

@Suite struct `A command in a test store` {
    let there = Tally.Command.fetch(from: "there")

    @Test func `is expected, answered with a fact, and done`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        store.expect(there)
        store.expectNoCommands()
        store.receive(.fetched(23)) { $0.count = 23 }
        store.finish()
        #expect(store.logged.map(\.action) == [.fetch(from: "there"), .fetched(23)])
    }

    @Test func `fails the end when nobody expected it`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        let messages = failures { store.finish() }
        #expect(
            messages == [
                """
                At the end 1 command was not expected; say so with `expect`:

                    Tally.Command.fetch(from: "there")
                """
            ])
    }

    @Test func `fails the end when nothing answered it`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        store.send(.fetch(from: "here"))
        store.expect(there, .fetch(from: "here"))
        let messages = failures { store.finish() }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("At the end 2 commands were not answered") == true)
    }

    @Test func `fails a store that is let go without its end`() {
        let messages = failures {
            let store = TestStore(Tally.State(), of: Tally.self)
            store.send(.fetch(from: "there"))
        }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("The store was let go without `finish()`, and 1 command was not expected") == true)
    }

    @Test func `shows how it differs from the one expected`() {
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

    @Test func `fails when none was returned`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        #expect(failures { store.expect(there) }.first?.hasPrefix("No command is left, but this was expected:") == true)
    }

    @Test func `is expected in the order in which it was returned`() {
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

    @Test func `cannot be answered before it is expected, nor twice`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        let early = failures { store.receive(.fetched(1)) { $0.count = 1 } }
        #expect(early.count == 1)
        #expect(early.first?.hasPrefix("No command awaits an answer. These were returned, but not expected yet:") == true)
        let earlyByName = failures { store.receive(.fetched(1), answering: there) { $0.count = 1 } }
        #expect(earlyByName.first?.contains("It was not expected yet; say so with `expect` first.") == true)

        store.expect(there)
        store.receive(.fetched(1), answering: there) { $0.count = 1 }
        #expect(failures { store.receive(.fetched(2)) { $0.count = 2 } } == ["No command awaits an answer."])
        let twice = failures { store.receive(.fetched(2), answering: there) { $0.count = 2 } }
        #expect(twice.first?.contains("It is not open.") == true)
        #expect(failures { store.close(there) }.count == 1)
        #expect(store.state.count == 1)
        store.finish()
    }

    @Test func `must be named in its answer where several await one`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        store.send(.fetch(from: "there"))
        store.send(.fetch(from: "here"))
        store.expect(there, there, .fetch(from: "here"))
        let messages = failures { store.receive(.fetched(1)) { $0.count = 1 } }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("Several commands await an answer; say which with `answering:`.") == true)
        store.receive(.fetched(1), answering: .fetch(from: "here")) { $0.count = 1 }
        store.receive(.fetched(2)) { $0.count = 2 }
        store.receive(.fetched(3)) { $0.count = 3 }
        store.finish()
    }

    @Test func `ends when its result is refused`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        #expect(failures { store.refuse(.fetched(-1), name: "NegativeAmount", answering: there) }.count == 1)
        store.expect(there)
        store.refuse(.fetched(-1), name: "NegativeAmount", answering: there)
        store.finish()
        #expect(store.state.count == 0)
    }

    @Test func `checks the state after its answer too`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.fetch(from: "there"))
        store.expect(there)
        #expect(failures { store.receive(.fetched(1)) { $0.count = 2 } }.count == 1)
        store.finish()
    }

    @Test func `for the client that asked has ended when it was expected`() {
        let store = TestStore(Tally.State(), of: Tally.self)
        store.send(.show)
        store.expect(.open(page: "tally"))
        store.finish()
    }
}
