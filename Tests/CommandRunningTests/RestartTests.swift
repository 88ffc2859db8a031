import Chronicle
import ChronicleLog
import ChronicleTesting
import CommandRunning
import TestSupport
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct RestartTests {
    private let clock = TestClock()
    private let never = Workshop { _, _ throws(CommandFailure) in
        try await Doors().wait("never")
        return nil
    }

    @Test func `an attempt that a stop interrupts runs again at the next start under the same name`() async throws {
        let log = InMemoryActionLog()
        try await withRunner(log, never, .test(clock), clock: clock) { store, _ in
            try await store.run(Errand("1"))
            await never.called(1)
        }
        #expect(try log.outbox().map(\.stage) == [.waiting])
        let workshop = Workshop()
        try await withRunner(log, workshop, .test(clock), clock: clock) { store, _ in
            try await store.reaches { $0.done == ["1"] }
            #expect(workshop.calls.map(\.ticket.attempt) == [2])
            #expect(workshop.calls.map(\.ticket.id) == never.calls.map(\.ticket.id))
        }
    }

    @Test func `an attempt that must not be repeated is parked as uncertain after a crash`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log, clock: clock) { store in
            let id = try await store.run(Errand("1").with { $0.isIdempotent = false })[0]
            try await store.run(Errand("2").with { $0.isIdempotent = false })
            try await store.submit(.begin(id, attempt: 1))
        }
        let workshop = Workshop()
        let notes = Notes()
        try await withRunner(log, workshop, .test(clock, note: notes.add), clock: clock) { store, _ in
            try await store.reaches { $0.done == ["2"] && $0.ended.count == 1 }
            try await becomes { notes.events == [.parked] }
            #expect(store.present.state.ended[0].hasPrefix("1 parked: uncertain: the daemon ended during attempt 1"))
            try await store.submit(.retry(CommandID(sequence: 1, index: 0), by: 1))
            try await store.reaches { $0.done == ["2", "1"] }
            #expect(workshop.calls.map(\.ticket.attempt) == [1, 2])
        }
    }

    @Test func `a command is parked if the daemon crashes during each of its attempts`() async throws {
        let log = InMemoryActionLog()
        for attempt in 1...3 {
            try await withStore(log, clock: clock) { store in
                if attempt == 1 { try await store.run(Errand("1").with { $0.attemptsMax = 3 }) }
                try await store.submit(.begin(CommandID(sequence: 1, index: 0), attempt: UInt32(attempt)))
            }
        }
        try await withRunner(log, never, .test(clock), clock: clock) { store, _ in
            try await store.reaches { $0.ended == ["1 failed: The daemon ended during attempt 3, the last one."] }
        }
        #expect(never.calls.isEmpty)
    }

    @Test func `a command is not parked, however often the daemon is stopped during its attempts`() async throws {
        let log = InMemoryActionLog()
        for start in 1...5 {
            try await withRunner(log, never, .test(clock), clock: clock) { store, _ in
                if start == 1 { try await store.run(Errand("1").with { $0.attemptsMax = 2 }) }
                await never.called(start)
            }
            // The row still records the attempt.
            let row = try #require(try log.outbox().first)
            #expect(row.attempts == 1 && row.stage == .waiting)
        }
        let workshop = Workshop()
        try await withRunner(log, workshop, .test(clock), clock: clock) { store, _ in
            try await store.reaches { $0.done == ["1"] }
        }
        #expect(workshop.calls.map(\.ticket.attempt) == [2])
    }

    @Test func `a command that must not be repeated is also parked as uncertain if a stop interrupts it`() async throws {
        let log = InMemoryActionLog()
        try await withRunner(log, never, .test(clock), clock: clock) { store, _ in
            try await store.run(Errand("1").with { $0.isIdempotent = false })
            await never.called(1)
        }
        let workshop = Workshop()
        try await withRunner(log, workshop, .test(clock), clock: clock) { store, _ in
            try await store.reaches { $0.ended.count == 1 }
            #expect(store.present.state.ended[0].hasPrefix("1 parked: uncertain: the daemon ended during attempt 1"))
        }
        #expect(workshop.calls.isEmpty)
    }

    @Test func `a copied log runs nothing until its commands are released`() async throws {
        try await withDirectories { directory, copy in
            try await withStore(try openLog(directory), clock: clock) { store in
                try await store.run(Errand("1"), Errand("2"))
            }
            try copyLog(from: directory, to: copy)
            let workshop = Workshop()
            try await withRunner(try openLog(copy), workshop, .test(clock), clock: clock) { store, _ in
                try await store.run(Errand("new"))
                try await store.reaches { $0.done == ["new"] }
                #expect(workshop.texts == ["new"])
                try await store.submit(.release(by: 1))
                try await store.reaches { $0.done.count == 3 }
                #expect(Set(workshop.texts) == ["new", "1", "2"])
            }
        }
    }

    @Test func `a running command that is held runs to its end, and the others wait`() async throws {
        let doors = Doors()
        let workshop = Workshop { errand, _ throws(CommandFailure) in
            try await doors.wait(errand.text)
            return .done(errand.text)
        }
        try await withRunner(InMemoryActionLog(), workshop, .test(clock, runningMax: 1), clock: clock) { store, runner in
            try await store.run(Errand("1"), Errand("2"))
            await workshop.called(1)
            try await store.submit(.hold(by: 1))
            for door in ["1", "2"] { doors.open(door) }
            try await store.reaches { $0.done == ["1"] }
            try await becomes { runner.running == 0 }
            #expect(workshop.texts == ["1"])
            try await store.submit(.release(by: 1))
            try await store.reaches { $0.done == ["1", "2"] }
        }
    }

    @Test func `a start and a stop without commands write nothing`() async throws {
        let log = InMemoryActionLog()
        for _ in 1...3 {
            try await withRunner(log, Workshop(), .test(clock), clock: clock) { store, _ in
                await store.hold()
                store.release()
            }
        }
        #expect(log.head.sequence == 0)
    }
}
