import CommandRunning
import Records
import Reducing
import StoreTesting
import Synchronization
import Testing

@testable import StoreRuntime

@Suite(.timeLimit(.minutes(5))) struct TimerTests {
    private let clock = TestClock()
    private let workshop = Workshop()
    private let tea = Errand("tea").with { $0.delay = 180 }

    /// A wall clock that somebody sets, while time goes on as it does.
    private final class Wall: Sendable {
        private let clock: TestClock
        private let ahead = Mutex<Int64>(0)
        init(_ clock: TestClock) { self.clock = clock }
        var microseconds: Int64 { clock.microseconds + ahead.withLock { $0 } }
        func set(ahead seconds: Int64) { ahead.withLock { $0 = seconds * 1_000_000 } }
    }

    /// Passes time in steps that the runner takes to look at its clocks.
    private func pass(_ duration: Duration) async throws {
        let end = clock.now.advanced(by: duration)
        while clock.now < end {
            try await clock.sleeping(1)
            let next = min(clock.dues.first ?? end, end)
            clock.advance(by: clock.now.duration(to: max(next, clock.now)))
        }
    }

    @Test func `a command with a delay runs when it is due, and not before`() async throws {
        try await withRunner(InMemoryActionLog(), workshop, .test(clock), clock: clock) { store, _ in
            let start = clock.microseconds
            try await store.run(tea)
            try await pass(.seconds(179))
            try await clock.sleeping(1)
            #expect(workshop.calls.isEmpty)
            try await pass(.seconds(1))
            try await store.reaches { $0.done == ["tea"] }
            #expect(clock.microseconds == start + 180_000_000)
        }
    }

    @Test(arguments: [-3_600, 10 * 365 * 86_400, 0] as [Int64])
    func `a clock that is set neither hastens nor delays it`(ahead: Int64) async throws {
        let wall = Wall(clock)
        let options = RunnerOptions.test(clock, wall: { wall.microseconds })
        try await withRunner(InMemoryActionLog(), workshop, options, clock: clock) { store, _ in
            let start = clock.microseconds
            try await store.run(tea)
            try await pass(.seconds(60))
            wall.set(ahead: ahead)
            try await pass(.seconds(119))
            try await clock.sleeping(1)
            #expect(workshop.calls.isEmpty)
            try await pass(.seconds(1))
            try await store.reaches { $0.done == ["tea"] }
            #expect(clock.microseconds == start + 180_000_000)
        }
    }

    @Test func `what came due while nobody was there runs once, at the start`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log, clock: clock) { store in try await store.run(tea) }
        let due = clock.microseconds + 180_000_000
        clock.advance(by: .seconds(1_000))
        try await withRunner(log, workshop, .test(clock), clock: clock) { store, _ in
            try await store.reaches { $0.done == ["tea"] }
            let end = try #require(try await store.allRecords().last).header
            #expect(end.due == due)
            #expect(end.time >= due + 820_000_000)
        }
        try await withRunner(log, workshop, .test(clock), clock: clock) { store, _ in await store.probe() }
        #expect(workshop.calls.count == 1)
    }

    @Test func `after a start the rest of the time is waited for`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log, clock: clock) { store in try await store.run(tea) }
        clock.advance(by: .seconds(100))
        try await withRunner(log, workshop, .test(clock), clock: clock) { store, _ in
            try await pass(.seconds(79))
            try await clock.sleeping(1)
            #expect(workshop.calls.isEmpty)
            try await pass(.seconds(1))
            try await store.reaches { $0.done == ["tea"] }
        }
    }

    @Test func `after a start under a clock that was set back it waits no longer than it ever had to`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log, clock: clock) { store in try await store.run(tea) }
        let wall = Wall(clock)
        wall.set(ahead: -3_600)
        let start = clock.microseconds
        try await withRunner(log, workshop, .test(clock, wall: { wall.microseconds }), clock: clock) { store, _ in
            try await pass(.seconds(180))
            try await store.reaches { $0.done == ["tea"] }
            #expect(clock.microseconds == start + 180_000_000)
        }
    }

    @Test func `a person who doesn't want to wait retries it at once`() async throws {
        try await withRunner(InMemoryActionLog(), workshop, .test(clock), clock: clock) { store, _ in
            let id = try await store.run(tea)[0]
            try await store.submit(.retry(id, by: 1))
            try await store.reaches { $0.done == ["tea"] }
        }
    }
}
