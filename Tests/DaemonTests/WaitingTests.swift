import ProcessTesting
import TestSupport
import Testing
import Varlink

/// A client that requests something from a source and waits gets the result.
@Suite(.ownThreads) struct WaitingTests {
    private let loaded = "Loaded 3 todos: Buy the milk, Take my dog, Rent a car.\n"

    /// Runs `todoctl load --wait` concurrently and waits until it follows the log.
    private func startLoading(_ daemon: Daemon) throws -> Background<Command.Outcome> {
        let environment = ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket]
        let loading = Background {
            try Command.run([Products.todoctl, "load", "--wait"], environment: environment, seconds: 120)
        }
        let client = try daemon.connect()
        while try client.status()["subscribers"] == 0 {}
        return loading
    }

    @Test func `a waiting client prints the result as a sentence`() throws {
        let daemon = try Daemon.started()
        for (words, said) in [
            (["load"], loaded), (["posts", "fetch"], "Fetched 10 posts.\n"), (["posts", "more"], "Fetched 8 more posts.\n"),
            (["repos", "reload"], "8 repositories for Swift.\n"),
        ] {
            let outcome = try Command.run(
                [Products.todoctl] + words + ["--wait"], environment: ["TODOD_SOCKET": daemon.socket])
            #expect(outcome.end == .exit(0) && outcome.text == said && outcome.error.isEmpty, "\(outcome)")
        }
        let told = try daemon.todoctl("load", "--wait", "--json")
        let records = try told.lines.map { try Value(parsing: $0) }
        #expect(told.end == .exit(0) && records.map { $0["kind"]?.text } == ["action", "end"], "\(told)")
        let unwaited = try daemon.todoctl("load")
        #expect(unwaited.text == "Loading. To see them come: todoctl watch todos\n", "\(unwaited)")
    }

    @Test func `the wait continues across a crash of the daemon`() throws {
        let daemon = try Daemon.started()
        _ = try daemon.connect().call("org.todod.Admin.Hold", ["on": true])
        let loading = try startLoading(daemon)
        try daemon.crash()
        _ = try daemon.connect().call("org.todod.Admin.Hold", ["on": false])
        let outcome = try loading.value()
        #expect(outcome.end == .exit(0) && outcome.text == loaded, "\(outcome)")
    }

    @Test func `the wait includes a later load that supersedes the first one`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        let loading = try startLoading(daemon)
        try client.dispatch([["todos": ["load": [:]]]])
        _ = try client.call("org.todod.Admin.Hold", ["on": false])
        let outcome = try loading.value()
        #expect(outcome.end == .exit(0) && outcome.text == loaded, "\(outcome)")
    }

    @Test func `a failure is printed with its reason, and with a remedy if the command is parked`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        let skipped = try startLoading(daemon)
        let id = try #require(try daemon.commands().first?["id"])
        _ = try client.call("org.todod.Admin.ChangeCommand", ["id": id, "operation": "skip"])
        let nothing = try skipped.value()
        #expect(nothing.end == .exit(1) && nothing.output.isEmpty, "\(nothing)")
        #expect(nothing.error.hasSuffix("todoctl: The todos could not be loaded: it was skipped\n"), "\(nothing)")
        _ = try client.call("org.todod.Admin.Hold", ["on": false])

        #expect(try daemon.todoctl("invariant", "add", "few", "count(todos.items) < 2").end == .exit(0))
        let parked = try daemon.todoctl("load", "--wait")
        #expect(parked.end == .exit(1) && parked.output.isEmpty, "\(parked)")
        #expect(parked.error.contains("The todos could not be loaded so far: "), "\(parked)")
        #expect(parked.error.contains("invariant few") && parked.error.contains("todoctl commands retry "), "\(parked)")
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `on a terminal the client waits and reports held commands, the latter also without waiting`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("commands", "hold").end == .exit(0))
        let terminal = try Terminal(daemon.directory.path)
        let todoctl = "'\(Products.todoctl)' --socket '\(daemon.socket)'"
        try terminal.press("clear; \(todoctl) posts fetch --no-wait", "Enter")
        #expect(try terminal.shows("Fetching. To read them: todoctl posts list"))
        #expect(try terminal.shows("Commands are held: todoctl commands release"))
        try terminal.press("clear; \(todoctl) load", "Enter")
        #expect(try terminal.shows("Commands are held: todoctl commands release") && terminal.shows("Loading, "))
        #expect(try daemon.todoctl("commands", "release").end == .exit(0))
        #expect(try terminal.shows("Loaded 3 todos: Buy the milk, Take my dog, Rent a car."))
        #expect(try terminal.hides("Loading, ") && terminal.shows("(todoctl undo "))
    }
}
