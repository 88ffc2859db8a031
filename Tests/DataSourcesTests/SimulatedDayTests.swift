import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleTesting
import CommandRunning
import DataSources
import FeatureAlerts
import FeatureApp
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import Synchronization
import Testing

/// The whole app with its bundled sources in virtual time.
@Suite(.timeLimit(.minutes(15))) struct SimulatedDayTests {
    /// Every hour a user loads the todos, turns a page, lists repositories, presses a star, and starts a flow without answering it.
    private func day(_ simulation: Simulation<App>) async throws {
        for hour in 0..<24 {
            try await simulation.dispatch([.todos(.load), .repositories(.reload)])
            try await simulation.dispatch([.posts(hour.isMultiple(of: 3) ? .fetch : .more)])
            try await simulation.dispatch([.stars(.press("swift"))])
            try await simulation.dispatch([.flows(.start(kind: "welcome", seconds: 1_800))])
            try await simulation.advance(by: .seconds(3_600))
        }
    }

    @Test func `a simulated day has the results of all sources at their seconds`() async throws {
        try await withSimulation(App.State(), of: App.self, on: AppTarget(Sources())) { simulation in
            try await day(simulation)
            #expect(simulation.clock.microseconds - Context.test.time == 86_400_000_000)
            #expect(simulation.state.posts.items.count == 26)
            #expect(simulation.state.repositories.items.count == 8)
            #expect(simulation.state.alerts.items.count == 0)
            #expect(simulation.state.flows.items.count == 0)
            #expect(try await simulation.store.commands().isEmpty)
            let timers = simulation.attempts.filter { $0.command.name == "flows.timeOut" }
            let hours = (0..<24).map { Duration.seconds($0 * 3_600) }
            #expect(timers.map(\.elapsed) == hours.map { $0 + .seconds(1_800) })
            // A slow source is called, postpones its command, and is called again.
            let loads = simulation.attempts.filter { $0.command == .todos(.load) }
            #expect(loads.map(\.elapsed) == hours.flatMap { [$0, $0 + .seconds(2)] })
        }
    }

    @Test func `two simulations of a day have the same log`() async throws {
        var logs: [[String]] = []
        for _ in 0..<2 {
            try await withSimulation(App.State(), of: App.self, on: AppTarget(Sources())) { simulation in
                try await day(simulation)
                logs.append(try await simulation.records().map { "\($0)" })
            }
        }
        #expect(logs[0].count == 240)
        #expect(logs[0] == logs[1])
    }

    @Test func `a source that fails twice is called again after the backoff, and its third answer is used`()
        async throws
    {
        var sources = Sources()
        sources.todos = Stubborn()
        try await withSimulation(
            App.State(), of: App.self, on: AppTarget(sources),
            runner: RunnerOptions(backoffMin: .seconds(10), random: { 0.5 })
        ) { simulation in
            try await simulation.dispatch([.todos(.load)])
            let attempts = try await simulation.advance(by: .seconds(3_600))
            #expect(attempts.map(\.elapsed) == [.milliseconds(7_500), .milliseconds(22_500)])
            #expect(simulation.state.todos.items.elements.map(\.title) == ["Milk"])
        }
    }

    @Test(arguments: ["uncertain: nobody knows.", "It was requested by the end of a command, 33 times in a row."])
    func `a parked command raises one alert`(reason: String) async throws {
        try await withSimulation(App.State(), of: App.self, on: AppTarget(Sources())) { simulation in
            let answer = try await simulation.dispatch([.stars(.press("swift"))])
            try await simulation.submit(.park(CommandID(sequence: answer.sequences.lowerBound, index: 0), reason: reason))
            #expect(
                simulation.state.alerts.items.elements.map(\.text) == ["stars.star waits for you to retry or skip it: \(reason)"])
        }
    }

    /// Fails at its first two attempts.
    private struct Stubborn: TodoSource {
        func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String] {
            guard ticket.attempt > 2 else { throw CommandFailure("The disk is asleep.") }
            return ["Milk"]
        }
    }

    @Test func `targets that end at the same time run one after the other in the order of their commands`() async throws {
        let clock = TestClock()
        let stars = SlowStars(clock: clock)
        var sources = Sources()
        sources.stars = stars
        try await withSimulation(App.State(), of: App.self, on: AppTarget(sources), clock: clock) { simulation in
            let ids = (1...9).map { "s\($0)" }
            try await simulation.dispatch(ids.map { .stars(.press($0)) })
            #expect(stars.inside == 9 && stars.done.isEmpty)
            #expect(try await simulation.advance(by: .seconds(4)).isEmpty)
            #expect(stars.done.isEmpty)
            try await simulation.advance(by: .seconds(1))
            #expect(stars.done == ids && stars.workingMax == 1)
        }
    }

    /// Sleeps for five seconds, then works without the clock.
    private final class SlowStars: StarTarget {
        private struct Content {
            var inside = 0
            var working = 0
            var workingMax = 0
            var done: [String] = []
        }

        private let clock: TestClock
        private let bench = Workbench()
        private let content = Mutex(Content())

        init(clock: TestClock) { self.clock = clock }

        var inside: Int { content.withLock { $0.inside } }
        var workingMax: Int { content.withLock { $0.workingMax } }
        var done: [String] { content.withLock { $0.done } }

        func set(_ id: String, starred: Bool, _ ticket: CommandTicket) async throws(CommandFailure) {
            content.withLock { $0.inside += 1 }
            do { try await clock.sleep(for: .seconds(5)) } catch { throw CommandFailure("cancelled") }
            content.withLock { content in
                content.working += 1
                content.workingMax = max(content.workingMax, content.working)
            }
            await bench.work()
            content.withLock { content in
                content.working -= 1
                content.done.append(id)
            }
        }
    }

    /// Work on a separate thread that the simulation does not see.
    private actor Workbench {
        private let thread = SerialThread(name: "workbench")
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
        deinit { thread.end() }

        func work() async {
            for _ in 0..<100 { await Task.yield() }
        }
    }
}
