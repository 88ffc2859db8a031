import Chronicle
import ChronicleLog
import ChronicleTesting
import TestSupport
import Testing

@testable import ChronicleStore
@testable import CommandRunning

@Suite(.timeLimit(.minutes(15))) struct AttemptTests {
    private let clock = TestClock()

    @Test func `a failed attempt is retried with growing delays until the last one ends the command`() async throws {
        let notes = Notes()
        let workshop = Workshop { _, ticket throws(CommandFailure) in throw CommandFailure("no \(ticket.attempt)") }
        try await withSimulation(
            Errands.State(), of: Errands.self, on: workshop, runner: RunnerOptions(random: { 0 }, note: notes.add)
        ) { simulation in
            try await simulation.dispatch([.run(Errand("1").with { $0.attemptsMax = 4 })])
            let row = try #require(try await simulation.store.commands().first).row
            #expect(row.stage == .waiting && row.attempts == 1 && row.reason == "no 1")
            #expect(row.due == simulation.clock.microseconds + 500_000)
            try await simulation.advance(by: .seconds(60))
            #expect(
                simulation.attempts.map(\.elapsed) == [.zero, .milliseconds(500), .milliseconds(1_500), .milliseconds(3_500)])
            #expect(simulation.attempts.map(\.ticket.attempt) == [1, 2, 3, 4])
            #expect(Set(simulation.attempts.map(\.ticket.id)) == ["\(simulation.store.id)/1/0"])
            #expect(simulation.state.ended == ["1 failed: no 4"])
            #expect(try await simulation.store.commands().isEmpty)
            #expect(
                notes.events == [
                    .retrying(after: .milliseconds(500)), .retrying(after: .seconds(1)), .retrying(after: .seconds(2)), .failed,
                ])
        }
    }

    /// Advances the clock to a time once the timer for it is set.
    private func advance(to due: Int64) async throws {
        try await becomes { clock.dues.contains(where: { $0.microseconds == due }) }
        clock.advance(by: .microseconds(due - clock.microseconds))
    }

    @Test func `the retry delay has jitter and an upper bound`() {
        let low = RunnerOptions(random: { 0 })
        let high = RunnerOptions(random: { 1 })
        #expect(low.backoff(after: 1, asking: nil) == .milliseconds(500))
        #expect(high.backoff(after: 1, asking: nil) == .seconds(1))
        #expect(high.backoff(after: 4, asking: nil) == .seconds(8))
        #expect(high.backoff(after: .max, asking: nil) == .seconds(300))
        #expect(low.backoff(after: 1, asking: .seconds(40)) == .seconds(40))
        #expect(low.backoff(after: 1, asking: .seconds(1_000_000)) == .seconds(86_400))
    }

    @Test func `a permanent failure ends the command at once`() async throws {
        let workshop = Workshop { _, _ throws(CommandFailure) in throw CommandFailure("gone", isPermanent: true) }
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop) { simulation in
            try await simulation.dispatch([.run(Errand("1"))])
            #expect(simulation.state.ended == ["1 failed: gone"])
            #expect(try await simulation.advance(by: .seconds(86_400)).isEmpty)
        }
    }

    @Test func `an attempt that times out is retried, and its late answer is discarded`() async throws {
        let doors = Doors()
        let notes = Notes()
        let workshop = Workshop { errand, ticket throws(CommandFailure) in
            if ticket.attempt == 2 { return .done("in time") }
            // The attempt completes even if it is cancelled.
            while !Task.isCancelled { await Task.yield() }
            await withCheckedContinuation { $0.resume() }
            return .done("late")
        }
        try await withRunner(InMemoryActionLog(), workshop, .test(clock, note: notes.add), clock: clock) { store, _ in
            try await store.run(Errand("1"))
            await workshop.called(1)
            let due = clock.microseconds + 30_000_000
            try await advance(to: due)
            try await advance(to: due + 500_000)
            try await store.reaches { $0.done == ["in time"] }
            #expect(notes.events.contains(.late))
            #expect(store.present.state.ended.isEmpty)
        }
        doors.open("end")
    }

    @Test func `a timed-out attempt of a command that must not be repeated is parked as uncertain`() async throws {
        let workshop = Workshop { _, _ throws(CommandFailure) in
            try await Doors().wait("never")
            return nil
        }
        try await withRunner(InMemoryActionLog(), workshop, .test(clock), clock: clock) { store, runner in
            try await store.run(Errand("1").with { $0.isIdempotent = false })
            await workshop.called(1)
            try await advance(to: clock.microseconds + 30_000_000)
            try await store.reaches { $0.ended.first?.hasPrefix("1 parked: uncertain") == true }
            try await becomes { runner.running == 0 }
            #expect(workshop.calls.count == 1)
            #expect(store.status.commands.parked == 1)
        }
    }

    @Test func `a thousand commands, a third failing at first and a tenth silent, all end`() async throws {
        let workshop = Workshop { [clock] errand, ticket throws(CommandFailure) in
            guard let number = Int(errand.text) else { return nil }
            if number.isMultiple(of: 10) {
                do { try await clock.sleep(for: .seconds(86_400)) } catch { throw CommandFailure("cancelled") }
            }
            if number.isMultiple(of: 3), ticket.attempt == 1 { throw CommandFailure("not yet") }
            return .done(errand.text)
        }
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop, clock: clock) { simulation in
            for batch in 0..<10 {
                let errands = (1...100).map { number in
                    Errands.Action.run(
                        Errand("\(batch * 100 + number)").with {
                            $0.isIdempotent = !number.isMultiple(of: 20)
                            $0.seconds = 1
                        })
                }
                try await simulation.dispatch(errands)
            }
            try await simulation.advance(by: .seconds(3_600))
            let state = simulation.state
            #expect(state.done.count == 900)
            #expect(state.ended.count { $0.contains("failed: There was no answer") } == 50)
            #expect(state.ended.count { $0.contains("parked: uncertain") } == 50)
            let status = simulation.store.status
            #expect(status.commands.open == 50 && status.commands.parked == 50 && status.commands.started == 0)
            #expect(workshop.insideMax == 16)
        }
        #expect(clock.dues.isEmpty)
    }
}
