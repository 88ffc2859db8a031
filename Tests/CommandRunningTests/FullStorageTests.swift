import Chronicle
import ChronicleLog
import ChronicleTesting
import CommandRunning
import TestSupport
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct FullStorageTests {
    private let clock = TestClock()

    @Test func `no command starts while storage is full, and commands start by themselves afterwards`() async throws {
        let log = FailingLog()
        let workshop = Workshop()
        try await withStore(log, clock: clock) { store in try await store.run(Errand("1")) }
        log.pretend(FreeSpace(diskFreeBytes: 0))
        try await withRunner(log, workshop, .test(clock), clock: clock, freeBytesMin: 1) { store, _ in
            for _ in 1...3 {
                try await clock.sleeping(1)
                clock.advanceToNext()
            }
            try await clock.sleeping(1)
            #expect(workshop.calls.isEmpty)
            log.pretend(nil)
            clock.advanceToNext()
            try await store.reaches { $0.done == ["1"] }
        }
    }

    @Test func `a result that can't be written is kept until it can`() async throws {
        let log = FailingLog()
        let doors = Doors()
        let notes = Notes()
        let workshop = Workshop { errand, _ throws(CommandFailure) in
            try await doors.wait("shop")
            return .done(errand.text)
        }
        try await withRunner(log, workshop, .test(clock, note: notes.add), clock: clock) { store, runner in
            try await store.run(Errand("1"))
            await workshop.called(1)
            log.failNext(2)
            doors.open("shop")
            try await becomes { notes.events.contains(.waitingForRoom) }
            #expect(runner.running == 1)
            for _ in 1...2 {
                try await becomes { clock.dues.contains(where: { $0.microseconds == clock.microseconds + 1_000_000 }) }
                clock.advance(by: .seconds(1))
            }
            try await store.reaches { $0.done == ["1"] }
            try await becomes { runner.running == 0 }
            #expect(workshop.calls.count == 1)
            #expect(log.counts.failures == 2)
        }
    }

    @Test func `a stop does not wait for free space`() async throws {
        let log = FailingLog()
        let doors = Doors()
        let notes = Notes()
        let workshop = Workshop { errand, _ throws(CommandFailure) in
            try await doors.wait("shop")
            return .done(errand.text)
        }
        try await withRunner(log, workshop, .test(clock, note: notes.add), clock: clock) { store, _ in
            try await store.run(Errand("1"))
            await workshop.called(1)
            log.failEvery(1)
            doors.open("shop")
            try await becomes { notes.events.contains(.waitingForRoom) }
        }
        log.mend()
        #expect(try log.outbox().map(\.stage) == [.started])
    }
}
