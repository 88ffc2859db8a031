import Records
import Reducing
import StoreTesting
import TestSupport
import Testing

@testable import CommandRunning
@testable import StoreRuntime

@Suite(.timeLimit(.minutes(5))) struct AttemptTests {
    private let clock = TestClock()

    @Test func `a failed attempt is made again, each time later, and the last one is the end`() async throws {
        let notes = Notes()
        let workshop = Workshop { _, ticket throws(CommandFailure) in throw CommandFailure("no \(ticket.attempt)") }
        try await withRunner(InMemoryActionLog(), workshop, .test(clock, note: notes.add), clock: clock) { store, _ in
            let id = try await store.run(Errand("1").with { $0.attemptsMax = 4 })[0]
            for attempt in 1...3 {
                try await store.commandsReach { $0.first?.row.attempts == UInt32(attempt) && $0.first?.row.stage == .waiting }
                let row = try #require(try await store.commands().first).row
                #expect(row.reason == "no \(attempt)")
                #expect(row.due == clock.microseconds + [500_000, 1_000_000, 2_000_000][attempt - 1])
                try await advance(to: row.due)
                await workshop.called(attempt + 1)
            }
            try await store.commandsReach { $0.isEmpty }
            #expect(store.present.state.ended == ["1 failed: no 4"])
            #expect(Set(workshop.calls.map(\.ticket.id)) == ["\(store.id)/1/0"])
            #expect(workshop.calls.map(\.ticket.attempt) == [1, 2, 3, 4])
            #expect(id == CommandID(sequence: 1, index: 0))
            #expect(
                notes.events == [
                    .retrying(after: .milliseconds(500)), .retrying(after: .seconds(1)), .retrying(after: .seconds(2)), .failed,
                ])
        }
    }

    /// Moves on to a time, once the alarm for it sleeps.
    private func advance(to due: Int64) async throws {
        try await becomes { clock.dues.contains(where: { $0.microseconds == due }) }
        clock.advance(by: .microseconds(due - clock.microseconds))
    }

    @Test func `the time to the next attempt is spread, and has an end`() {
        let low = RunnerOptions(random: { 0 })
        let high = RunnerOptions(random: { 1 })
        #expect(low.backoff(after: 1, asking: nil) == .milliseconds(500))
        #expect(high.backoff(after: 1, asking: nil) == .seconds(1))
        #expect(high.backoff(after: 4, asking: nil) == .seconds(8))
        #expect(high.backoff(after: .max, asking: nil) == .seconds(300))
        #expect(low.backoff(after: 1, asking: .seconds(40)) == .seconds(40))
        #expect(low.backoff(after: 1, asking: .seconds(1_000_000)) == .seconds(86_400))
    }

    @Test func `a failure that would only come again is the end at once`() async throws {
        let workshop = Workshop { _, _ throws(CommandFailure) in throw CommandFailure("gone", isPermanent: true) }
        try await withRunner(InMemoryActionLog(), workshop, .test(clock), clock: clock) { store, _ in
            try await store.run(Errand("1"))
            try await store.reaches { $0.ended == ["1 failed: gone"] }
            #expect(workshop.calls.count == 1)
        }
    }

    @Test func `an attempt that gives no answer in time is made again, and what comes later is thrown away`() async throws {
        let doors = Doors()
        let notes = Notes()
        let workshop = Workshop { errand, ticket throws(CommandFailure) in
            if ticket.attempt == 2 { return .done("in time") }
            // It comes to its end, however often it is cancelled.
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

    @Test func `an attempt of a kind that may not be repeated and gave no answer is parked as uncertain`() async throws {
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
            #expect(store.status.outboxParked == 1)
        }
    }

    @Test func `a thousand commands, a third failing at first and a tenth silent, all come to an end`() async throws {
        let workshop = Workshop { errand, ticket throws(CommandFailure) in
            guard let number = Int(errand.text) else { return nil }
            if number.isMultiple(of: 10) { try await Doors().wait("never") }
            if number.isMultiple(of: 3), ticket.attempt == 1 { throw CommandFailure("not yet") }
            return .done(errand.text)
        }
        let ticking = QuickClock(clock)
        let options = RunnerOptions(clock: ticking.runnerClock, random: { 0 })
        try await withRunner(InMemoryActionLog(), workshop, options, clock: clock) { store, runner in
            for batch in 0..<10 {
                let errands = (1...100).map { number in
                    Errands.Action.run(
                        Errand("\(batch * 100 + number)").with {
                            $0.isIdempotent = !number.isMultiple(of: 20)
                            $0.seconds = 1
                        })
                }
                _ = try await store.dispatch(Dispatch(errands))
            }
            try await store.reaches { $0.done.count + $0.ended.count == 1_000 }
            let state = store.present.state
            #expect(state.done.count == 900)
            #expect(state.ended.count { $0.contains("failed: There was no answer") } == 50)
            #expect(state.ended.count { $0.contains("parked: uncertain") } == 50)
            #expect(store.status.outbox == 50 && store.status.outboxParked == 50 && store.status.outboxStarted == 0)
            try await becomes { runner.running == 0 }
            #expect(workshop.insideMax <= 16)
            #expect(ticking.sleepers <= 2)
        }
        #expect(ticking.sleepers == 0)
    }
}
