import Chronicle
import ChronicleLog
import ChronicleTesting
import CommandRunning
import TestSupport
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct ExtremeNumberTests {
    private let clock = TestClock()

    /// A log with an open command whose row has other values than its record requested.
    private func log(attempts: UInt32, due: Int64, stage: OutboxRow.Stage) throws -> InMemoryActionLog {
        let log = InMemoryActionLog()
        let errand = Errand("1").with { $0.delay = 180 }
        var flush = Flush(after: log.head)
        flush.stage(RecordHeader(sequence: 1, time: 1, commands: [CommandCall(errand)])) {
            Errands.Action.run(errand).encode(into: &$0)
        }
        flush.add(
            OutboxRow(
                id: CommandID(sequence: 1, index: 0), call: CommandCall(errand), stage: stage, attempts: attempts, due: due))
        try log.append(flush)
        return log
    }

    @Test(arguments: [Int64.min, -1, 1, .max], [UInt32(0), 1, .max])
    func `a command ends even if its row has extreme attempts or due times`(due: Int64, attempts: UInt32) async throws {
        for wall in [Int64.min, 0, .max] {
            let log = try log(attempts: attempts, due: due, stage: .waiting)
            let workshop = Workshop()
            try await withRunner(log, workshop, .test(clock, wall: { wall }), clock: clock) { store, _ in
                // The due time has passed, so the command has already begun by itself and is refused here.
                _ = try? await store.submit(.retry(CommandID(sequence: 1, index: 0), by: 1))
                try await store.reaches { $0.done == ["1"] }
            }
        }
    }

    @Test(arguments: [Int64.min, .max]) func `a failed attempt is postponed under any clock`(wall: Int64) async throws {
        let log = try log(attempts: 1, due: 0, stage: .waiting)
        let workshop = Workshop { _, _ throws(CommandFailure) in throw CommandFailure("not now") }
        try await withRunner(log, workshop, .test(clock, wall: { wall }), clock: clock) { store, _ in
            try await becomes { try log.outbox().first?.reason == "not now" }
        }
        let due = try #require(try log.outbox().first).due
        #expect(wall == .max ? due == .max : due < 0)
    }
}
