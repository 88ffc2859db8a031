import Chronicle
import Terminal
import TestSupport
import Testing
import TodoAPI
import Varlink

@testable import todoctl

/// The bottom lines: the time strip with its marks, the input or message, and the keys.
@Suite struct ScreenLinesTests {
    private func loaded(columns: Int = 80, rows: Int = 24, features: [String] = ["Counter", "Alerts", "Todos"]) -> SimulatedScreen
    {
        var screen = SimulatedScreen(columns: columns, rows: rows, features: features)
        screen.load([.todo(1, "Milk"), .todo(2, "Dog")])
        return screen
    }

    @Test(arguments: [60, 80, 100, 200], [false, true])
    func `the line of keys always ends with those for help and quit, however narrow it is`(columns: Int, isPast: Bool) {
        var screen = loaded(
            columns: columns, features: ["Counter", "Alerts", "Todos", "Flows", "Posts", "Stars", "Repositories"])
        if isPast { screen.goBack() }
        for tab in 0..<screen.model.tabs.count {
            screen.model.tab = tab
            let keys = screen.lines.last ?? ""
            #expect(keys.hasSuffix(" ? all keys  q quit") && Width.columns(keys) < columns, "\(keys)")
        }
    }

    @Test func `the past has its own keys`() {
        var screen = loaded()
        #expect(screen.lines.last?.contains("a add") == true && screen.lines.last?.contains("← → time") == true)
        screen.goBack()
        let keys = screen.lines.last ?? ""
        #expect(["← → step", "[ ] day", "Esc now", "r revert"].allSatisfy(keys.contains) && !keys.contains("add"), "\(keys)")
        screen.press(.character("r"))
        #expect(screen.lines.last?.contains("Esc close") == true)
    }

    @Test(arguments: [(80, 24), (50, 20), (80, 10)])
    func `an input line hides neither an error nor that the daemon is away`(columns: Int, rows: Int) {
        var screen = loaded(columns: columns, rows: rows)
        screen.press(.character("a"))
        screen.type("Bread")
        screen.press(.enter)
        let tag = screen.dispatches.last?.tag ?? RequestTag(.list, 0)
        let full = Failure(.unreachable, "The disk is full.")
        screen.tell(.reply(tag, ScreenReply(result: .failure(full))))
        #expect(screen.text.contains("The disk is full.") && screen.typed.contains("add>"))
        screen.type("B")
        #expect(!screen.text.contains("The disk is full."))
        screen.tell(.away(Failure(.unreachable, "No daemon answers.")))
        #expect(screen.text.contains("No daemon answers.") && screen.typed.contains("add> B"))
    }

    @Test(arguments: [(80, 24), (50, 20), (80, 10)])
    func `an input line that Enter has cleared has no error`(columns: Int, rows: Int) {
        var screen = loaded(columns: columns, rows: rows)
        screen.press(.character("a"))
        #expect(!screen.text.contains("a title needs"))
        screen.type("Bread")
        screen.press(.enter)
        #expect(screen.dispatches.count == 1 && screen.typed.contains("add>") && !screen.text.contains("a title needs"))
    }

    @Test func `alerts, invariants and steps are marked on the strip`() {
        var screen = loaded()
        screen.tell(.clock(SimulatedScreen.saturday + 1_000_000))
        screen.answer(
            TimeCall.alerts,
            ["origins": [["sequence": 4, "path": "alerts.items"]], "records": []])
        let invariant: Value = ["name": "few", "expression": "true", "origin": 0, "record": 8, "holds": false]
        screen.answer(TimeCall.invariants, ["invariants": [invariant]])
        screen.answer(TimeCall.steps, ["records": .list((1...11).map { SimulatedScreen.record($0, step: ($0 + 1) / 2) })])
        let marks = screen.lines[(ScreenRegions(screen.model.size).strip?.row ?? 0) + 2]
        #expect(marks.contains("! alert") && marks.contains("few does not hold◇"), "\(marks)")
        #expect(marks.contains("·") && marks.hasSuffix("now @11↑"), "\(marks)")
    }

    @Test func `alerts are requested again when there are new ones`() {
        var screen = loaded()
        screen.tell(.clock(SimulatedScreen.saturday + 1_000_000))
        screen.answer(TimeCall.alerts, ["origins": [], "records": []])
        func follow(_ action: Value) {
            screen.requests = []
            let item: Value = [
                "epoch": 1, "sequence": 12, "time": 1, "complete": true,
                "records": .list([SimulatedScreen.record(12, action: action)]), "commands": [], "skipped": 0,
            ]
            screen.tell(.reply(RequestTag(.time, TimeCall.follow), SimulatedScreen.reply(item, continues: true)))
            screen.tell(.clock(screen.model.now + 1_000_000))
        }
        follow(["todos": ["remove": ["id": 1]]])
        #expect(screen.call(TimeCall.alerts) == nil)
        follow(["alerts": ["dismiss": ["id": 1]]])
        #expect(screen.call(TimeCall.alerts) == ["path": "alerts.items", "history": true])
    }
}
