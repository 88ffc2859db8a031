import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleTesting
import DataSources
import Dates
import FeatureAlerts
import FeatureApp
import FeatureTodos
import Synchronization
import TestSupport
import Testing

/// Reminders in Berlin, in virtual time: it begins at 13:00 on its clocks.
@Suite(.timeLimit(.minutes(15))) struct ReminderTests {
    private let clock = TestClock()
    private let given = Given()
    private let call = App.Action.todos(
        .add([Todo(title: "Call Anna", due: FeatureTodos.Due("2026-11-20"), remind: FeatureTodos.Due("2026-11-20T15:30"))]))

    /// Records the delivered reminders.
    private final class Given: ReminderTarget {
        private let all = Mutex<[String]>([])
        var titles: [String] { all.withLock { $0 } }

        func remind(_ reminder: Reminder, _ ticket: CommandTicket) async throws(CommandFailure) {
            all.withLock { $0.append("\(reminder.id) \(reminder.title) \(reminder.due)") }
        }
    }

    /// A wall clock that a test sets while monotonic time continues.
    private final class Wall: Sendable {
        private let clock: TestClock
        private let ahead = Mutex<Int64>(0)
        init(_ clock: TestClock) { self.clock = clock }
        var microseconds: Int64 { clock.microseconds + ahead.withLock { $0 } }
        func set(ahead seconds: Int64) { ahead.withLock { $0 = seconds * 1_000_000 } }
    }

    private func target(_ now: @escaping @Sendable () -> Int64) -> AppTarget {
        var sources = Sources()
        sources.reminders = given
        sources.clock = LocalClock(zone: .berlin, now: now)
        return AppTarget(sources)
    }

    @Test func `it is given at its minute on the clocks of the place, once, and with the title of then`() async throws {
        let clock = self.clock
        try await withSimulation(App.State(), of: App.self, on: target { clock.microseconds }, clock: clock) { simulation in
            try await simulation.dispatch([call])
            try await simulation.dispatch([.todos(.edit(1, TodoChanges(title: "Call Ann")))])
            try await simulation.advance(by: .seconds(9_000) - .microseconds(1))
            #expect(given.titles == [])
            try await simulation.advance(by: .microseconds(1))
            #expect(given.titles == ["1 Call Ann 2026-11-20"])
            #expect(simulation.state.todos.items[1]?.reminded == FeatureTodos.Due("2026-11-20T15:30"))
            #expect(try await simulation.store.commands().isEmpty)
            try await simulation.advance(by: .seconds(2 * 86_400))
            #expect(given.titles.count == 1)
        }
    }

    @Test func `what was missed is given at the next start, once`() async throws {
        let clock = self.clock
        let log = InMemoryActionLog(epoch: 1, storeID: "00000000000000000000000000000000")
        for start in 0..<3 {
            try await withSimulation(
                App.State(), of: App.self, on: target { clock.microseconds }, log: log, clock: clock
            ) { simulation in
                if start == 0 { try await simulation.dispatch([call]) }
                #expect(given.titles.count == (start == 0 ? 0 : 1), "\(start)")
            }
            clock.advance(by: .seconds(2 * 86_400))
        }
    }

    @Test func `who completes it is reminded of nothing, who opens it again is`() async throws {
        let clock = self.clock
        try await withSimulation(App.State(), of: App.self, on: target { clock.microseconds }, clock: clock) { simulation in
            try await simulation.dispatch([call])
            try await simulation.dispatch([.todos(.complete(1))])
            #expect(try await simulation.store.commands().isEmpty)
            try await simulation.advance(by: .seconds(3_600))
            try await simulation.dispatch([.todos(.reopen(1))])
            #expect(given.titles == [])
            try await simulation.advance(by: .seconds(5_400))
            #expect(given.titles == ["1 Call Anna 2026-11-20"])
        }
    }

    // An hour back it is given an hour later; an hour ahead an hour earlier, and not again when the clock is right.
    @Test(arguments: [(-3_600, 12_600), (3_600, 5_400)] as [(Int64, Int64)])
    func `a clock that is set moves it, and gives it once`(ahead: Int64, seconds: Int64) async throws {
        let wall = Wall(clock)
        try await withSimulation(
            App.State(), of: App.self, on: target { wall.microseconds }, clock: clock, wall: { wall.microseconds }
        ) { simulation in
            try await simulation.dispatch([call])
            try await simulation.advance(by: .seconds(1_800))
            wall.set(ahead: ahead)
            try await simulation.advance(by: .seconds(seconds - 1_800) - .microseconds(1))
            #expect(given.titles == [])
            try await simulation.advance(by: .microseconds(1))
            #expect(given.titles.count == 1)
            wall.set(ahead: 0)
            try await simulation.advance(by: .seconds(2 * 86_400))
            #expect(given.titles.count == 1)
        }
    }

    private func todo(_ title: String, remind: String) -> App.Action {
        .todos(.add([Todo(title: title, remind: FeatureTodos.Due(remind))]))
    }

    @Test func `a clock that is set a year ahead gives within a minute what is past for it`() async throws {
        let wall = Wall(clock)
        try await withSimulation(
            App.State(), of: App.self, on: target { wall.microseconds }, clock: clock, wall: { wall.microseconds }
        ) { simulation in
            try await simulation.dispatch([todo("Call Anna", remind: "2027-03-01"), todo("Call Bert", remind: "2027-03-02")])
            wall.set(ahead: 365 * 86_400)
            try await simulation.advance(by: .seconds(60))
            #expect(given.titles == ["1 Call Anna ", "2 Call Bert "])
        }
    }

    @Test func `a clock that is behind at a start and is put right gives within a minute what is past`() async throws {
        let (wall, log) = (Wall(clock), InMemoryActionLog(epoch: 1, storeID: "00000000000000000000000000000000"))
        let target = target { wall.microseconds }
        try await withSimulation(
            App.State(), of: App.self, on: target, log: log, clock: clock, wall: { wall.microseconds }
        ) { simulation in
            try await simulation.dispatch([todo("Call Anna", remind: "2026-11-22T13:00")])
        }
        clock.advance(by: .seconds(2 * 86_400 + 3_600))
        wall.set(ahead: -30 * 86_400)
        try await withSimulation(
            App.State(), of: App.self, on: target, log: log, clock: clock, wall: { wall.microseconds }
        ) { simulation in
            try await simulation.advance(by: .seconds(90))
            #expect(given.titles == [])
            wall.set(ahead: 0)
            try await simulation.advance(by: .seconds(60))
            #expect(given.titles == ["1 Call Anna "])
        }
    }

    @Test func `one that waits by looks at the clock alone, for ten days, is given at its time, once`() async throws {
        let wall = Wall(clock)
        try await withSimulation(
            App.State(), of: App.self, on: target { wall.microseconds }, clock: clock, wall: { wall.microseconds }
        ) { simulation in
            // The clock stands a year ahead, and is right again; the times of records never go back.
            wall.set(ahead: 366 * 86_400)
            try await simulation.dispatch([.todos(.add([Todo(title: "Buy the milk")]))])
            wall.set(ahead: 0)
            let far = Todo(title: "Call Anna", remind: FeatureTodos.Due("2026-11-30T09:00"))
            try await simulation.dispatch([.todos(.add([far]))])
            let asked = try await simulation.store.commands().map(\.row)
            #expect(asked.map(\.due) == [0])
            try await simulation.advance(by: .seconds(10 * 86_400 - 4 * 3_600) - .microseconds(1))
            #expect(given.titles == [] && simulation.attempts.isEmpty)
            // A check changes no row.
            #expect(try await simulation.store.commands().map(\.row) == asked)
            try await simulation.advance(by: .microseconds(1))
            #expect(given.titles == ["2 Call Anna "] && simulation.attempts.map(\.ticket.attempt) == [1])
            try await simulation.advance(by: .seconds(2 * 86_400))
            #expect(given.titles.count == 1)
        }
    }

    @Test func `one that is retried before its time is given at its time, once`() async throws {
        let clock = self.clock
        try await withSimulation(App.State(), of: App.self, on: target { clock.microseconds }, clock: clock) { simulation in
            try await simulation.dispatch([
                .todos(.add([Todo(title: "Call Anna", remind: FeatureTodos.Due("2026-11-23T13:00"))]))
            ])
            for _ in 1...3 {
                let id = try #require(try await simulation.store.commands().first).row.id
                try await simulation.submit(.retry(id, by: 0))
                try await simulation.advance(by: .seconds(3_600))
            }
            let row = try #require(try await simulation.store.commands().first).row
            #expect(row.stage == .waiting && row.attempts == 0 && row.waits == 0)
            try await simulation.advance(by: .seconds(3 * 86_400 - 3 * 3_600) - .microseconds(1))
            #expect(given.titles == [] && simulation.attempts.isEmpty)
            try await simulation.advance(by: .microseconds(1))
            #expect(given.titles == ["1 Call Anna "])
            try await simulation.advance(by: .seconds(86_400))
            #expect(given.titles.count == 1)
        }
    }

    @Test func `who skips or cancels its command has no reminder, until the todo is given one again`() async throws {
        let clock = self.clock
        try await withSimulation(App.State(), of: App.self, on: target { clock.microseconds }, clock: clock) { simulation in
            try await simulation.dispatch([call])
            for isSkipped in [true, false] {
                let open = try await simulation.store.commands()
                let id = try #require(open.first?.id)
                try await simulation.submit(isSkipped ? .skip(id, by: 0) : .cancel(id, by: 0))
                #expect(try await simulation.store.commands().isEmpty)
                #expect(simulation.state.todos.items[1]?.remind == nil)
                let again = FeatureTodos.Due("2026-11-20T15:30")
                try await simulation.dispatch([.todos(.edit(1, TodoChanges(remind: again.map { .set($0) })))])
            }
            try await simulation.advance(by: .seconds(9_000))
            #expect(given.titles == ["1 Call Anna 2026-11-20"])
        }
    }

    @Test func `what is done and opened again in one dispatch keeps its reminder`() async throws {
        let clock = self.clock
        try await withSimulation(App.State(), of: App.self, on: target { clock.microseconds }, clock: clock) { simulation in
            try await simulation.dispatch([call])
            try await simulation.dispatch([.todos(.complete(1)), .todos(.reopen(1))])
            #expect(simulation.state.todos.items[1]?.remind == FeatureTodos.Due("2026-11-20T15:30"))
            #expect(try await simulation.store.commands().count == 1)
            try await simulation.advance(by: .seconds(9_000))
            #expect(given.titles == ["1 Call Anna 2026-11-20"])
        }
    }

    /// Gives no reminder, and says nothing.
    private struct Hanging: ReminderTarget {
        let clock: TestClock

        func remind(_ reminder: Reminder, _ ticket: CommandTicket) async throws(CommandFailure) {
            do { try await clock.sleep(for: .seconds(86_400)) } catch { throw CommandFailure("cancelled") }
        }
    }

    @Test func `while all that can be given at once hang, others are done and the rest is not tried`() async throws {
        var sources = Sources()
        let clock = self.clock
        sources.reminders = Hanging(clock: clock)
        sources.todos = TodoFile(path: "/dev/null/none")
        sources.clock = LocalClock(zone: .berlin) { clock.microseconds }
        try await withSimulation(App.State(), of: App.self, on: AppTarget(sources), clock: clock) { simulation in
            let missed = (1...20).map { Todo(title: "Call \($0)", remind: FeatureTodos.Due("2026-11-20T12:00")) }
            try await simulation.dispatch([.todos(.add(missed))])
            try await simulation.dispatch([.todos(.load)])
            #expect(!simulation.state.todos.loading)
            let rows = try await simulation.store.commands().map(\.row)
            #expect(rows.map(\.attempts).sorted() == [UInt32](repeating: 0, count: 12) + [UInt32](repeating: 1, count: 8))
            #expect(rows.allSatisfy { $0.waits == 0 })
        }
    }

    private struct Failing: ReminderTarget {
        func remind(_ reminder: Reminder, _ ticket: CommandTicket) async throws(CommandFailure) {
            throw CommandFailure("There is no screen.", isPermanent: true)
        }
    }

    @Test func `where nobody can be reminded an alert says so`() async throws {
        var sources = Sources()
        let clock = self.clock
        sources.reminders = Failing()
        sources.clock = LocalClock(zone: .berlin) { clock.microseconds }
        try await withSimulation(App.State(), of: App.self, on: AppTarget(sources), clock: clock) { simulation in
            try await simulation.dispatch([call])
            try await simulation.advance(by: .seconds(86_400))
            #expect(simulation.state.alerts.items.count == 1)
            #expect(simulation.state.todos.items[1]?.reminded == FeatureTodos.Due("2026-11-20T15:30"))
        }
    }
}
