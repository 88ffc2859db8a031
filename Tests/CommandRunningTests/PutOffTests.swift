import CommandRunning
import Records
import Reducing
import StoreTesting
import TestSupport
import Testing

@testable import StoreRuntime

@Suite(.timeLimit(.minutes(5))) struct PutOffTests {
    private let clock = TestClock()
    private let patient = Workshop { errand, ticket throws(CommandFailure) in
        if errand.text == "later", ticket.waits == 0 { throw .later(.seconds(60)) }
        return .done(errand.text)
    }

    /// Passes time in steps that the runner takes to look at its clocks.
    private func pass(_ seconds: Int) async throws {
        let end = clock.now.advanced(by: .seconds(seconds))
        while clock.now < end {
            try await clock.sleeping(1)
            let next = min(clock.dues.first ?? end, end)
            clock.advance(by: clock.now.duration(to: max(next, clock.now)))
        }
    }

    @Test func `a command that is put off is due later, has made no attempt, and keeps nobody's place`() async throws {
        try await withRunner(InMemoryActionLog(), patient, .test(clock, runningMax: 1), clock: clock) { store, runner in
            let start = clock.microseconds
            try await store.run(Errand("later").with { $0.attemptsMax = 1 }, Errand("other"))
            try await store.reaches { $0.done == ["other"] }
            try await becomes { runner.running == 0 }
            let row = try #require(try await store.commands().first).row
            #expect(row.stage == .waiting && row.attempts == 0 && row.waits == 1 && row.due == start + 60_000_000)
            #expect(store.present.sequence == 3)
            try await pass(59)
            try await clock.sleeping(1)
            #expect(patient.calls.count == 2)
            try await pass(1)
            try await store.reaches { $0.done == ["other", "later"] }
            #expect(patient.calls.map(\.ticket.attempt) == [1, 1, 1] && patient.calls.last?.ticket.waits == 1)
        }
    }

    @Test func `a restart waits for the rest, also of what may not be done twice`() async throws {
        let log = InMemoryActionLog()
        try await withRunner(log, patient, .test(clock), clock: clock) { store, _ in
            try await store.run(Errand("later").with { $0.isIdempotent = false })
            try await store.commandsReach { $0.first?.row.waits == 1 }
        }
        clock.advance(by: .seconds(40))
        try await withRunner(log, patient, .test(clock), clock: clock) { store, _ in
            try await pass(19)
            try await clock.sleeping(1)
            #expect(patient.calls.count == 1)
            try await pass(1)
            try await store.reaches { $0.done == ["later"] }
        }
    }

    @Test func `what is put off while the runner stops is put off, not interrupted`() async throws {
        let log = InMemoryActionLog()
        let doors = Doors()
        let slow = Workshop { _, _ throws(CommandFailure) in
            try? await doors.wait("never")
            throw .later(.seconds(60))
        }
        try await withRunner(log, slow, .test(clock), clock: clock) { store, _ in
            try await store.run(Errand("1").with { $0.isIdempotent = false })
            await slow.called(1)
        }
        #expect(try log.outbox().map(\.stage) == [.waiting])
        #expect(try log.outbox().map(\.waits) == [1])
    }

    @Test func `what waits in a group keeps its turn`() async throws {
        try await withRunner(InMemoryActionLog(), patient, .test(clock), clock: clock) { store, _ in
            try await store.run(Errand("later").with { $0.group = "g" }, Errand("2").with { $0.group = "g" }, Errand("3"))
            try await store.reaches { $0.done == ["3"] }
            try await pass(60)
            try await store.reaches { $0.done == ["3", "later", "2"] }
        }
    }

    @Test func `nobody puts a command off for ever`() async throws {
        let never = Workshop { _, _ throws(CommandFailure) in throw .later(.seconds(1)) }
        let quick = QuickClock(clock)
        var options = RunnerOptions.test(clock)
        options.clock = quick.runnerClock
        try await withRunner(InMemoryActionLog(), never, options, clock: clock) { store, _ in
            try await store.run(Errand("1"))
            try await store.reaches { $0.ended == ["1 failed: It was put off 1000 times, and nothing is done."] }
        }
        #expect(never.calls.count == CommandTicket.waitsMax + 1)
    }
}
