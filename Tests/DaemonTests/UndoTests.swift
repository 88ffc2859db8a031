import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

/// Undo and redo, over the wire and with todoctl.
@Suite(.ownThreads) struct UndoTests {
    private let increment: Value = ["counter": ["increment": [:]]]

    private func titles(_ client: Client) throws -> [String] { try client.state("todos.items").titles }

    @Test func `todoctl undoes and redoes steps, and the log only grows`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        #expect(try daemon.todoctl("undo").end == .exit(1))
        try client.dispatch([Actions.add("Buy the milk", "Buy the bread")])
        #expect(try daemon.todoctl("remove", "1").end == .exit(0))
        let trial = try daemon.todoctl("undo", "--dry-run")
        #expect(trial.lines == ["Would undo: remove 1 (Buy the milk is back)"])
        #expect(try titles(client) == ["Buy the bread"])
        #expect(try daemon.todoctl("undo").lines == ["Undone: remove 1 (Buy the milk is back)"])
        #expect(try titles(client) == ["Buy the milk", "Buy the bread"])
        #expect(try daemon.todoctl("redo").end == .exit(0))
        #expect(try titles(client) == ["Buy the bread"])
        #expect(try daemon.todoctl("redo").error.contains("nothing to redo"))
        #expect(try daemon.todoctl("undo", "--count", "2").end == .exit(0))
        #expect(try titles(client).isEmpty)
        #expect(try daemon.todoctl("undo", "1").error.contains("is already undone"))
        #expect(try daemon.todoctl("undo", "99").end == .exit(64))
        #expect(try daemon.todoctl("undo", "--count", "0").end == .exit(64))
        #expect(try client.log().compactMap { $0["undoes"]?.int } == [2, 3, 4, 1, 1])
    }

    @Test
    func `a call is refused if its outcome is not the expected one of the dry run, and unrelated changes are ignored`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        func ask(_ method: String, _ input: Value, _ more: Value) throws -> Reply {
            try client.ask("org.todod.History." + method, .record((input.record ?? []) + (more.record ?? [])))
        }
        func outcome(_ method: String, _ input: Value = [:]) throws -> Value {
            try #require(Value.record(try ask(method, input, ["dryRun": true]).parameters)["outcome"])
        }
        let calls: [(String, Value)] = [
            ("Undo", ["steps": [1], "force": true]), ("Revert", ["to": ["sequence": 0]]),
            ("ApplyWhatIf", ["alterations": [["skip": 1]]]),
        ]
        for (method, input) in calls {
            let shown = try outcome(method, input)
            try client.dispatch([Actions.complete(1)])
            #expect(Client.short(try ask(method, input, ["expectedOutcome": shown])) == "StaleSequence", "\(method)")
            #expect(try titles(client) == ["Buy the milk"])
            #expect(Client.short(try ask(method, input, ["expectedOutcome": "what"])) == "InvalidParameter")
            try client.dispatch([Actions.reopen(1)])
        }
        let shown = try outcome("Undo", ["steps": [1]])
        try client.dispatch([increment])
        let done = try ask("Undo", ["steps": [1]], ["expectedOutcome": shown])
        #expect(done.error == nil && Value.record(done.parameters)["outcome"] == nil, "\(done)")
        #expect(try titles(client).isEmpty)
        let redo: Value = ["redo": true]
        #expect(try ask("Undo", redo, ["expectedOutcome": try outcome("Undo", redo)]).error == nil)
        for wrong in [["steps": [1]], ["place": "counter.count"]] as [Value] {
            #expect(Client.short(try ask("Undo", redo, wrong)) == "InvalidParameter")
        }
        #expect(try titles(client) == ["Buy the milk"])
    }

    @Test func `undoing a move is reported with the title of the todo`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk", "Buy the bread", "Rent a car")])
        #expect(try daemon.todoctl("move", "3", "--top").end == .exit(0))
        #expect(try daemon.todoctl("undo", "--dry-run").lines == ["Would undo: move 3 (Rent a car: place 1 → 3)"])
        #expect(try daemon.todoctl("undo").lines == ["Undone: move 3 (Rent a car: place 1 → 3)"])
        #expect(try daemon.todoctl("redo").lines == ["Redone: move 3 (Rent a car: place 3 → 1)"])
    }

    @Test func `a move of several todos is one sentence with its user in the list of steps`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk", "Buy the bread", "Rent a car", "Take my dog", "Feed the cat")])
        #expect(try daemon.todoctl("move", "4,3", "--bottom").end == .exit(0))
        let steps = try daemon.todoctl("steps").lines
        #expect(steps.count == 2 && steps[0].hasSuffix("  you  moved 4: Take my dog and 3: Rent a car to places 4–5"), "\(steps)")
    }

    @Test func `undoing a restore names the restored todo`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        #expect(try daemon.todoctl("remove", "1").end == .exit(0))
        #expect(try daemon.todoctl("restore", "todos.items[1]", "--from", "1", "--yes").end == .exit(0))
        #expect(try daemon.todoctl("undo").lines == ["Undone: put back 1 as it was at 1 (Buy the milk is gone)"])
        #expect(try daemon.todoctl("redo").lines == ["Redone: put back 1 as it was at 1 (Buy the milk is back)"])
    }

    @Test func `an invalid bookmark name is refused with the reason`() throws {
        let daemon = try Daemon.started()
        let rows = [
            ("bad name", "todoctl: A bookmark's name has letters, digits, '-', '_' and '.'.\n"),
            ("3x", "todoctl: A bookmark's name begins with a letter.\n"),
            ("friday", "todoctl: friday is a moment, or the beginning of one. Choose another name.\n"),
        ]
        for (name, said) in rows {
            let refused = try daemon.todoctl("bookmark", name)
            #expect(refused.end == .exit(64) && refused.error == said, "\(refused)")
        }
    }

    @Test func `steps are listed, and a single path can be restored and undone`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        #expect(try daemon.todoctl("steps").text.hasPrefix("You have no steps yet."))
        try client.dispatch([Actions.add("Buy the milk")])
        #expect(try daemon.todoctl("edit", "1", "--", "Buy", "the", "bread").end == .exit(0))
        #expect(try daemon.todoctl("counter", "increment").end == .exit(0))
        #expect(try daemon.todoctl("undo").end == .exit(0))
        let steps = try daemon.todoctl("steps").lines
        #expect(steps.count == 3 && steps[0].hasPrefix("3  ") && steps[0].hasSuffix("counted up to 1  undone by 4"), "\(steps)")
        #expect(steps[2].hasPrefix("1  ") && steps[2].hasSuffix("  added 1: Buy the milk"))
        #expect(try daemon.todoctl("steps", "--json").text.contains("\"stage\":\"undone\""))
        let restored = try daemon.todoctl("restore", "todos.items[1].title", "--from", "1", "--yes")
        #expect(restored.end == .exit(0) && restored.lines.first == "todos.items[1].title is as it was at 1.", "\(restored)")
        #expect(try titles(client) == ["Buy the milk"])
        #expect(try daemon.todoctl("log", "--raw", "--from", "5").text.contains("(as it was at 1)"))
        let would = try daemon.todoctl("undo", "--path", "todos.items[1]", "--dry-run").lines.first
        #expect(would == "Would undo there: add Buy the milk (Buy the milk is gone)")
        let undone = try daemon.todoctl("undo", "--path", "todos.items[1]").lines.first
        #expect(undone == "Undone there: add Buy the milk (Buy the milk is gone)")
        #expect(try titles(client).isEmpty)
        #expect(try daemon.todoctl("undo", "--path", "todos.items[1]").end == .exit(1))
        #expect(
            try daemon.todoctl("restore", "todos.nextID", "--from", "1", "--yes").error.contains("not the next id"))
        #expect(try daemon.todoctl("revert", "--to", "1", "--scope", "todos", "--yes").lines.first == "todos is as it was at 1.")
        #expect(try titles(client) == ["Buy the milk"])
        #expect(try daemon.todoctl("verify").end == .exit(0))
    }

    @Test func `a bisection with a program finds the first record that the program rejects`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<9 { try client.dispatch([increment]) }
        let program = try daemon.directory.writeProgram("#!/bin/sh\n! grep -Eq '\"count\":[6-9]'\n", to: "check")
        let found = try daemon.todoctl("bisect", "--exec", program)
        #expect(found.end == .exit(0) && found.lines.first == "The first bad record is 6, found by binary search.", "\(found)")
        #expect(try daemon.todoctl("bisect", "--exec", program, "--bad", "4").error.contains("accepts record 4"))
        #expect(try daemon.todoctl("bisect", "--exec", "/nowhere/program").error.contains("can't be run"))
    }

    @Test func `a field without changes to undo is reported with the command that shows its log`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Buy the milk").end == .exit(0))
        #expect(try daemon.todoctl("edit", "1", "--priority", "high").end == .exit(0))
        let told = """
            todoctl: Nothing that can be undone has changed todos.items[1].title.
            To see what changed it: todoctl log --path 'todos.items[1].title'

            """
        let refused = try daemon.todoctl("undo", "--path", "todos.items[1].title")
        #expect(refused.end == .exit(1) && refused.error == told, "\(refused)")
        #expect(try daemon.todoctl("edit", "1", "--", "Buy", "bread").end == .exit(0))
        #expect(try daemon.todoctl("undo", "--path", "todos.items[1].title").end == .exit(0))
        #expect(try daemon.todoctl("undo", "--path", "todos.items[1].title").error == told)
    }

    @Test func `steps can be undone and redone after a crash`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for title in ["One", "Two", "Three"] { try client.dispatch([Actions.add("Number " + title)]) }
        #expect(try daemon.todoctl("undo").end == .exit(0))
        try daemon.crash()
        let second = try daemon.connect()
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try titles(second) == ["Number One"])
        #expect(try daemon.todoctl("redo", "--count", "2").end == .exit(0))
        #expect(try titles(second) == ["Number Three", "Number Two", "Number One"])
        #expect(try daemon.todoctl("verify").end == .exit(0))
    }

    @Test func `a conflict with a later change is named, and nothing is undone without force`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        try client.dispatch([Actions.edit(1, title: "Buy oat milk")])
        try client.dispatch([Actions.edit(1, title: "Buy rice milk")])
        let refused = try client.ask("org.todod.History.Undo", ["steps": [2]])
        #expect(Client.short(refused) == "ChangedSince")
        let conflict = refused.parameters["conflicts"]?.list?.first
        #expect(conflict?["path"]?.text == "todos.items[1].title")
        #expect(conflict?["expected"]?["value"]?.text == "Buy oat milk")
        #expect(conflict?["found"]?["value"]?.text == "Buy rice milk")
        #expect(try client.sequence() == 3)
        let told = try daemon.todoctl("undo", "2")
        #expect(told.end == .exit(1) && told.error.contains("todos.items[1].title") && told.error.contains("Buy rice milk"))
        #expect(try daemon.todoctl("undo", "2", "--force").end == .exit(0))
        #expect(try titles(client) == ["Buy the milk"])
    }

    @Test func `an undo that is repeated with its key is executed once`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<3 { try client.dispatch([increment]) }
        let first = try client.call("org.todod.History.Undo", ["key": "once"])
        let again = try client.call("org.todod.History.Undo", ["key": "once"])
        #expect(first["duplicate"]?.bool == false && again["duplicate"]?.bool == true)
        #expect(first["steps"] == again["steps"] && first["step"] == again["step"] && first["step"]?.int == 4)
        #expect(try client.state("counter")["counter"]?["count"]?.int == 2)
        #expect(Client.short(try client.ask("org.todod.History.Undo", ["count": 2, "key": "once"])) == "KeyReused")
    }

    @Test func `two clients that undo and redo concurrently never get an error`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<60 { try client.dispatch([increment]) }
        _ = try onThreads(2) { [socket = daemon.socket] _ in
            let client = try Client(socket, seconds: 60)
            for _ in 0..<200 {
                _ = try client.call("org.todod.History.Undo")
                _ = try client.call("org.todod.History.Undo", ["redo": true])
            }
        }
        #expect(try client.state("counter")["counter"]?["count"]?.int == 60)
    }

    @Test func `undoing a load in progress cancels it and restores the previous todos`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let before = try client.state()
        try client.dispatch([["todos": ["load": [:]]]])
        #expect(try daemon.todoctl("undo", "1").end == .exit(0))
        var after = try client.state()
        #expect(after["todos"] == before["todos"])
        #expect(after["alerts"]?["items"]?.list?.isEmpty == true)
        #expect(try client.status()["outbox"]?["open"]?.int == 0)
        let end = try client.log()[1]
        #expect(end["kind"]?.text == "end" && end["undoes"]?.int == 1)
        // The redo requests the load again, which now completes.
        #expect(try daemon.todoctl("redo").end == .exit(0))
        try daemon.state("todos.items") { $0.titles.count == 3 }
        #expect(try daemon.todoctl("undo").end == .exit(0))
        after = try client.state()
        #expect(after["todos"]?["items"]?.list?.isEmpty == true)
    }

    @Test func `a step that only requested data is listed, skipped by undo, and undone by its number`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        let step = try client.dispatch([["todos": ["load": [:]]]]).sequences[0]
        let nothing = try daemon.todoctl("undo")
        #expect(nothing.end == .exit(1) && nothing.error.contains("requests for data are undone by number"), "\(nothing)")
        #expect(
            try daemon.todoctl("steps").text.hasSuffix("asked for todos to be loaded  commands: 1 open  undone only by number\n"))
        try client.dispatch([increment])
        try client.dispatch([["posts": ["fetch": [:]]]])
        #expect(try daemon.todoctl("undo").lines.first?.hasPrefix("Undone: counter increment") == true)
        #expect(try client.status()["outbox"]?["open"]?.int == 2)
        #expect(try daemon.todoctl("redo").end == .exit(0))
        #expect(try daemon.todoctl("undo", "\(step)").end == .exit(0))
        #expect(try client.status()["outbox"]?["open"]?.int == 1)
    }

    @Test func `undoing a star names it and removes it`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        #expect(try daemon.todoctl("star", "press", "swift").end == .exit(0))
        try daemon.state("stars.items") { $0["stars"]?["items"]?["swift"]?["phase"]?.text == "star" }
        let undone = try daemon.todoctl("undo")
        #expect(undone.text == "Undone: star press swift (the star of swift is being taken back)\n", "\(undone)")
        try daemon.state("stars.items") { $0["stars"]?["items"]?["swift"] == nil }
        #expect(try client.status()["outbox"]?["open"]?.int == 0)
    }

    @Test func `a revert is previewed, needs confirmation, and can be undone`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        try client.dispatch([Actions.complete(1), increment])
        try client.dispatch([Actions.remove(1)])
        let later = try client.state()
        let unasked = try daemon.todoctl("revert", "--to", "1")
        #expect(unasked.end == .exit(64) && unasked.text.contains("+ 1: Buy the milk"), "\(unasked)")
        #expect(try client.sequence() == 4)
        #expect(try daemon.todoctl("revert", "--to", "-3", "--dry-run").end == .exit(0))
        #expect(try daemon.todoctl("revert", "--to", "1", "--yes").lines.first == "Back at 1.")
        #expect(try titles(client) == ["Buy the milk"])
        #expect(try client.state("counter")["counter"]?["count"]?.int == 0)
        #expect(try daemon.todoctl("revert", "--to", "1").lines == ["Everything is as it was at 1 already."])
        let nothing = try daemon.todoctl("revert", "--to", "1", "--json")
        #expect(nothing.end == .exit(0) && nothing.text.contains("\"changes\":[]"), "\(nothing)")
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try client.state() == later)
        #expect(Client.short(try client.ask("org.todod.History.Revert", ["to": ["sequence": 999]])) == "FutureSequence")
        #expect(Client.short(try client.ask("org.todod.History.Revert", ["to": ["bookmark": "never"]])) == "UnknownBookmark")
    }

    @Test func `each of 200 mixed actions is undone and redone`() throws {
        let server = try WebServer(answering: "Water the plants\nCall the bank\n")
        let daemon = try Daemon.started(environment: ["TODOD_TODO_SOURCE": server.address])
        let client = try daemon.connect()
        var dice = SeededGenerator(11)
        for number in 1...200 {
            let before = try settled(client)
            let reply = try client.ask("org.todod.Store.Dispatch", Client.dispatch([action(number, &dice)]))
            guard Client.short(reply).isEmpty else { continue }
            let after = try settled(client)
            if after == before { continue }
            let head = try client.sequence()
            // By its number, because undo skips steps that only request data.
            let step = try #require(reply.parameters["sequences"]?.list?.first)
            #expect(try client.call("org.todod.History.Undo", ["steps": [step]])["steps"]?.list?.count == 1, "\(number)")
            #expect(try settled(client) == before, "undo \(number)")
            _ = try client.call("org.todod.History.Undo", ["redo": true])
            #expect(try settled(client) == after, "redo \(number)")
            #expect(try client.sequence() > head)
        }
        let state = try settled(client)
        try daemon.crash()
        let second = try daemon.connect()
        #expect(try settled(second) == state)
        #expect(try daemon.todoctl("verify").end == .exit(0))
    }

    /// The state once no command is open, without the next ids, which no undo reverts.
    private func settled(_ client: Client) throws -> Value {
        while try client.status()["outbox"]?["open"]?.int != 0 {}
        return try client.state().without("nextID")
    }

    private func action(_ number: Int, _ dice: inout SeededGenerator) -> Value {
        let id = Int64.random(in: 1...Int64(max(number / 3, 1)), using: &dice)
        switch Int.random(in: 0...15, using: &dice) {
        case 0, 1, 2: return Actions.add("Todo \(number)", "And \(number)")
        case 3: return Actions.edit(id, title: "Edited \(number)")
        case 4: return Actions.complete(id)
        case 5: return Actions.reopen(id)
        case 6: return Actions.remove(id)
        case 7: return Actions.move(id, to: Int64.random(in: 0...5, using: &dice))
        case 8: return ["todos": ["clearCompleted": [:]]]
        case 9: return ["todos": ["load": [:]]]
        case 10: return increment
        case 11: return ["counter": ["reset": [:]]]
        case 12: return ["flows": ["start": ["kind": "welcome"]]]
        case 13: return ["flows": ["cancel": ["id": .int(Int64.random(in: 1...8, using: &dice))]]]
        case 14: return ["repositories": ["setLanguage": ["language": .text(Bool.random(using: &dice) ? "Swift" : "Java")]]]
        default: return ["alerts": ["dismissAll": [:]]]
        }
    }
}

extension Value {
    /// A copy without the fields of a name at any depth.
    fileprivate func without(_ name: String) -> Value {
        switch self {
        case .record(let members):
            .record(members.filter { $0.name != name }.map { .init($0.name, $0.value.without(name)) })
        case .list(let elements): .list(elements.map { $0.without(name) })
        default: self
        }
    }
}
