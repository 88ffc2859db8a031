import Chronicle
import Terminal
import TestSupport
import Testing

@testable import todoctl

@Suite struct ScreenListTests {
    private func screen(columns: Int = 80, rows: Int = 24) -> SimulatedScreen {
        var screen = SimulatedScreen(columns: columns, rows: rows)
        screen.load([
            .todo(1, "Buy the milk", [.init("tags", ["home"])]), .todo(2, "Send the invoice", due: "2026-11-20"),
            .todo(3, "Write the report", [.init("due", "2026-11-21T18:00"), .init("priority", 3)]),
            .todo(4, "Call the bank", due: "2026-11-27"),
            .todo(5, "Fix the roof", [.init("completed", .int(SimulatedScreen.saturday))]),
        ])
        return screen
    }

    @Test func `todos are grouped in sections by due date`() {
        let screen = screen()
        let text = screen.lines
        let order = [
            "OVERDUE", "Send the invoice", "TODAY", "Write the report", "LATER", "Call the bank", "NO DATE", "Buy the milk",
            "DONE", "Fix the roof",
        ]
        let places = order.map { word in text.firstIndex { $0.contains(word) } }
        #expect(
            places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(screen.text)")
        #expect(text[0].contains("4 open") && text[0].contains("1 overdue") && text[0].contains("● LIVE"))
        #expect(screen.text.contains("!!! Write the report") && screen.text.contains("18:00") && screen.text.contains("#home"))
    }

    @Test func `words add a todo with the fields among them`() {
        var screen = screen()
        screen.press(.character("a"))
        screen.type("Ca")
        #expect(screen.typed.contains("1 more character for a title"))
        screen.press(.enter)
        #expect(screen.dispatches.isEmpty)
        screen.type("ll Anna tomorrow #phone !high")
        #expect(screen.typed.contains("due Sunday 22 November 2026"))
        screen.press(.enter)
        let add = screen.dispatches.last?.actions.first?["todos"]?["add"]?["items"]?.list?.first
        #expect(add?["title"] == "Call Anna" && add?["due"] == "2026-11-22" && add?["tags"] == ["phone"] && add?["priority"] == 3)
        screen.answerDispatch(ids: [9])
        screen.press(.escape)
        #expect(screen.typed.contains("Added 9: Call Anna") && screen.typed.contains("u takes it back"))
    }

    @Test func `x completes the selected todo, and several marked ones as one step`() {
        var screen = screen()
        screen.press(.character("x"))
        #expect(screen.dispatches.last?.actions.first?["todos"]?["complete"]?["id"] == 2)
        screen.answerDispatch()
        #expect(screen.typed.contains("Done 2: Send the invoice"))
        // The todo was the only one of its section, so the selection moves into the next one.
        #expect(screen.model.selectedTodo?.id == 3)
        screen.press(.character("v"), .character("v"), .character("x"))
        #expect(screen.dispatches.last?.actions.count == 2)
        screen.press(.end, .character("x"))
        #expect(screen.dispatches.last?.actions.first?["todos"]?["reopen"]?["id"] == 5)
    }

    @Test func `words and tags filter at once, and Esc shows all todos again`() {
        var screen = screen()
        screen.press(.character("/"))
        screen.type("THE ba")
        #expect(screen.text.contains("Call the bank") && !screen.text.contains("Buy the milk"), "\(screen.text)")
        screen.press(.control("u"))
        screen.type("#home")
        #expect(screen.text.contains("Buy the milk") && !screen.text.contains("Call the bank"))
        #expect(!screen.methods.contains("org.todod.Store.GetState"))
        screen.press(.enter, .escape)
        #expect(screen.text.contains("Call the bank"))
    }

    @Test func `a filter that only the daemon can evaluate is sent once typing pauses`() {
        var screen = screen()
        screen.press(.character("/"))
        screen.type("due<sunday")
        #expect(!screen.methods.contains("org.todod.Store.GetState"))
        screen.tell(.clock(SimulatedScreen.saturday + 1_000_000))
        #expect(screen.methods.count { $0 == "org.todod.Store.GetState" } == 1)
        let page: Value = ["epoch": 1, "sequence": 11, "state": ["todos": ["items": [.todo(2, "Send the invoice")]]]]
        screen.tell(.reply(RequestTag(.list, ScreenModel.filterCall), SimulatedScreen.reply(page)))
        #expect(screen.text.contains("Send the invoice") && !screen.text.contains("Call the bank"))
    }

    @Test func `a form edits the fields of a todo and reports invalid input`() {
        var screen = screen()
        screen.press(.down, .character("e"), .control("u"))
        screen.type("ab")
        screen.press(.enter)
        #expect(screen.dispatches.isEmpty && screen.typed.contains("1 more character"))
        screen.type("c")
        screen.press(.down, .control("u"))
        screen.type("monday")
        screen.press(.down, .control("u"))
        screen.type("low")
        screen.press(.down)
        screen.type("#work")
        screen.press(.enter)
        let edit = screen.dispatches.last?.actions.first?["todos"]?["edit"]
        #expect(edit?["id"] == 3 && edit?["title"] == "abc" && edit?["due"] == "2026-11-23")
        #expect(edit?["priority"] == 1 && edit?["tags"] == ["work"] && edit?["note"] == nil)
    }

    @Test func `a change by another client is highlighted for a moment, and an own change is not`() {
        var screen = screen()
        screen.change([Change(path: "todos.items", kind: .replace, id: 1, at: 0, new: .todo(1, "Buy the bread"))])
        #expect(screen.lines.contains { $0.contains("•") && $0.contains("Buy the bread") })
        #expect(screen.model.wake.map { $0 <= SimulatedScreen.saturday + ScreenModel.flashMicroseconds } == true)
        screen.tell(.clock(SimulatedScreen.saturday + ScreenModel.flashMicroseconds + 1))
        #expect(!screen.text.contains("•"))
        screen.press(.character("x"))
        let key = screen.model.ownKeys.last ?? ""
        screen.change([Change(path: "todos.items", kind: .replace, id: 1, at: 0, new: .todo(1, "Buy the eggs"))], key: key)
        #expect(screen.text.contains("Buy the eggs") && !screen.text.contains("•"))
    }

    @Test func `moving follows the order of the list`() {
        var screen = screen()
        screen.press(.character("J"))
        #expect(screen.dispatches.isEmpty && screen.typed.contains("sorted by due"))
        screen.press(.character("s"), .home, .character("J"))
        #expect(screen.dispatches.last?.actions.first?["todos"]?["move"] == ["id": 1, "index": 1])
    }

    @Test func `a dispatch while the daemon is away is sent when it is back, with the same key`() {
        var screen = screen()
        screen.tell(.away(Failure(.unreachable, "No daemon answers.")))
        #expect(screen.text.contains("No daemon answers.") && screen.text.contains("away"))
        screen.press(.character("a"))
        screen.type("Water the plants")
        screen.press(.enter)
        #expect(screen.dispatches.isEmpty && screen.text.contains("Send the invoice"))
        screen.requests = []
        screen.tell(.connected)
        #expect(screen.dispatches.count == 1)
        let first = screen.requests.first { if case .call(_, let call) = $0 { call.method.hasSuffix("Dispatch") } else { false } }
        screen.requests = []
        screen.tell(.away(Failure(.unreachable, "No daemon answers.")), .connected)
        #expect(first != nil && screen.requests.contains { $0 == first })
    }

    @Test func `the delay before the next attempt grows up to a maximum`() {
        var screen = screen()
        var pauses: [Int64] = []
        for _ in 0..<10 {
            screen.requests = []
            screen.tell(.away(Failure(.unreachable, "No daemon answers.")))
            if case .connect(let pause)? = screen.requests.first { pauses.append(pause) }
        }
        #expect(pauses.first == ScreenModel.pauses.lowerBound && pauses.last == ScreenModel.pauses.upperBound)
        #expect(pauses == pauses.sorted())
    }

    @Test func `a query that was not answered when the daemon went away is repeated`() {
        var screen = screen()
        screen.press(.character("/"))
        screen.type("due<sunday")
        screen.tell(.clock(SimulatedScreen.saturday + 1_000_000))
        screen.tell(.away(Failure(.unreachable, "No daemon answers.")), .connected)
        screen.requests = []
        screen.tell(.clock(SimulatedScreen.saturday + 2_000_000))
        #expect(screen.methods == ["org.todod.Store.GetState"])
    }
}
