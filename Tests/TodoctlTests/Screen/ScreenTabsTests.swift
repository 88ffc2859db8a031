import Reducing
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

    @Test func `the commands are listed, and the marked one is tried again, skipped or cancelled`() {
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
        // They are told, so nobody asks for them however long they are shown.
        screen.tell(.clock(SimulatedScreen.saturday + 30_000_000))
        #expect(screen.requests.isEmpty)
        tell([])
        #expect(!screen.text.contains("12.0"))
        tell([command])
        screen.press(.character("R"), .character("S"), .character("C"))
        #expect(screen.methods == ["RetryCommand", "SkipCommand", "CancelCommand"].map { "org.todod.Admin." + $0 })
    }

    @Test func `a daemon of before that does not tell of the commands is asked for them when they are shown or changed`() {
        var screen = SimulatedScreen(features: ["Todos"])
        screen.press(.tab)
        screen.requests = []
        let error = CallError("org.varlink.service.MethodNotFound", [.init("method", "org.todod.Admin.FollowCommands")])
        let refusal = ScreenReply(result: .failure(Failure(error, socket: "s")))
        screen.tell(.reply(RequestTag(.tabs, ScreenModel.commandsCall), refusal))
        #expect(screen.methods == ["org.todod.Admin.Commands"])
        screen.tell(.reply(RequestTag(.tabs, ScreenModel.commandsCall), SimulatedScreen.reply(["commands": []])))
        #expect(screen.model.shownTab?.commands?.isEmpty == true && screen.model.shownTab?.failure == nil)
    }

    @Test func `the counter goes up and down`() {
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
        screen.press(.character("x"))
        #expect(screen.dispatches.last?.actions == [["alerts": ["dismiss": ["id": 7]]]])
        tab("flows", in: &screen)
        screen.press(.down, .down, .enter)
        #expect(screen.dispatches.last?.actions == [["flows": ["answer": ["id": 3, "text": "Ada"]]]])
    }

    @Test func `a change of a view is shown where it belongs`() {
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

    @Test func `an app without todos has its features alone, and their actions can be done`() {
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
        #expect(screen.dispatches.last?.actions == [["reset": [:]]])
        screen.press(.up, .enter)
        screen.type("x")
        #expect(screen.typed.contains("degrees is a whole number"))
        screen.press(.backspace)
        screen.type("19")
        screen.press(.enter)
        #expect(screen.dispatches.last?.actions == [["set": ["degrees": 19]]])
    }

    @Test func `a click shows a tab, and the wheel scrolls`() {
        var screen = SimulatedScreen()
        let place = screen.model.tabPlaces(ScreenRegions(screen.model.size).tabs)[1]
        screen.press(.mouse(MouseEvent(.press(.left), at: Position(column: place.lowerBound + 1, row: 1))))
        #expect(screen.model.shownTab?.name == "counter")
    }
}
