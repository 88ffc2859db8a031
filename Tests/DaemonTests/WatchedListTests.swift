import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct WatchedListTests {
    private func watch(_ daemon: Daemon, _ words: String...) throws -> LiveProgram {
        try LiveProgram(
            [Products.todoctl, "watch"] + words, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
    }

    private func add(_ daemon: Daemon, _ words: String...) throws {
        let added = try Command.run(
            [Products.todoctl, "add"] + words, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
        #expect(added.end == .exit(0), "\(added)")
    }

    @Test(arguments: [false, true])
    func `a watched filter prints todos that enter and leave it, across a restart`(crash: Bool) throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank", "+work")
        try add(daemon, "Buy the milk", "+home")
        let watch = try watch(daemon, "+work", "-someday")
        #expect(try watch.line()?.hasSuffix("1 [ ] Call the bank  #work") == true)
        try add(daemon, "Water the plants", "+home")
        try add(daemon, "Write report", "+work.report")
        #expect(try watch.line()?.hasSuffix("  + 4: Write report") == true)
        #expect(try daemon.todoctl("edit", "4", "--title", "Write the report").end == .exit(0))
        #expect(try watch.line()?.hasSuffix("  4: Write report → Write the report") == true)
        #expect(try daemon.todoctl("edit", "2", "--tag", "work").end == .exit(0))
        #expect(try watch.line()?.hasSuffix("  + 2: Buy the milk") == true)
        if crash { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
        try daemon.start()
        #expect(try daemon.todoctl("done", "1").end == .exit(0))
        #expect(try watch.line()?.hasSuffix("  - 1: Call the bank") == true)
        #expect(try daemon.todoctl("edit", "4", "--tag", "someday").end == .exit(0))
        #expect(try watch.line()?.hasSuffix("  - 4: Write the report") == true)
    }

    @Test func `JSON output has the todos and then their changes`() throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank", "+work")
        let watch = try watch(daemon, "+work", "--json")
        let first = try Value(parsing: try #require(try watch.line()))
        #expect(first["state"]?["todos"]?["items"]?.list?.compactMap { $0["id"]?.int } == [1])
        try add(daemon, "Buy the milk", "+home")
        try add(daemon, "Write report", "+work")
        let next = try Value(parsing: try #require(try watch.line()))
        #expect(next["sequence"]?.int == 3 && next["changes"]?.list?.count == 1)
        #expect(next["changes"]?.list?.first?["new"]?["title"]?.text == "Write report")
    }

    @Test func `a changed view is another filter from the next record on`() throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank", "+work")
        try add(daemon, "Buy the milk", "+home")
        #expect(try daemon.todoctl("view", "save", "mine", "+work").end == .exit(0))
        let watch = try watch(daemon, "@mine")
        #expect(try watch.line()?.contains("Call the bank") == true)
        #expect(try daemon.todoctl("view", "save", "mine", "+home").end == .exit(0))
        #expect(try watch.line()?.hasSuffix("  - 1: Call the bank") == true)
        #expect(try watch.line()?.hasSuffix("  + 2: Buy the milk") == true)
    }

    @Test func `a word that names no feature is a filter, as for list`() throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank")
        try add(daemon, "Buy the milk")
        let watch = try watch(daemon, "milk")
        #expect(try watch.line()?.contains("Buy the milk") == true)
        try add(daemon, "Pay the bill")
        try add(daemon, "Boil milk")
        #expect(try watch.line()?.hasSuffix("  + 4: Boil milk") == true)
        let wrong = try daemon.todoctl("watch", "due<someday")
        #expect(wrong.end == .exit(64) && wrong.output.isEmpty, "\(wrong)")
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `on a terminal the list is redrawn, after a restart and a resize, and the shell's screen is restored`() throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank", "+work")
        try add(daemon, "Buy the milk", "+home")
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press("echo 'the shell'; '\(Products.todoctl)' --socket '\(daemon.socket)' watch +work", "Enter")
        #expect(try terminal.shows("1 of 2 todos") && terminal.shows("Call the bank") && terminal.hides("the shell"))
        try add(daemon, "Write report", "+work")
        #expect(try terminal.shows("2 of 3 todos") && terminal.shows("Write report"))
        #expect(try daemon.stop() == .exit(0))
        try daemon.start()
        #expect(try daemon.todoctl("done", "1").end == .exit(0))
        #expect(try terminal.shows("1 of 3 todos") && terminal.hides("Call the bank"))
        for number in 1...30 { try add(daemon, "Task \(number)", "+work") }
        #expect(try terminal.shows("31 of 33 todos") && terminal.shows("Write report"))
        try terminal.press("C-c")
        #expect(try terminal.shows("the shell") && terminal.hides("31 of 33 todos"))
        try terminal.press("clear; '\(Products.todoctl)' --socket '\(daemon.socket)' watch", "Enter")
        #expect(try terminal.shows("32 of 33 todos") && terminal.shows("Write report"))
        try terminal.besides("/bin/sh")
        #expect(try terminal.shows("… and ") && terminal.shows("32 of 33 todos"))
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `Ctrl-Z releases the terminal and fg redraws the list, even while the daemon does not answer`() throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank", "+work")
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press("clear; '\(Products.todoctl)' --timeout 0 --socket '\(daemon.socket)' watch", "Enter")
        #expect(try terminal.shows("Call the bank"))
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        try terminal.press("C-z")
        #expect(try terminal.isFilled(false) && terminal.hides("Call the bank"))
        try terminal.press("stty | grep -c -w -e -icanon -e -echo | sed 's/^/raw /'", "Enter")
        #expect(try terminal.shows("raw 0"))
        try terminal.press("fg", "Enter")
        #expect(try terminal.isFilled(true) && terminal.shows("Call the bank"))
        try terminal.press("C-c")
        #expect(try terminal.isFilled(false))
        try terminal.press("echo ended by $?", "Enter")
        #expect(try terminal.shows("ended by 130"))
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"), arguments: ["q", "Escape", "C-c"])
    func `a key ends the list, even while the daemon is away, and the terminal is restored`(key: String) throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank", "+work")
        let terminal = try Terminal(daemon.directory.path)
        let watch = "'\(Products.todoctl)' --socket '\(daemon.socket)' watch"
        // This reports modes that differ from the defaults.
        let mode = "clear; stty | grep -c -w -e -icanon -e -echo | sed 's/^/raw /'"
        try terminal.press("clear; " + watch, "Enter")
        #expect(try terminal.shows("1 todo") && terminal.shows("Call the bank"))
        try terminal.press("x", key)
        #expect(try terminal.hides("Call the bank"))
        try terminal.press(mode, "Enter")
        #expect(try terminal.shows("raw 0"))
        try terminal.press("clear; " + watch, "Enter")
        #expect(try terminal.shows("1 todo") && terminal.shows("Call the bank"))
        #expect(try daemon.stop() == .exit(0))
        #expect(try terminal.shows("The daemon is away; q to quit. Last known: 1 todo") && terminal.hides("went away"))
        try daemon.start()
        #expect(try terminal.hides("The daemon is away") && terminal.shows("1 todo"))
        #expect(try daemon.stop() == .exit(0))
        #expect(try terminal.shows("The daemon is away"))
        try terminal.press(key)
        #expect(try terminal.hides("The daemon is away"))
        try terminal.press(mode, "Enter")
        #expect(try terminal.shows("raw 0"))
    }
}
