import ChronicleLog
import ChronicleTesting
import Testing

@testable import ChronicleStore
@testable import CommandRunning

/// A mark of an attempt that had no answer, and stands all the same: the news of it comes while another one is on its way.
@Suite struct DoubtfulBeginTests {
    private typealias ErrandSchedule = Schedule<Errand, Errands.Action>

    private static let id = CommandID(sequence: 1, index: 0)
    private let clock = TestClock()

    private func open(attempts: UInt32) -> OutboxChange<Errand> {
        let errand = Errand("tea")
        let row = OutboxRow(
            id: Self.id, call: CommandCall(name: errand.name), stage: attempts == 0 ? .waiting : .started, attempts: attempts)
        return .open(OpenCommand(row: row, command: errand))
    }

    /// One whose first mark is in doubt and refused, whose second is on its way, and whose target runs because the first stands.
    private func running() -> ErrandSchedule {
        var schedule = ErrandSchedule(.test(clock)) { _ in .zero }
        #expect(schedule.handle(.news([open(attempts: 0)])).orders == ["begin"])
        #expect(schedule.handle(.refused(Self.id, .inDoubt("no answer"), begins: true)).orders == [])
        clock.advance(by: .seconds(1))
        #expect(schedule.handle(.tick(clock.microseconds)).orders == ["begin"])
        #expect(schedule.handle(.news([open(attempts: 1)])).orders == ["run 1"])
        return schedule
    }

    @Test(arguments: [true, false]) func `is run once, whatever becomes of the other`(isRefused: Bool) {
        var schedule = running()
        let answer: ErrandSchedule.Event =
            isRefused ? .refused(Self.id, .inDoubt("no answer"), begins: true) : .written(Self.id, begins: true)
        #expect(schedule.handle(answer).orders == [])
        #expect(schedule.handle(.outcome(Self.id, .result(.done("tea")))).orders == ["end"])
        #expect(schedule.handle(.returned(Self.id)).orders == [])
        #expect(schedule.handle(.written(Self.id, begins: false)).orders == [])
        #expect(schedule.running == 0)
    }

    @Test(arguments: [true, false]) func `its end is kept for as long as it takes`(isRefused: Bool) {
        var schedule = running()
        #expect(schedule.handle(.outcome(Self.id, .result(.done("tea")))).orders == ["end"])
        #expect(schedule.handle(.returned(Self.id)).orders == [])
        let answer: ErrandSchedule.Event =
            isRefused ? .refused(Self.id, .unavailable("away"), begins: true) : .written(Self.id, begins: true)
        #expect(schedule.handle(answer).orders == [])
        #expect(schedule.handle(.refused(Self.id, .unavailable("away"), begins: false)).orders == [])
        clock.advance(by: .seconds(1))
        #expect(schedule.handle(.tick(clock.microseconds)).orders == ["end"])
    }
}

extension [Schedule<Errand, Errands.Action>.Instruction] {
    /// What is to be done, in a word each.
    fileprivate var orders: [String] {
        map { instruction in
            switch instruction {
            case .order(.begin, _): "begin"
            case .order(.end, _): "end"
            case .order(let order, _): "\(order)"
            case .run(_, let attempt): "run \(attempt)"
            case .cancel: "cancel"
            }
        }
    }
}
