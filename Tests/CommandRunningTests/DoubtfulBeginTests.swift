import ChronicleLog
import ChronicleTesting
import Testing

@testable import ChronicleStore
@testable import CommandRunning

/// A begin of an attempt that was committed although its outcome is unknown: its event arrives after the order was repeated.
@Suite struct DoubtfulBeginTests {
    private typealias ErrandSchedule = Schedule<Errand, Errands.Action>

    private static let id = CommandID(sequence: 1, index: 0)
    private let clock = TestClock()
    private let begin = CommandOrder<Errands.Action>.begin(id, attempt: 1)

    private func open(attempts: UInt32) -> OutboxChange<Errand> {
        let errand = Errand("tea")
        let row = OutboxRow(
            id: Self.id, call: CommandCall(name: errand.name), stage: attempts == 0 ? .waiting : .started, attempts: attempts)
        return .open(OpenCommand(row: row, command: errand))
    }

    /// A schedule with a first begin in doubt, a repeated one without an answer yet, and a target that runs due to the first.
    private func running() -> ErrandSchedule {
        var schedule = ErrandSchedule(.test(clock)) { _ in .zero }
        #expect(schedule.handle(.news([open(attempts: 0)])).orders == ["begin"])
        #expect(schedule.handle(.refused(begin, of: Self.id, .inDoubt("no answer"))).orders == [])
        clock.advance(by: .seconds(1))
        #expect(schedule.handle(.tick(clock.microseconds)).orders == ["begin"])
        #expect(schedule.handle(.news([open(attempts: 1)])).orders == ["run 1"])
        return schedule
    }

    @Test(arguments: [true, false]) func `the target is called once, whatever the answer to the repeated begin`(isRefused: Bool) {
        var schedule = running()
        // A committed begin has no separate event.
        if isRefused { #expect(schedule.handle(.refused(begin, of: Self.id, .inDoubt("no answer"))).orders == []) }
        #expect(schedule.handle(.outcome(Self.id, .result(.done("tea")))).orders == ["end"])
        #expect(schedule.handle(.returned(Self.id)).orders == [])
        #expect(schedule.handle(.written(Self.id)).orders == [])
        #expect(schedule.running == 0)
    }

    @Test func `a begin that is in doubt is not repeated once its event has arrived`() {
        var schedule = ErrandSchedule(.test(clock)) { _ in .zero }
        #expect(schedule.handle(.news([open(attempts: 0)])).orders == ["begin"])
        #expect(schedule.handle(.refused(begin, of: Self.id, .inDoubt("no answer"))).orders == [])
        #expect(schedule.handle(.news([open(attempts: 1)])).orders == ["run 1"])
        clock.advance(by: .seconds(1))
        #expect(schedule.handle(.tick(clock.microseconds)).orders == [])
    }

    @Test(arguments: [true, false]) func `the end of the command is ordered until it is written`(isRefused: Bool) {
        var schedule = running()
        #expect(schedule.handle(.outcome(Self.id, .result(.done("tea")))).orders == ["end"])
        #expect(schedule.handle(.returned(Self.id)).orders == [])
        if isRefused { #expect(schedule.handle(.refused(begin, of: Self.id, .unavailable("away"))).orders == []) }
        #expect(schedule.handle(.refused(.end(Self.id, .done("tea")), of: Self.id, .unavailable("away"))).orders == [])
        clock.advance(by: .seconds(1))
        #expect(schedule.handle(.tick(clock.microseconds)).orders == ["end"])
    }
}

extension [Schedule<Errand, Errands.Action>.Instruction] {
    /// The instructions in a few words each.
    fileprivate var orders: [String] {
        map { instruction in
            switch instruction {
            case .order(.begin(_, attempt: 1), _): "begin"
            case .order(.end, _): "end"
            case .order(let order, _): "\(order)"
            case .run(_, let attempt): "run \(attempt)"
            case .cancel: "cancel"
            }
        }
    }
}
