import ProcessTesting
import TestSupport
import Testing
import Varlink

/// Whoever asks a source for something and waits is told what came of it.
@Suite(.ownThreads) struct WaitingTests {
    private let loaded = "Loaded 3 todos: Buy the milk, Take my dog, Rent a car.\n"

    /// Runs `todoctl load --wait` beside the test, and waits until it follows the log.
    private func startLoading(_ daemon: Daemon) throws -> Background<Command.Outcome> {
        let environment = ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket]
        let loading = Background {
            try Command.run([Products.todoctl, "load", "--wait"], environment: environment, seconds: 120)
        }
        let client = try daemon.connect()
        while try client.status()["subscribers"] == 0 {}
        return loading
    }

    @Test func `whoever waits is told in a sentence what came`() throws {
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

    @Test func `it is waited for over a crash of the daemon`() throws {
        let daemon = try Daemon.started()
        _ = try daemon.connect().call("org.todod.Admin.Hold", ["on": true])
        let loading = try startLoading(daemon)
        try daemon.crash()
        _ = try daemon.connect().call("org.todod.Admin.Hold", ["on": false])
        let outcome = try loading.value()
        #expect(outcome.end == .exit(0) && outcome.text == loaded, "\(outcome)")
    }

    @Test func `what a later load brings is meant when that takes the place of the one that is waited for`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        let loading = try startLoading(daemon)
        try client.dispatch([["todos": ["load": [:]]]])
        _ = try client.call("org.todod.Admin.Hold", ["on": false])
        let outcome = try loading.value()
        #expect(outcome.end == .exit(0) && outcome.text == loaded, "\(outcome)")
    }

    @Test func `why nothing came is said, and what to do where the command waits for a person`() throws {
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
    func `on a terminal it is waited for, and that commands are held is said, also by whoever does not wait`() throws {
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
