import Chronicle
import ChronicleLog
import ChronicleTesting
import Synchronization
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct TimerTests {
    private let clock = TestClock()
    private let workshop = Workshop()
    private let tea = Errand("tea").with { $0.delay = 180 }

    /// A wall clock that a test sets while monotonic time continues.
    private final class Wall: Sendable {
        private let clock: TestClock
        private let ahead = Mutex<Int64>(0)
        init(_ clock: TestClock) { self.clock = clock }
        var microseconds: Int64 { clock.microseconds + ahead.withLock { $0 } }
        func set(ahead seconds: Int64) { ahead.withLock { $0 = seconds * 1_000_000 } }
    }

    @Test func `a delayed command runs when it is due, not before`() async throws {
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop, clock: clock) { simulation in
            try await simulation.dispatch([.run(tea)])
            #expect(try await simulation.advance(by: .seconds(180) - .microseconds(1)).isEmpty)
            try await simulation.advance(by: .microseconds(1))
            #expect(simulation.attempts.map(\.elapsed) == [.seconds(180)])
            #expect(simulation.state.done == ["tea"])
        }
    }

    @Test(arguments: [-3_600, 10 * 365 * 86_400, 0] as [Int64])
    func `setting the wall clock does not change when a command runs`(ahead: Int64) async throws {
        let wall = Wall(clock)
        try await withSimulation(
            Errands.State(), of: Errands.self, on: workshop, clock: clock, wall: { wall.microseconds }
        ) { simulation in
            try await simulation.dispatch([.run(tea)])
            try await simulation.advance(by: .seconds(60))
            wall.set(ahead: ahead)
            try await simulation.advance(by: .seconds(1_000))
            #expect(simulation.attempts.map(\.elapsed) == [.seconds(180)])
        }
    }

    @Test func `a command that came due while the daemon was stopped runs once at the start`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log, clock: clock) { store in try await store.run(tea) }
        let due = clock.microseconds + 180_000_000
        clock.advance(by: .seconds(1_000))
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop, log: log, clock: clock) { simulation in
            #expect(simulation.state.done == ["tea"])
            let end = try #require(try await simulation.records().last).header
            #expect(end.due == due)
            #expect(end.time >= due + 820_000_000)
        }
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop, log: log, clock: clock) { simulation in
            try await simulation.advance(by: .seconds(1_000))
            #expect(simulation.attempts.isEmpty)
        }
        #expect(workshop.calls.count == 1)
    }

    @Test func `a start waits for the remaining delay`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log, clock: clock) { store in try await store.run(tea) }
        clock.advance(by: .seconds(100))
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop, log: log, clock: clock) { simulation in
            try await simulation.advance(by: .seconds(1_000))
            #expect(simulation.attempts.map(\.elapsed) == [.seconds(80)])
        }
    }

    @Test func `a start under a clock that was set back waits no longer than the whole delay`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log, clock: clock) { store in try await store.run(tea) }
        let wall = Wall(clock)
        wall.set(ahead: -3_600)
        try await withSimulation(
            Errands.State(), of: Errands.self, on: workshop, log: log, clock: clock, wall: { wall.microseconds }
        ) { simulation in
            try await simulation.advance(by: .seconds(1_000))
            #expect(simulation.attempts.map(\.elapsed) == [.seconds(180)])
        }
    }

    @Test func `a person can retry a delayed command at once`() async throws {
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop, clock: clock) { simulation in
            let answer = try await simulation.dispatch([.run(tea)])
            try await simulation.submit(.retry(CommandID(sequence: answer.sequences.lowerBound, index: 0), by: 1))
            #expect(simulation.state.done == ["tea"])
        }
    }

    /// Commands that request each other.
    ///
    /// The delayed one is a timer.
    @Test(arguments: [["tick"], ["check", "tick"], ["tick", "check", "look"]])
    func `a timer that schedules itself again runs for years, each round in its own step`(names: [String]) async throws {
        let errands = names.map { name in Errand(name).with { $0.delay = name == "tick" ? 3_600 : 0 } }
        let workshop = Workshop { errand, _ throws(CommandFailure) in
            let index = names.firstIndex(of: errand.text) ?? 0
            return .again(errands[(index + 1) % errands.count])
        }
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop, clock: clock) { simulation in
            try await simulation.dispatch([.run(errands[0])])
            try await simulation.advance(by: .seconds(150 * 3_600))
            #expect(workshop.calls.count { $0.text == "tick" } == 150)
            #expect(simulation.state.ended.isEmpty)
            #expect(try await simulation.store.commands().map(\.row.stage) == [.waiting])
            let ends = try await simulation.records().map(\.header).filter { $0.kind == .end }
            #expect(ends.count { $0.step == $0.sequence } == 150)
        }
    }

    @Test func `timers that exceed the rate limit of commands are parked once`() async throws {
        let errand = Errand("tick").with { $0.delay = 1 }
        let workshop = Workshop { errand, _ throws(CommandFailure) in .again(errand) }
        try await withSimulation(
            Errands.State(), of: Errands.self, on: workshop, clock: clock,
            store: StoreOptions(freeBytesMin: 0, commandsPerMinuteMax: 5)
        ) { simulation in
            try await simulation.dispatch([.run(errand)])
            try await simulation.advance(by: .seconds(3_600))
            #expect(workshop.calls.count < 10)
            #expect(simulation.state.ended.count == 1)
            #expect(simulation.state.ended.first?.hasPrefix("tick parked: ") == true)
        }
    }
}
