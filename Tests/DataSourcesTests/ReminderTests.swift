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

/// Reminders in Berlin in virtual time, which starts at 13:00 local time.
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

    @Test func `a reminder is delivered once at its minute of local time, with the current title`() async throws {
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

    @Test func `a missed reminder is delivered once at the next start`() async throws {
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

    @Test func `completing a todo cancels its reminder, and reopening it restores the reminder`() async throws {
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

    // If the clock lags by an hour, the reminder is delivered an hour later; if it is ahead, an hour earlier, and not again
    // once it is correct.
    @Test(arguments: [(-3_600, 12_600), (3_600, 5_400)] as [(Int64, Int64)])
    func `setting the clock moves a reminder, which is delivered once`(ahead: Int64, seconds: Int64) async throws {
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

    @Test func `reminders that are past for a clock set a year ahead are delivered within a minute`() async throws {
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

    @Test func `past reminders are delivered within a minute once a clock that lagged at the start is corrected`() async throws {
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

    @Test func `a reminder that only checks the clock for ten days is delivered once at its time`() async throws {
        let wall = Wall(clock)
        try await withSimulation(
            App.State(), of: App.self, on: target { wall.microseconds }, clock: clock, wall: { wall.microseconds }
        ) { simulation in
            // The clock is a year ahead, and then correct again. The times of records never go back.
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

    @Test func `a reminder that is retried early is delivered once at its time`() async throws {
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

    @Test func `skipping or cancelling the command removes the reminder until the todo gets a new one`() async throws {
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

    @Test func `completing and reopening a todo in one dispatch keeps its reminder`() async throws {
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

    /// Never returns.
    private struct Hanging: ReminderTarget {
        let clock: TestClock

        func remind(_ reminder: Reminder, _ ticket: CommandTicket) async throws(CommandFailure) {
            do { try await clock.sleep(for: .seconds(86_400)) } catch { throw CommandFailure("cancelled") }
        }
    }

    @Test func `hanging reminders use up only their own limit, and further reminders are not attempted`() async throws {
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

    @Test func `a reminder that can't be delivered raises an alert`() async throws {
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
