import Chronicle
import Terminal
import Testing
import TodoAPI
import Varlink

@testable import todoctl

@Suite struct ScreenTabsTests {
    private func tab(_ name: String, in screen: inout SimulatedScreen) {
        guard let index = screen.model.tabs.firstIndex(where: { $0.name == name }) else { return }
        screen.press(.character(Character(String(index + 1))))
    }

    @Test func `each feature has a tab, the todos the first, the commands the last`() {
        var screen = SimulatedScreen()
        #expect(screen.model.tabs.map(\.name) == ["todos", "counter", "alerts", "flows", "posts", "commands"])
        screen.press(.tab)
        #expect(screen.model.shownTab?.name == "counter")
        screen.press(.backTab, .backTab)
        #expect(screen.model.shownTab?.name == "commands" && screen.methods.contains("org.todod.Admin.FollowCommands"))
    }

    @Test func `commands are listed, and the selected one is retried, skipped or cancelled`() {
        var screen = SimulatedScreen(features: ["Todos"])
        screen.press(.tab)
        let command: Value = [
            "id": ["sequence": 12, "index": 0], "name": "todos.load", "version": 1, "stage": "parked", "attempts": 2,
            "reason": "no answer", "held": false, "depth": 0, "step": 12, "origin": 1,
        ]
        func tell(_ commands: Value, isAll: Value = true) {
            let list = SimulatedScreen.reply(["commands": commands, "complete": isAll], continues: true)
            screen.tell(.reply(RequestTag(.tabs, ScreenModel.commandsCall), list))
        }
        tell([command], isAll: false)
        #expect(!screen.text.contains("12.0"))
        tell([])
        #expect(screen.text.contains("12.0  todos.load  parked  2 attempts"), "\(screen.text)")
        screen.requests = []
        // Changes are pushed, so the screen does not poll for them.
        screen.tell(.clock(SimulatedScreen.saturday + 30_000_000))
        #expect(screen.requests.isEmpty)
        tell([])
        #expect(!screen.text.contains("12.0"))
        tell([command])
        screen.press(.character("R"), .character("S"), .character("C"))
        #expect(screen.methods == Array(repeating: "org.todod.Admin.ChangeCommand", count: 3))
    }

    @Test func `commands are followed while they are shown`() {
        var screen = SimulatedScreen(features: ["Todos"])
        let tag = RequestTag(.tabs, ScreenModel.commandsCall)
        func tell() {
            let command: Value = [
                "id": ["sequence": 12, "index": 0], "name": "todos.load", "version": 1, "stage": "parked", "attempts": 2,
                "reason": "no answer", "held": false, "depth": 0, "step": 12, "origin": 1,
            ]
            screen.tell(.reply(tag, SimulatedScreen.reply(["commands": [command], "complete": true], continues: true)))
        }
        screen.press(.tab)
        tell()
        #expect(screen.text.contains("12.0  todos.load") && !screen.requests.contains(.forget(tag)))
        screen.requests = []
        screen.press(.tab)
        #expect(screen.model.shownTab?.isTodos == true && screen.requests.contains(.forget(tag)))
        // A reply in flight is outdated.
        tell()
        screen.requests = []
        screen.press(.tab)
        #expect(screen.methods.contains("org.todod.Admin.FollowCommands") && !screen.text.contains("12.0"))
        tell()
        #expect(screen.text.contains("12.0  todos.load"))
        // A daemon that comes back gets the request only while commands are shown.
        screen.press(.tab)
        screen.requests = []
        screen.tell(.away(Failure(.unreachable, "Gone.")), .connected)
        let names: Value = ["interfaces": ["org.todod.feature.Todos"]]
        screen.tell(.reply(RequestTag(.tabs, ScreenModel.featuresCall), SimulatedScreen.reply(names)))
        #expect(!screen.methods.contains("org.todod.Admin.FollowCommands"))
    }

    @Test(arguments: [80, 200]) func `a pending reminder is shown with its todo and its scheduled time`(columns: Int) {
        var screen = SimulatedScreen(columns: columns, features: ["Counter", "Todos"])
        screen.load([.todo(3, "Call the bank", due: "2026-11-27T14:00")])
        screen.press(.backTab)
        // It is checked when that date begins anywhere on earth.
        let command: Value = [
            "id": ["sequence": 12, "index": 0], "name": "todos.remind", "version": 1, "stage": "waiting", "attempts": 0,
            "arguments": ["id": 3, "time": "2026-11-27T14:00"], "due": .int(SimulatedScreen.saturday + 500_000_000_000),
            "held": false, "depth": 0, "step": 12, "origin": 1,
        ]
        let list = SimulatedScreen.reply(["commands": [command], "complete": true], continues: true)
        screen.tell(.reply(RequestTag(.tabs, ScreenModel.commandsCall), list))
        let line = screen.lines.first { $0.contains("12.0") } ?? ""
        #expect(columns < 200 || line.contains("todos.remind  waiting  3: Call the bank, Fri 27 Nov 2026 14:00"), "\(line)")
        // If the line has no space for that, the pane shows it.
        #expect(screen.text.contains("3: Call the bank, Fri 27 Nov") && !screen.text.contains(" at 2026"), "\(screen.text)")
    }

    @Test func `the tabs of another program's daemon are its features`() {
        var screen = SimulatedScreen(columns: 80, features: ["Counter", "Todos"])
        let names: Value = ["interfaces": ["org.example.Store", "org.example.feature.Links", "org.example.feature.Settings"]]
        screen.tell(.reply(RequestTag(.tabs, ScreenModel.featuresCall), SimulatedScreen.reply(names)))
        #expect(screen.model.tabs.map(\.name) == ["links", "settings", "commands"])
    }

    @Test func `the counter is incremented and decremented`() {
        var screen = SimulatedScreen()
        screen.press(.tab)
        screen.show("counter", ["count": 41, "sign": "positive"])
        #expect(screen.text.contains("counter  41"))
        screen.press(.character("+"))
        #expect(screen.dispatches.last?.actions == [["counter": ["increment": [:]]]])
    }

    @Test func `alerts and questions are counted, dismissed and answered`() {
        var screen = SimulatedScreen()
        screen.show("alerts", ["count": 1, "rows": [["id": 7, "text": "The list could not be loaded"]]])
        let question: Value = ["id": 3, "kind": "language", "parent": 0, "options": ["Swift", "Ada"], "waits": false]
        screen.show("flows", ["rows": [question]])
        #expect(screen.lines[0].contains("! 1 alert") && screen.lines[0].contains("? 1 question"))
        tab("alerts", in: &screen)
        #expect(screen.text.contains("The list could not be loaded"))
        let dismiss = """
            # Alerts.
            interface org.todod.feature.Alerts

            type Action (
              # Dismisses one.
              dismiss: ?(id: int)
            )
            """
        let index = screen.model.tabs.firstIndex { $0.name == "alerts" } ?? 0
        let tag = RequestTag(.tabs, ScreenModel.firstDescription + index)
        screen.tell(.reply(tag, SimulatedScreen.reply(["description": .text(dismiss)])))
        screen.press(.enter)
        #expect(screen.dispatches.isEmpty && screen.typed.contains("dismiss: 7? y to confirm>"), "\(screen.typed)")
        screen.press(.enter, .escape)
        #expect(screen.dispatches.isEmpty && screen.model.prompt == nil)
        screen.press(.enter, .character("y"), .enter)
        #expect(screen.dispatches.last?.actions == [["alerts": ["dismiss": ["id": 7]]]])
        screen.requests = []
        screen.press(.character("x"))
        #expect(screen.dispatches.last?.actions == [["alerts": ["dismiss": ["id": 7]]]])
        tab("flows", in: &screen)
        screen.press(.down, .down, .enter)
        #expect(screen.dispatches.last?.actions == [["flows": ["answer": ["id": 3, "text": "Ada"]]]])
    }

    @Test func `a change of a view is applied to its rows`() {
        var screen = SimulatedScreen()
        tab("posts", in: &screen)
        screen.show(
            "posts",
            ["title": "Posts - (2)", "loading": false, "rows": [["id": 1, "title": "One"], ["id": 2, "title": "Two"]]])
        let changes = [
            Change(path: "", kind: .set, old: ["title": "Posts - (2)"], new: ["title": "Posts - (3)"]),
            Change(path: "rows", kind: .insert, id: 3, at: 1, new: ["id": 3, "title": "Three"]),
            Change(path: "rows", kind: .remove, id: 1, at: 0, old: ["id": 1, "title": "One"]),
        ]
        guard let index = screen.model.tabs.firstIndex(where: { $0.name == "posts" }) else { return }
        let reply: Value = [
            "epoch": 1, "sequence": 50, "time": 1, "complete": true, "records": [], "commands": [], "skipped": 0,
            "changes": .list(changes.map(\.value)),
        ]
        screen.tell(.reply(RequestTag(.tabs, ScreenModel.firstView + index), SimulatedScreen.reply(reply, continues: true)))
        #expect(screen.model.tabs[index].view?["rows"] == [["id": 3, "title": "Three"], ["id": 2, "title": "Two"]])
        #expect(screen.text.contains("Posts - (3)") && !screen.text.contains("One"))
    }

    @Test func `an app without todos shows its features, and their actions can be dispatched`() {
        var screen = SimulatedScreen(features: ["Thermostat"])
        #expect(screen.model.tabs.map(\.name) == ["thermostat", "commands"] && !screen.text.contains("open"))
        screen.show("thermostat", ["degrees": 21, "rooms": [["id": 1, "name": "Kitchen", "warm": true]]])
        let description = """
            # Keeps rooms warm.
            interface org.todod.feature.Thermostat

            type Action (
              # Sets the degrees.
              set: ?(degrees: int),
              # Forgets all.
              reset: ?()
            )
            """
        let tag = RequestTag(.tabs, ScreenModel.firstDescription)
        screen.tell(.reply(tag, SimulatedScreen.reply(["description": .text(description)])))
        #expect(
            screen.text.contains("degrees  21") && screen.text.contains("Kitchen") && screen.text.contains("Sets the degrees."))
        screen.press(.end, .enter)
        #expect(screen.dispatches.isEmpty && screen.typed.contains("reset: y to confirm>"), "\(screen.typed)")
        screen.press(.character("y"), .enter)
        #expect(screen.dispatches.last?.actions == [["reset": [:]]])
        screen.press(.up, .enter)
        screen.type("x")
        #expect(screen.typed.contains("degrees is a whole number"))
        screen.press(.backspace)
        screen.type("19")
        screen.press(.enter)
        #expect(screen.dispatches.last?.actions == [["set": ["degrees": 19]]])
    }

    @Test func `a click selects a tab, and the wheel scrolls`() {
        var screen = SimulatedScreen()
        let place = screen.model.tabPlaces(ScreenRegions(screen.model.size).tabs)[1]
        screen.press(.mouse(MouseEvent(.press(.left), at: Position(column: place.lowerBound + 1, row: 1))))
        #expect(screen.model.shownTab?.name == "counter")
    }
}
