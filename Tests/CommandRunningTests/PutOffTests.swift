import Chronicle
import ChronicleLog
import ChronicleTesting
import CommandRunning
import TestSupport
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct PutOffTests {
    private let clock = TestClock()
    private let patient = Workshop { errand, ticket throws(CommandFailure) in
        if errand.text == "later", ticket.waits == 0 { throw .later(.seconds(60)) }
        return .done(errand.text)
    }

    @Test func `a postponed command gets a new due time, counts no attempt and frees its slot`() async throws {
        try await withSimulation(
            Errands.State(), of: Errands.self, on: patient, clock: clock, runner: RunnerOptions(runningMax: 1)
        ) { simulation in
            let start = clock.microseconds
            try await simulation.dispatch([.run(Errand("later").with { $0.attemptsMax = 1 }), .run(Errand("other"))])
            #expect(simulation.state.done == ["other"])
            let row = try #require(try await simulation.store.commands().first).row
            #expect(row.stage == .waiting && row.attempts == 0 && row.waits == 1 && row.due == start + 60_000_000)
            #expect(simulation.store.present.sequence == 3)
            try await simulation.advance(by: .seconds(60))
            #expect(simulation.state.done == ["other", "later"])
            #expect(simulation.attempts.map(\.elapsed) == [.zero, .zero, .seconds(60)])
            #expect(patient.calls.map(\.ticket.attempt) == [1, 1, 1] && patient.calls.last?.ticket.waits == 1)
        }
    }

    @Test func `a restart waits for the remaining time, even for a command that must not be repeated`() async throws {
        let log = InMemoryActionLog()
        try await withSimulation(Errands.State(), of: Errands.self, on: patient, log: log, clock: clock) { simulation in
            try await simulation.dispatch([.run(Errand("later").with { $0.isIdempotent = false })])
        }
        clock.advance(by: .seconds(40))
        try await withSimulation(Errands.State(), of: Errands.self, on: patient, log: log, clock: clock) { simulation in
            try await simulation.advance(by: .seconds(60))
            #expect(simulation.attempts.map(\.elapsed) == [.seconds(20)])
            #expect(simulation.state.done == ["later"])
        }
    }

    @Test func `a command that is postponed while the runner stops is postponed rather than interrupted`() async throws {
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

    @Test func `a postponed command keeps its position in its group`() async throws {
        try await withSimulation(Errands.State(), of: Errands.self, on: patient, clock: clock) { simulation in
            let errands = [Errand("later").with { $0.group = "g" }, Errand("2").with { $0.group = "g" }, Errand("3")]
            try await simulation.dispatch(errands.map { .run($0) })
            #expect(simulation.state.done == ["3"])
            try await simulation.advance(by: .seconds(60))
            #expect(simulation.state.done == ["3", "later", "2"])
        }
    }

    @Test func `a command can be postponed a limited number of times`() async throws {
        let never = Workshop { _, _ throws(CommandFailure) in throw .later(.seconds(1)) }
        try await withSimulation(Errands.State(), of: Errands.self, on: never, clock: clock) { simulation in
            try await simulation.dispatch([.run(Errand("1"))])
            try await simulation.advance(by: .seconds(CommandTicket.waitsMax))
            #expect(simulation.state.ended == ["1 failed: It was postponed 1000 times and never executed."])
        }
        #expect(never.calls.count == CommandTicket.waitsMax + 1)
    }
}
