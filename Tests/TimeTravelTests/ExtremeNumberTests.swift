import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

@Suite struct ExtremeNumberTests {
    /// A log whose headers hold extreme numbers.
    private func log(_ seed: UInt64) throws -> InMemoryActionLog {
        var dice = SeededGenerator(seed)
        let numbers: [UInt64] = [0, 1, 2, 5, 9, 1 << 31, UInt64(Int64.max), .max - 1, .max]
        func number() -> UInt64 { numbers.randomElement(using: &dice) ?? 0 }
        func id() -> CommandID { CommandID(sequence: number(), index: UInt32(truncatingIfNeeded: number())) }
        let log = InMemoryActionLog()
        let times: [Int64] = [.min, -1, 1, .max - 3]
        var time = times.randomElement(using: &dice) ?? 1
        for sequence in 1...12 as ClosedRange<UInt64> {
            var flush = Flush(after: log.head)
            var header = RecordHeader(
                sequence: sequence, time: time, rawTime: Int64(bitPattern: number()), origin: 1000, step: number(),
                cause: Bool.random(using: &dice) ? id() : nil, undoes: Bool.random(using: &dice) ? number() : nil, build: .max,
                due: Int64(bitPattern: number()))
            time = time == .max ? .max : time + 1
            if Bool.random(using: &dice) {
                (header.kind, header.outcome) = (.end, .skipped)
            } else {
                header.commands = [CommandCall(App.Command.todos(.load))]
                flush.add(
                    OutboxRow(
                        id: CommandID(sequence: sequence, index: 0), call: header.commands[0],
                        attempts: UInt32(truncatingIfNeeded: number()), due: Int64(bitPattern: number()), step: number()))
            }
            flush.stage(header) { App.Action.counter(.increment).encode(into: &$0) }
            try log.append(flush)
        }
        return log
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `a log with extreme numbers can be read, written to and undone`(seed: UInt64) async throws {
        try await Desk.open(try log(seed)) { desk in
            _ = try await desk.history.verify()
            for sequence in 1...12 as ClosedRange<UInt64> {
                _ = try await desk.history.why(sequence)
                _ = try? await desk.history.state(at: .time(Int64(sequence)))
                _ = try? await desk.undo(.steps([sequence]))
            }
            try await desk.do(.todos(.add([Todo(title: "Milk")])))
            _ = try? await desk.undo()
            _ = try? await desk.undo(.redo(1))
            var cursor = try await desk.history.log(LogQuery())
            #expect(try await desk.history.page(of: &cursor).count >= 12)
        }
    }
}
