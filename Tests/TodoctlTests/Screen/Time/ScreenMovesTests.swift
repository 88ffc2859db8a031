import Chronicle
import Terminal
import TestSupport
import Testing
import TodoAPI
import Varlink

@testable import todoctl

/// Moving through time by keys and by the mouse, faster than the daemon answers.
@Suite struct ScreenMovesTests {
    private func loaded(columns: Int = 80) -> SimulatedScreen {
        var screen = SimulatedScreen(columns: columns)
        screen.load([.todo(1, "Milk"), .todo(2, "Dog")])
        screen.requests = []
        return screen
    }

    private func records(_ range: ClosedRange<Int64>, step: Int64? = nil) -> Value {
        ["records": .list(range.map { SimulatedScreen.record($0, step: step) })]
    }

    @Test func `each of ten quick key presses is a step, however late the answer arrives`() {
        var screen = loaded()
        for _ in 0..<10 { screen.press(.left) }
        #expect(screen.model.time.wanted == nil)
        screen.answer(TimeCall.seek, records(1...11))
        #expect(screen.model.time.wanted == 1)
        for _ in 0..<4 { screen.press(.right) }
        #expect(screen.model.time.wanted == 5)
    }

    @Test func `different kinds of moves are executed in the order of their keys`() {
        var screen = loaded()
        screen.press(.character("<"), .character(","), .character(","), .character("<"))
        #expect(screen.call(TimeCall.seek)?["to"] == ["sequence": 10])
        screen.answer(TimeCall.seek, records(8...8))
        // From there two records back, and from there to the previous change.
        #expect(screen.model.time.wanted == 6 && screen.call(TimeCall.seek)?["to"] == ["sequence": 5])
        screen.answer(TimeCall.seek, records(2...2))
        #expect(screen.model.time.wanted == 2 && screen.model.time.seek == nil)
    }

    @Test func `Escape discards the pending moves`() {
        var screen = loaded()
        screen.press(.character(","), .left, .left, .left, .escape)
        #expect(screen.model.time.isLive && screen.model.time.moves.isEmpty)
        screen.answer(TimeCall.seek, records(1...11))
        #expect(screen.model.time.isLive)
    }

    @Test func `the end of a long step is found by a search for records of other steps`() {
        var screen = loaded()
        screen.model.head?.sequence = 100_000
        screen.press(.left)
        #expect(screen.call(TimeCall.seek)?["from"] == ["sequence": 99_745])
        screen.answer(TimeCall.seek, records(99_745...100_000, step: 90_000))
        let call = screen.call(TimeCall.seek)
        #expect(call?["where"] == "record.step != 90000" && call?["reverse"] == true && call?["limit"] == 1)
        screen.answer(TimeCall.seek, records(89_999...89_999))
        #expect(screen.model.time.wanted == 89_999)
        // Forward again: the record after the step, if any.
        screen.press(.right)
        screen.answer(TimeCall.seek, records(90_000...90_255, step: 90_000))
        #expect(screen.call(TimeCall.seek)?["from"] == ["sequence": 90_256])
        screen.answer(TimeCall.seek, ["records": []])
        #expect(screen.model.time.isLive)
    }

    @Test func `a day back leads to the last record of the previous day, or to the beginning`() {
        var screen = loaded()
        screen.press(.character(","), .character("["))
        // The time of that record is requested first.
        #expect(screen.call(TimeCall.seek)?["from"] == ["sequence": 10])
        screen.answer(TimeCall.seek, records(10...10))
        let midnight = SimulatedScreen.saturday - 10 * 3_600_000_000
        #expect(screen.call(TimeCall.seek)?["to"] == ["time": .int(midnight - 1)])
        screen.answer(TimeCall.seek, records(4...4))
        #expect(screen.model.time.wanted == 4)
        screen.press(.character("["))
        screen.answer(TimeCall.seek, records(4...4))
        screen.answer(TimeCall.seek, ["records": []])
        #expect(screen.model.time.wanted == 0)
    }

    @Test func `a day forward leads to the present, because today has no end yet`() {
        var screen = loaded()
        screen.press(.character(","), .character("]"))
        screen.answer(TimeCall.seek, records(11...11))
        #expect(screen.model.time.isLive && screen.model.message == nil)
    }

    @Test func `a query that the daemon refused as busy is repeated`() {
        var screen = loaded()
        screen.press(.left)
        let busy = Failure(CallError("org.todod.Store.QueryBusy", []), socket: "s")
        screen.tell(.reply(RequestTag(.time, TimeCall.seek), ScreenReply(result: .failure(busy))))
        screen.requests = []
        screen.tell(.clock(SimulatedScreen.saturday + 1_000_000))
        #expect(screen.call(TimeCall.seek) != nil)
        screen.answer(TimeCall.seek, records(1...11))
        #expect(screen.model.time.wanted == 10)
    }

    @Test func `a click on the strip leads there, and so does dragging, even outside of it`() throws {
        var screen = loaded()
        screen.model.head?.sequence = 8_000
        let strip = try #require(ScreenRegions(screen.model.size).strip)
        func mouse(_ kind: MouseEvent.Kind, _ column: Int, row: Int? = nil) -> ScreenKey {
            .mouse(MouseEvent(kind, at: Position(column: column, row: row ?? strip.row)))
        }
        screen.press(mouse(.press(.left), 9))
        #expect(screen.model.time.wanted == 1_000)
        screen.press(mouse(.drag(.left), 19), mouse(.drag(.left), 39, row: 2))
        #expect(screen.model.time.wanted == 4_000)
        screen.press(mouse(.release(.left), 39), mouse(.drag(.left), 59))
        #expect(screen.model.time.wanted == 4_000)
        // The right end is the present.
        screen.press(mouse(.press(.left), 79))
        #expect(screen.model.time.isLive)
    }

    @Test func `todos are overdue or waiting as they were at that moment`() {
        var screen = SimulatedScreen()
        // The records are of 9:00, one hour ago.
        screen.load([
            .todo(1, "Milk", due: "2026-11-21T09:30"), .todo(2, "Dog", [.init("wait", "2026-11-21T09:30")]),
        ])
        #expect(screen.text.contains("OVERDUE") && !screen.text.contains("WAITING"))
        screen.goBack()
        #expect(!screen.text.contains("OVERDUE") && screen.text.contains("TODAY") && screen.text.contains("WAITING"))
        screen.press(.escape)
        #expect(screen.text.contains("OVERDUE") && !screen.text.contains("WAITING"))
    }

    @Test func `sort order and filter are kept in the past and on return`() {
        var screen = loaded()
        screen.goBack()
        screen.press(.character("s"), .character("/"))
        screen.type("dog")
        screen.press(.enter)
        #expect(screen.text.contains("2     Dog") && !screen.text.contains("1     Milk"))
        screen.press(.escape)
        #expect(screen.model.time.isLive && screen.model.rows.sort == .list)
        #expect(screen.text.contains("2     Dog") && !screen.text.contains("1     Milk"))
    }

    @Test func `filters that the daemon evaluates are sent for the moment that is shown`() {
        var screen = loaded()
        screen.goBack()
        screen.press(.character("/"))
        screen.type("due<sunday")
        screen.tell(.clock(SimulatedScreen.saturday + 1_000_000))
        func asked() -> Value? {
            for case .call(RequestTag(.list, ScreenModel.filterCall), let call) in screen.requests.reversed() {
                return (try? Value(parsing: Array(call.frame.dropLast()).span))?["parameters"]
            }
            return nil
        }
        #expect(asked()?["at"] == ["sequence": 10])
        let page: Value = ["epoch": 1, "sequence": 10, "state": ["todos": ["items": [.todo(2, "Dog")]]]]
        screen.tell(.reply(RequestTag(.list, ScreenModel.filterCall), SimulatedScreen.reply(page)))
        #expect(!screen.text.contains("1     Milk"))
        screen.press(.enter, .escape)
        screen.tell(.clock(SimulatedScreen.saturday + 1_000_001))
        #expect(asked()?["at"] == nil)
    }

    @Test func `while the daemon is away, the heading still names the moment, and moves are refused`() {
        var screen = loaded()
        screen.goBack()
        screen.tell(.away(Failure(.unreachable, "Gone.")))
        screen.press(.left)
        #expect(
            screen.lines[0].contains("the daemon is away") && screen.lines[0].contains("PAST @10 09:00"), "\(screen.lines[0])")
        #expect(screen.typed.contains("The daemon is away."))
        screen.press(.escape)
        #expect(screen.lines[0].contains("the daemon is away") && !screen.lines[0].contains("PAST"))
    }

    @Test func `an idle screen schedules no timer`() {
        // An empty log, and a daemon that is away while a filter is waiting.
        var screen = SimulatedScreen()
        #expect(screen.model.wake.map { $0 > screen.model.now } == true)
        screen.press(.character("/"))
        screen.type("due<sunday")
        screen.tell(.away(Failure(.unreachable, "Gone.")), .clock(SimulatedScreen.saturday + 1_000_000))
        #expect(screen.model.wake.map { $0 > screen.model.now } == true)
    }
}
