import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct WhatIfTests {
    private static let load: Value = ["todos": ["load": [:]]]

    /// A daemon that loaded three todos between two added ones.
    private func loaded(from server: WebServer) throws -> Daemon {
        let daemon = try Daemon.started(environment: ["TODOD_TODO_SOURCE": server.address])
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        try client.dispatch([Self.load])
        try daemon.state("todos.items") { $0.titles.count == 4 }
        try client.dispatch([Actions.add("Rent a car")])
        return daemon
    }

    private func bytes(_ daemon: Daemon) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: daemon.data + "/data.mdb"))
    }

    @Test func `todoctl applies an altered history once confirmed, and the change can be undone`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        try client.dispatch([Actions.add("Buy the bread")])
        let unasked = try daemon.todoctl("whatif", "--skip", "1", "--apply")
        #expect(unasked.end == .exit(64) && unasked.error.contains("--yes"), "\(unasked)")
        let shown = try daemon.todoctl("whatif", "--skip", "1", "--apply", "--dry-run")
        #expect(shown.lines.contains("Applying this history would change:") && shown.lines.contains("  - 1: Buy the milk"))
        #expect(try client.state("todos.items").titles.count == 2)
        let done = try daemon.todoctl("whatif", "--skip", "1", "--apply", "--yes")
        #expect(done.end == .exit(0) && done.lines.contains("Applied the altered history."), "\(done)")
        #expect(try client.state("todos.items").titles == ["Buy the bread"])
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try client.state("todos.items").titles == ["Buy the bread", "Buy the milk"])
    }

    @Test func `without a load its todos are missing and its command did not run, and nothing is written or run`() throws {
        let server = try WebServer(answering: "Water the plants\nCall the bank\nFeed the cat\n")
        let daemon = try loaded(from: server)
        let client = try daemon.connect()
        let (records, before) = (try client.log(), try bytes(daemon))
        #expect(records.count == 4)

        let answers = try client.stream(
            "org.todod.History.WhatIf", ["alterations": [["skip": 2]]]
        ).filter { $0["to"] != nil }
        let answer = try #require(answers.first)
        #expect(answers.count == 1)
        let changes = answer["changes"]?.list ?? []
        #expect(
            Set(changes.filter { $0["kind"]?.text == "remove" }.compactMap { $0["old"]?["title"]?.text })
                == ["Water the plants", "Call the bank", "Feed the cat"])
        #expect(answer["notRun"]?.list?.compactMap { $0["command"]?["name"]?.text } == ["todos.load"])
        #expect(answer["notRun"]?.list?.compactMap { $0["outcome"]?.text } == ["result"])
        #expect(answer["wouldRun"]?.list?.isEmpty == true)

        let inserted = try client.call(
            "org.todod.History.WhatIf", ["alterations": [["insert": 4, "action": Self.load]], "at": ["back": 0]])
        #expect(inserted["wouldRun"]?.list?.compactMap { $0["command"]?["name"]?.text } == ["todos.load"])
        #expect(inserted["records"]?.list?.compactMap { $0["insertion"]?.int } == [1])

        #expect(try bytes(daemon) == before)
        #expect(try client.log() == records)
        #expect(try daemon.commands().isEmpty)
        #expect(server.requests == 1)
    }

    @Test func `todoctl shows an altered history and its differences`() throws {
        let server = try WebServer(answering: "Water the plants\n")
        let daemon = try Daemon.started(environment: ["TODOD_TODO_SOURCE": server.address])
        let client = try daemon.connect()
        try client.dispatch([Self.load])
        try daemon.state("todos.items") { $0.titles.count == 1 }
        try client.dispatch([Actions.add("Buy the milk")])

        let skipped = try daemon.todoctl("whatif", "--skip", "1")
        #expect(skipped.end == .exit(0))
        #expect(
            skipped.lines == [
                "1  skipped", "2  dropped with its command",
                "- would not run todos.load  (for 1; in the log: result)", "The state would differ:",
                "    - todos.items 1: Water the plants", "Nothing was changed.",
            ], "\(skipped)")

        let milk = #"{"todos": {"add": {"items": [{"title": "Buy the bread"}]}}}"#
        let others = try daemon.todoctl("whatif", "--edit", "3=\(milk)", "--insert", "1=\(milk)", "--only", "--keep-results")
        #expect(others.end == .exit(0))
        #expect(others.text.contains("1.1  would be todos.add"), "\(others)")
        #expect(others.text.contains("3  would be todos.add"), "\(others)")
        #expect(others.text.contains("+ todos.items 3: Buy the bread"), "\(others)")

        let json = try daemon.todoctl("whatif", "--skip", "1..2", "--at", "2", "--json")
        #expect(try Value(parsing: Array((json.lines.last ?? "").utf8))["skipped"]?.int == 2, "\(json)")
        #expect(try client.sequence() == 3)
    }

    @Test func `an invalid query is refused with the reason, and nothing is written`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk"), Actions.increment])
        let questions: [(Value, String)] = [
            (["alterations": [["skip": 9]]], "FutureSequence"),
            (["alterations": [["skip": 2]], "at": ["sequence": 1]], "BadAlteration"),
            (["alterations": [["skip": 0]]], "BadAlteration"),
            (["alterations": [["skip": 2, "through": 1]]], "EmptyRange"),
            (["alterations": [["edit": 1]]], "InvalidParameter"),
            (["alterations": [["skip": 1, "edit": 2]]], "InvalidParameter"),
            (["alterations": [[:]]], "InvalidParameter"),
            (["alterations": [["edit": 1, "action": ["todo": [:]]]]], "UnknownFeature"),
            (["alterations": [["edit": 1, "action": ["todos": ["complete": ["id": "x"]]]]]], "BadAction"),
            (["alterations": [["edit": 2, "action": Actions.complete(77)]]], "UnknownID"),
            (["alterations": [], "at": ["sequence": 3]], "FutureSequence"),
            (["alterations": [], "at": ["bookmark": "nowhere"]], "UnknownBookmark"),
        ]
        for (question, name) in questions {
            #expect(Client.short(try client.ask("org.todod.History.WhatIf", question)) == name, "\(question)")
        }
        #expect(try daemon.todoctl("bookmark", "here").end == .exit(0))
        let bookmark = try daemon.connect().sequence()
        let edited = try daemon.todoctl("whatif", "--edit", #"\#(bookmark)={"counter": {"increment": {}}}"#)
        #expect(
            edited.end != .exit(0) && edited.error.contains("\(bookmark) is of kind bookmark and holds no action"), "\(edited)")
        for arguments in [["--skip", "2..1"], ["--skip", "x"], ["--edit", "1"], ["--edit", "1={"], []] {
            let outcome = try Command.run(
                [Products.todoctl, "whatif"] + arguments, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(outcome.end == .exit(64), "\(arguments) \(outcome)")
        }
        #expect(try client.sequence() == 3)
    }
}
