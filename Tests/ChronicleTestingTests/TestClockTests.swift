import Chronicle
import ChronicleTesting
import Testing

/// The results of tasks on the main actor.
@MainActor private final class Told {
    var order: [Int] = []

    func note(_ place: Int, after duration: Duration, on clock: TestClock) async throws {
        try await clock.sleep(until: clock.now.advanced(by: duration))
        order.append(place)
    }
}

@Suite(.timeLimit(.minutes(15))) struct `A test clock` {
    @Test func `a test clock moves only when it is advanced`() {
        let clock = TestClock(microseconds: 5)
        #expect(clock.microseconds == 5)
        clock.advance(by: .microseconds(7))
        clock.advance(by: .nanoseconds(999))
        #expect(clock.microseconds == 12)
        clock.advance(by: .nanoseconds(1))
        #expect(clock.microseconds == 13)
        #expect(TestClock().microseconds == Context.test.time)
    }

    @Test func `a sleeper wakes at its time and not before`() async throws {
        let clock = TestClock()
        let start = clock.now
        async let woken: TestClock.Instant = {
            try await clock.sleep(for: .seconds(2))
            return clock.now
        }()
        try await clock.sleeping()
        clock.advance(by: .milliseconds(1_999))
        #expect(clock.dues == [start.advanced(by: .seconds(2))])
        clock.advance(by: .milliseconds(1))
        #expect(clock.dues.isEmpty)
        #expect(try await start.duration(to: woken) == .seconds(2))
    }

    @Test func `a sleep until a past time returns at once`() async throws {
        let clock = TestClock()
        try await clock.sleep(until: clock.now)
        try await clock.sleep(for: .seconds(-1))
        #expect(clock.dues.isEmpty)
    }

    @MainActor @Test func `sleepers wake in the order of their due times`() async throws {
        let clock = TestClock()
        let told = Told()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, seconds) in [3, 1, 2, 1, 9].enumerated() {
                group.addTask { try await told.note(place, after: .seconds(seconds), on: clock) }
                try await clock.sleeping(place + 1)
            }
            clock.advance(by: .seconds(3))
            #expect(clock.dues.count == 1)
            for _ in 0..<4 { try await group.next() }
            #expect(told.order == [1, 3, 2, 0])
            #expect(clock.advanceToNext() == .seconds(6))
            try await group.next()
            #expect(told.order == [1, 3, 2, 0, 4])
        }
        #expect(clock.advanceToNext() == nil)
    }

    @Test func `an advance passes through repeated sleeps step by step`() async throws {
        let clock = TestClock()
        let start = clock.now
        async let ticks: [Duration] = {
            var ticks: [Duration] = []
            for _ in 0..<3 {
                try await clock.sleep(for: .seconds(10))
                ticks.append(start.duration(to: clock.now))
            }
            return ticks
        }()
        for _ in 0..<3 {
            try await clock.sleeping()
            clock.advanceToNext()
        }
        #expect(try await ticks == [.seconds(10), .seconds(20), .seconds(30)])
    }

    @Test func `a cancelled sleeper wakes`() async throws {
        let clock = TestClock()
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(for: .seconds(1)) }
            try? await clock.sleeping()
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
        #expect(clock.dues.isEmpty)
    }

    @Test func `a task that is already cancelled does not sleep`() async {
        let clock = TestClock()
        await withThrowingTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask { try await clock.sleep(for: .seconds(1)) }
            await #expect(throws: CancellationError.self) { try await group.next() }
            group.addTask { try await clock.sleeping() }
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
        #expect(clock.dues.isEmpty)
    }

    @Test func `a cancelled wait for sleepers ends`() async {
        let clock = TestClock()
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleeping(2) }
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
    }

    @Test func `no sleeper is lost if sleeping, cancelling and advancing coincide`() async throws {
        let clock = TestClock()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Every sleeper is due within seven seconds. Time advances until all are awake.
            group.addTask {
                while !Task.isCancelled {
                    clock.advance(by: .seconds(1))
                    await Task.yield()
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { sleepers in
                for number in 0..<500 {
                    sleepers.addTask { try await clock.sleep(for: .seconds(number % 7)) }
                }
                try await sleepers.waitForAll()
            }
            await withThrowingTaskGroup(of: Void.self) { sleepers in
                for _ in 0..<500 { sleepers.addTask { try await clock.sleep(for: .seconds(1_000_000_000)) } }
                sleepers.cancelAll()
                for _ in 0..<500 { await #expect(throws: CancellationError.self) { try await sleepers.next() } }
            }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(clock.dues.isEmpty)
    }

    @Test func `a sleeper on the clock fails the end of a test store`() async throws {
        let clock = TestClock()
        let store = TestStore(Tally.State(), of: Tally.self, clock: clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(for: .seconds(3)) }
            try await clock.sleeping()
            #expect(failures { store.finish() } == ["At the end 1 task is asleep:\n\n    due in 3.0 seconds"])
            clock.advance(by: .seconds(3))
            try await group.next()
        }
        store.finish()
    }

    @Test func `a test clock drives an effect that takes time, from its command to its event`() async throws {
        let clock = TestClock()
        let store = TestStore(Tally.State(), of: Tally.self, clock: clock)
        store.send(.fetch(from: "there"))
        store.expect(.fetch(from: "there"))
        async let count: Int64 = {
            try await clock.sleep(for: .seconds(2))
            return 23
        }()
        try await clock.sleeping()
        clock.advance(by: .seconds(2))
        store.receive(.fetched(try await count)) { $0.count = 23 }
        #expect(store.context.time == Context.test.time + 2_000_000)
        store.finish()
    }
}
