import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct ChoosingTests {
    /// Runs todoctl concurrently with the test.
    private func background(_ daemon: Daemon, _ arguments: String...) -> Background<Command.Outcome> {
        let environment = ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket]
        return Background { try Command.run([Products.todoctl] + arguments, environment: environment, seconds: 120) }
    }

    /// Waits for an open question and returns its id.
    private func question(_ daemon: Daemon) throws -> Int64 {
        let state = try daemon.state("flows.items") { $0["flows"]?["items"]?.list?.isEmpty == false }
        return try #require(state["flows"]?["items"]?.list?.first?["id"]?.int)
    }

    @Test func `a question outlives a crash and is answered from another terminal`() throws {
        let daemon = try Daemon.started()
        let chooser = background(daemon, "repos", "choose")
        let id = try question(daemon)
        try daemon.crash()
        #expect(try question(daemon) == id)
        let wrong = try daemon.todoctl("flow", "answer", "\(id)", "Klingon")
        #expect(wrong.end == .exit(1) && wrong.error.contains("Swift"), "\(wrong)")
        let answer = try daemon.todoctl("flow", "answer", "\(id)", "C++")
        #expect(answer.end == .exit(0), "\(answer)")
        let chosen = try chooser.value()
        #expect(chosen.end == .exit(0) && chosen.text == "C++\n", "\(chosen)")
        #expect(try daemon.connect().state("repositories.language")["repositories"]?["language"]?.text == "C++")

        let before = try daemon.connect().sequence()
        let client = try daemon.connect()
        #expect(try client.refusal([["flows": ["answer": ["id": .int(id), "text": "Java"]]]]) == "UnknownFlow")
        #expect(try client.refusal([["flows": ["cancel": ["id": 99]]]]) == "UnknownFlow")
        let after = try client.log(from: before).dropFirst()
        #expect(after.allSatisfy { $0["kind"]?.text == "end" }, "\(after)")
    }

    @Test func `cancelling a question ends it for all waiting clients and changes nothing else`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("repos", "choose", "--cancel").end == .exit(1))
        #expect(try daemon.connect().sequence() == 0)
        let chooser = background(daemon, "repos", "choose")
        _ = try question(daemon)
        let before = try daemon.connect().state("repositories")
        let cancelled = try daemon.todoctl("repos", "choose", "--cancel")
        #expect(cancelled.end == .exit(1) && cancelled.output.isEmpty && !cancelled.error.isEmpty, "\(cancelled)")
        let outcome = try chooser.value()
        #expect(outcome.end == .exit(1) && outcome.output.isEmpty, "\(outcome)")
        #expect(try daemon.todoctl("flow").text.isEmpty)
        #expect(try daemon.connect().state("repositories") == before)
    }

    @Test func `a language can be given at once if it exists`() throws {
        let daemon = try Daemon.started()
        let unknown = try daemon.todoctl("repos", "choose", "--language", "Klingon")
        #expect(unknown.end == .exit(1) && unknown.error.contains("Klingon"), "\(unknown)")
        #expect(try daemon.connect().sequence() == 0)
        let chosen = try daemon.todoctl("repos", "choose", "--language", "Java")
        #expect(chosen.end == .exit(0) && chosen.text == "Java\n", "\(chosen)")
    }

    @Test func `on a dumb terminal the languages are listed, and a number is an answer`() throws {
        guard let script = Products.tool("script") else { return }
        let daemon = try Daemon.started()
        let outcome = try Command.run(
            [script, "-qec", "'\(Products.todoctl)' repos choose", "/dev/null"],
            environment: ["TODOD_SOCKET": daemon.socket, "TERM": "dumb", "HOME": daemon.directory.path],
            input: Array("Klingon\n3\n".utf8), seconds: 60)
        #expect(outcome.end == .exit(0) && outcome.text.contains("1  Swift"), "\(outcome)")
        #expect(outcome.text.contains("takes one of these answers"), "\(outcome)")
        #expect(try daemon.connect().state("repositories.language")["repositories"]?["language"]?.text == "Java")
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `on a terminal a language is selected with arrows, letters or a number and chosen with Enter`() throws {
        let daemon = try Daemon.started()
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press("export LC_ALL=C.UTF-8 TODOD_SOCKET='\(daemon.socket)'; clear; printf 'cle%s\\n' ared", "Enter")
        // Earlier input is cleared as well.
        #expect(try terminal.shows("cleared"))
        try terminal.press("'\(Products.todoctl)' repos choose; echo status $?", "Enter")
        #expect(try terminal.shows("> 1  Swift"))
        try terminal.press("Down", "j")
        #expect(try terminal.shows("> 3  Java"))
        try terminal.press("Up", "k", "5")
        #expect(try terminal.shows("> 5  C++"))
        try terminal.press("Enter")
        #expect(try terminal.shows("\nC++\n(todoctl undo ") && terminal.shows("status 0"))
        #expect(try daemon.connect().state("repositories.language")["repositories"]?["language"]?.text == "C++")

        // Esc chooses nothing, Ctrl-C leaves the question open, and both restore the echo of keys.
        try terminal.press("clear; '\(Products.todoctl)' repos choose; echo status $?", "Enter")
        #expect(try terminal.shows("> 1  Swift"))
        try terminal.press("Escape")
        #expect(try terminal.shows("was cancelled") && terminal.shows("status 1"))
        try terminal.press("clear; '\(Products.todoctl)' repos choose", "Enter")
        #expect(try terminal.shows("> 1  Swift"))
        try terminal.press("C-c")
        // Earlier input belongs to the menu and disappears with it.
        #expect(try terminal.isFilled(false))
        try terminal.press("echo it goes on", "Enter")
        #expect(try terminal.shows("echo it goes on"))
        #expect(try daemon.todoctl("flow").text.isEmpty == false)
    }

    @Test func `starting a flow whose kind is already open returns the id of the open one, for every caller`()
        throws
    {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let start: Value = ["flows": ["start": ["kind": "language"]]]
        let first = try client.call("org.todod.Store.Dispatch", Client.dispatch([start]))
        #expect(first["ids"] == [1] && first["existing"] == nil, "\(first)")
        let other = try daemon.connect()
        let again = Client.dispatch([start], key: "again")
        for isDuplicate in [false, true] {
            let answer = try other.call("org.todod.Store.Dispatch", again)
            #expect(answer["existing"] == [1] && answer["ids"] == [] && answer["sequences"] == [], "\(answer)")
            #expect(answer["duplicate"]?.bool == isDuplicate)
        }
        let opened = try other.call("org.todod.Store.Open", ["link": "todod:/flows/language"])
        #expect(opened["existing"] == [1], "\(opened)")
        // Rows of keys contain the ids that their records assigned, and nothing else.
        #expect(try client.stream("org.todod.Admin.Verify").last?["damages"] == [])
    }

    @Test func `cancelling a flow also cancels its commands, without a failure`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        let id = try #require(try client.dispatch([["flows": ["start": ["kind": "root"]]]]).ids.first)
        try client.dispatch([["flows": ["start": ["kind": "language"]]]])
        #expect(try daemon.commands().compactMap { $0["name"]?.text } == ["repositories.languages"])
        try client.dispatch([["flows": ["cancel": ["id": .int(id)]]]])
        #expect(try daemon.commands().isEmpty)
        #expect(try client.log().compactMap { $0["outcome"]?.text } == ["cancelled"])
        #expect(try daemon.todoctl("flow").text.isEmpty)
        #expect(try client.state("alerts.items")["alerts"]?["items"] == [])
    }

    @Test func `a question with a deadline ends in time, despite a crash, for waiting clients and in the log`() throws {
        let daemon = try Daemon.started()
        let chooser = background(daemon, "repos", "choose", "--within", "4s")
        let id = try question(daemon)
        #expect(try daemon.commands().contains { $0["name"]?.text == "flows.timeOut" && $0["due"]?.int != nil })
        #expect(try daemon.todoctl("flow").text.contains(", until "))
        try daemon.crash()
        let outcome = try chooser.value()
        #expect(outcome.end == .exit(75) && outcome.output.isEmpty && outcome.error.contains("timed out"), "\(outcome)")
        #expect(try daemon.connect().state("flows")["flows"]?["timedOut"]?.int == id)
        #expect(try daemon.todoctl("log", "--raw").text.contains("flows.timedOut id \(id)"))
        #expect(try daemon.todoctl("flow").text.isEmpty)
        #expect(try daemon.commands().isEmpty)
        #expect(try daemon.todoctl("repos", "choose", "--within", "soon").end == .exit(64))
        #expect(try daemon.todoctl("verify").end == .exit(0))
    }

    @Test func `answering a question cancels its deadline`() throws {
        let daemon = try Daemon.started()
        let chosen = try daemon.todoctl("repos", "choose", "--within", "1h", "--language", "Java")
        #expect(chosen.end == .exit(0) && chosen.text == "Java\n", "\(chosen)")
        #expect(try daemon.commands().allSatisfy { $0["name"]?.text != "flows.timeOut" })
    }
}
