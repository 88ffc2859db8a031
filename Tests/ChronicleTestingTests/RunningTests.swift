import Chronicle
import ChronicleTesting
import Testing

/// A target that takes two seconds and counts elsewhere.
private struct Elsewhere: CommandTarget {
    let clock: TestClock

    func perform(_ command: Tally.Command, _ ticket: CommandTicket) async throws(CommandFailure) -> Tally.Action? {
        guard case .fetch(let place) = command else { return nil }
        for _ in 1...2 {
            do { try await clock.sleep(for: .seconds(1)) } catch { throw CommandFailure("cancelled") }
        }
        if place == "nowhere" { throw CommandFailure("There is nothing \(place).") }
        return .fetched(Int64(ticket.attempt))
    }
}

@Suite(.timeLimit(.minutes(15))) struct `A command that a test store runs` {
    private let clock = TestClock()

    @Test func `a command returns its event after its time`() async {
        let store = TestStore(Tally.State(), of: Tally.self, clock: clock)
        store.send(.fetch(from: "there"))
        store.expect(.fetch(from: "there"))
        await store.run(on: Elsewhere(clock: clock), attempt: 3, taking: .seconds(2)) { $0.count = 3 }
        #expect(store.logged.last?.context.time == Context.test.time + 2_000_000)
        store.finish()
    }

    @Test func `a command takes the time for which its target postpones it`() async {
        struct Later: CommandTarget {
            func perform(_ command: Tally.Command, _ ticket: CommandTicket) async throws(CommandFailure) -> Tally.Action? {
                if ticket.waits < 3 { throw .later(.seconds(20)) }
                return .fetched(Int64(ticket.waits))
            }
        }
        let store = TestStore(Tally.State(), of: Tally.self, clock: clock)
        store.send(.fetch(from: "there"))
        store.expect(.fetch(from: "there"))
        await store.run(on: Later(), taking: .seconds(60)) { $0.count = 3 }
        store.finish()
    }

    @Test func `a command that takes another time fails the test`() async {
        let store = TestStore(Tally.State(), of: Tally.self, clock: clock)
        store.send(.fetch(from: "there"))
        store.expect(.fetch(from: "there"))
        let messages = await failures { await store.run(on: Elsewhere(clock: clock), taking: .seconds(1)) { $0.count = 1 } }
        #expect(messages.first?.hasPrefix("It took 2.0 seconds instead of 1.0 seconds") == true)
        store.finish()
    }

    @Test func `a failure of the target is that of the last attempt`() async {
        let store = TestStore(Tally.State(), of: Tally.self, clock: clock)
        store.send(.fetch(from: "nowhere"))
        store.expect(.fetch(from: "nowhere"))
        await store.run(on: Elsewhere(clock: clock))
        store.send(.countAll) { $0.isCounting = true }
        store.expect(.count)
        await store.run(on: Elsewhere(clock: clock), taking: .zero)
        store.finish()
    }

    @Test func `only an open command can be run`() async {
        let store = TestStore(Tally.State(), of: Tally.self, clock: clock)
        #expect(await failures { await store.run(.count, on: Elsewhere(clock: clock)) }.count == 1)
        store.finish()
    }
}
