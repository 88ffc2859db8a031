import Chronicle
import Terminal
import Testing
import TodoAPI
import Varlink

@testable import todoctl

@Suite struct ScreenTimeTests {
    private let milk = Value.todo(1, "Milk")

    private func loaded(columns: Int = 80) -> SimulatedScreen {
        var screen = SimulatedScreen(columns: columns)
        screen.load([milk, .todo(2, "Dog")])
        screen.requests = []
        return screen
    }

    @Test func `a step back shows the past in a marked frame, and Escape the present`() {
        var screen = loaded()
        #expect(screen.lines[0].contains("● LIVE"))
        screen.goBack([Change(path: "todos.items", kind: .replace, id: 1, at: 0, old: milk, new: .todo(1, "Bread"))])
        #expect(screen.model.time.shown == 10 && screen.lines[0].contains("PAST @10 09:00"))
        #expect(screen.text.contains("Bread") && !screen.text.contains("1     Milk"), "\(screen.text)")
        #expect(screen.model.frame == .past)
        screen.press(.escape)
        #expect(screen.lines[0].contains("● LIVE") && screen.text.contains("Milk"))
    }

    @Test func `the past is computed from the present by a diff`() {
        var screen = loaded()
        screen.press(.character(","))
        #expect(screen.call(TimeCall.state) == ["from": ["sequence": 11], "to": ["sequence": 10], "path": "todos.items"])
    }

    @Test func `one further moment is requested while another loads, and of more moves only the newest counts`() {
        var screen = loaded()
        for _ in 0..<6 { screen.press(.character(",")) }
        #expect(screen.model.time.rounds.map(\.moment) == [10, 9])
        screen.answerMoment()
        #expect(screen.model.time.shown == 10 && screen.lines[0].contains("PAST @10"))
        // The diff starts from the moment that is still in flight.
        #expect(screen.call(TimeCall.state)?["from"] == ["sequence": 9] && screen.call(TimeCall.state)?["to"] == ["sequence": 5])
        screen.answerMoment()
        screen.answerMoment()
        #expect(screen.model.time.shown == 5 && screen.model.time.past.moment == 5)
    }

    @Test func `if the daemon is too busy for a moment, both pending moments are requested again`() {
        var screen = loaded()
        screen.press(.character(","), .character(","))
        let busy = Failure(CallError("org.todod.Store.QueryBusy", []), socket: "s")
        let rounds = screen.model.time.rounds
        screen.tell(.reply(RequestTag(.time, rounds[0].base + TimeCall.state), ScreenReply(result: .failure(busy))))
        screen.answer(rounds[1].base + TimeCall.state, ["from": 10, "to": 9, "changes": []])
        #expect(screen.model.time.past.moment == 11)
        screen.tell(.clock(SimulatedScreen.saturday + 1_000_000))
        #expect(screen.call(TimeCall.state)?["from"] == ["sequence": 11] && screen.call(TimeCall.state)?["to"] == ["sequence": 9])
    }

    @Test func `nothing can be changed in the past, and a line says why`() {
        var screen = loaded()
        screen.goBack()
        for key: ScreenKey in [.character("x"), .character("a"), .character("e"), .character("u"), .delete] {
            screen.press(key)
            #expect(screen.typed.contains("This is the past"))
        }
        #expect(screen.dispatches.isEmpty && screen.model.prompt == nil && screen.model.form == nil)
    }

    @Test func `reading sends no writing request`() {
        var screen = loaded()
        screen.goBack()
        screen.press(.character(","), .character("<"), .character(">"), .character("["), .character("]"), .character(" "))
        screen.press(.character("w"), .escape, .character("b"), .escape, .character("d"), .character("i"), .escape)
        let reading: Set = [
            "Log", "Diff", "GetState", "View", "Why", "Scan", "Bookmarks", "Invariants", "WhatIf", "Blame", "Subscribe",
            "Commands",
        ]
        #expect(screen.methods.allSatisfy { reading.contains(Failure.short($0)) })
    }

    @Test func `a preview is shown before it is confirmed and executed once`() {
        var screen = loaded()
        screen.press(.character("u"))
        #expect(screen.call(TimeCall.proposal) == ["dryRun": true])
        let removed = Change(path: "todos.items", kind: .remove, id: 2, at: 1, old: .todo(2, "Dog"))
        let answer: Value = [
            "epoch": 1, "steps": [9], "duplicate": false, "changes": .list([removed.value]), "commands": [], "effects": [],
        ]
        screen.answer(TimeCall.proposal, answer)
        #expect(screen.text.contains("WOULD CHANGE") && screen.text.contains("Dog"))
        screen.press(.character("x"))
        #expect(screen.dispatches.isEmpty)
        screen.press(.enter, .enter)
        let call = screen.call(TimeCall.makeProposal)
        #expect(call?["steps"] == [9] && call?["dryRun"] == nil && call?["key"]?.text?.isEmpty == false)
        let made = screen.requests.count {
            if case .call(RequestTag(.time, TimeCall.makeProposal), _) = $0 { true } else { false }
        }
        #expect(made == 1)
        screen.answer(TimeCall.makeProposal, answer)
        #expect(screen.typed.contains("Undone") && screen.model.time.proposal == nil)
    }

    @Test func `keys still work while a confirmed change waits for the daemon`() {
        var screen = loaded()
        screen.press(.character("u"))
        let removed = Change(path: "todos.items", kind: .remove, id: 2, at: 1, old: .todo(2, "Dog"))
        let answer: Value = [
            "epoch": 1, "steps": [9], "duplicate": false, "changes": .list([removed.value]), "commands": [], "effects": [],
        ]
        screen.answer(TimeCall.proposal, answer)
        #expect(screen.lines.last?.contains("Enter do it") == true)
        screen.press(.enter)
        let key = screen.call(TimeCall.makeProposal)?["key"]
        #expect(screen.lines.last?.contains("Enter") == false && screen.lines.last?.contains("Esc close") == true)
        screen.requests = []
        screen.press(.escape)
        #expect(screen.model.time.proposal == nil && screen.typed.contains("The change continues"))
        #expect(!screen.requests.contains(.forget(RequestTag(.time, TimeCall.makeProposal))))
        // One at a time.
        screen.press(.character("u"))
        #expect(screen.model.time.proposal == nil && screen.call(TimeCall.proposal) == nil)
        screen.press(.character("a"))
        screen.type("Bread")
        #expect(screen.typed.contains("add> Bread"))
        // A daemon that comes back gets the same request.
        screen.tell(.away(Failure(.unreachable, "Gone.")), .connected)
        screen.load([.todo(1, "Milk")])
        #expect(key != nil && screen.call(TimeCall.makeProposal)?["key"] == key)
        screen.answer(TimeCall.makeProposal, answer)
        #expect(
            screen.text.contains("Undone") && screen.typed.contains("add> Bread") && screen.model.time.backgroundChange == nil)
    }

    @Test func `a rejected preview is not executed`() {
        var screen = loaded()
        screen.goBack()
        screen.press(.character("r"))
        #expect(screen.call(TimeCall.proposal) == ["to": ["sequence": 10], "dryRun": true])
        screen.press(.escape)
        #expect(screen.model.time.proposal == nil && screen.call(TimeCall.makeProposal) == nil)
        #expect(screen.lines[0].contains("PAST @10"))
    }

    @Test func `the moment is requested again when the daemon is back`() {
        var screen = loaded()
        screen.press(.character(","))
        screen.tell(.away(Failure(.unreachable, "Gone.")))
        #expect(screen.lines[0].contains("away"))
        screen.requests = []
        screen.tell(.connected)
        #expect(screen.call(TimeCall.state)?["to"] == ["sequence": 10])
    }

    @Test func `the last moment is the present`() {
        var screen = loaded()
        screen.press(.character(","), .character("."))
        #expect(screen.model.time.isLive && screen.lines[0].contains("LIVE"))
    }

    @Test func `the strip has no density if the daemon has no activity method`() {
        var screen = loaded()
        let error = CallError("org.varlink.service.MethodNotFound", [.init("method", "org.todod.History.Scan")])
        screen.tell(.reply(RequestTag(.time, TimeCall.activity), ScreenReply(result: .failure(Failure(error, socket: "s")))))
        #expect(!screen.model.time.hasActivity)
        #expect(screen.text.contains("───●") && screen.typed.isEmpty)
    }

    @Test func `words lead to a moment`() {
        var screen = loaded()
        screen.press(.character("g"))
        screen.type("yesterday 9:00")
        screen.press(.enter)
        #expect(screen.call(TimeCall.seek)?["reverse"] == true && screen.call(TimeCall.seek)?["to"]?["time"] != nil)
        screen.answer(TimeCall.seek, ["records": .list([SimulatedScreen.record(4)])])
        #expect(screen.model.time.wanted == 4)
    }

    @Test func `the next change of the selected todo is searched by its path`() {
        var screen = loaded()
        screen.press(.character("<"))
        #expect(screen.call(TimeCall.seek)?["path"] == "todos.items[1]")
        screen.answer(TimeCall.seek, ["records": .list([SimulatedScreen.record(3)])])
        #expect(screen.model.time.wanted == 3)
    }

    @Test func `at every size the strip is complete or absent, and no line is too wide`() {
        for (columns, rows) in [(80, 24), (200, 60), (40, 20), (20, 8), (10, 3), (1, 1)] {
            var screen = SimulatedScreen(columns: columns, rows: rows)
            screen.load([milk])
            screen.goBack()
            #expect(screen.lines.count == rows && screen.lines.allSatisfy { Width.columns($0) <= columns })
        }
    }
}
