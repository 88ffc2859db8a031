import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

/// The screen in a real terminal, controlled by keys, while others write.
@Suite(.ownThreads, .enabled(if: Terminal.tmux != nil, "tmux is not installed")) struct ScreenTests {
    struct Setting: CustomTestStringConvertible {
        var columns: Int
        var lines: Int
        var hasColours: Bool

        var testDescription: String { "\(columns)x\(lines) \(hasColours ? "with" : "without") colours" }

        static let all = [(80, 24), (200, 60)].flatMap { columns, lines in
            [true, false].map { Setting(columns: columns, lines: lines, hasColours: $0) }
        }
    }

    private func add(_ daemon: Daemon, _ words: [String]) throws {
        let added = try Command.run(
            [Products.todoctl, "add"] + words, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
        #expect(added.end == .exit(0), "\(added)")
    }

    private func add(_ daemon: Daemon, _ words: String...) throws { try add(daemon, words) }

    private func sequence(_ daemon: Daemon) throws -> Int64? { try daemon.connect().status()["sequence"]?.int }

    @Test func `the screen reports a daemon that is stopped, and keys still work`() throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank")
        let session = try ScreenSession(daemon)
        let terminal = session.terminal
        #expect(try session.start() && terminal.shows("Call the bank"))
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        // Several times more calls than its socket can buffer.
        try terminal.press("a")
        for _ in 0..<10 { try terminal.type(String(repeating: "Feed the cat\r", count: 60)) }
        #expect(try terminal.shows("the daemon does not answer") && terminal.shows("add>"))
        try terminal.press("Escape")
        #expect(try terminal.hides("add>"))
        try terminal.press("?")
        #expect(try terminal.shows("any other key"))
        try terminal.press("Escape")
        daemon.signal(SIGCONT)
        #expect(try terminal.shows("● LIVE") && terminal.shows("601 open"))
        daemon.signal(SIGSTOP)
        try terminal.press("u")
        #expect(try terminal.shows("the daemon does not answer"))
        try terminal.press("Escape")
        #expect(try terminal.hides("Undo?"))
        try terminal.press("q")
        #expect(try session.isOver())
    }

    @Test func `no border is displaced, whatever width the terminal gives a character`() throws {
        let daemon = try Daemon.started()
        let titles = [
            "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466} family", "\u{2764}\u{FE0F} heart",
            "1\u{FE0F}\u{20E3} key", "\u{1F44D}\u{1F3FD} thumb", "\u{1F1E9}\u{1F1EA}\u{1F1EB}\u{1F1F7} flags",
            "\u{1FAE8} shaking", "\u{A7BA}\u{A7BB} letters",
            "\u{4DC0}\u{4DC1} hexagram", "\u{31BB} bopomofo", "\u{915}\u{94D}\u{937}\u{93F} syllable", "e\u{301} accent",
            "\u{1D300} sign", "\u{231A}\u{FE0E} watch", "\u{1F3F4}\u{200D}\u{2620}\u{FE0F} pirate", "\u{2630} trigram",
        ]
        for title in titles { try daemon.connect().dispatch([Actions.add(title)]) }
        let session = try ScreenSession(daemon)
        #expect(try session.start() && session.terminal.shows("trigram"))
        #expect(try session.displacedBorders == [], "\(session.shown)")
        // Each is drawn over the previous contents.
        for (keys, sign) in [(["Down", "Down", "Down", "Down", "x"], "14 open"), (["x"], "13 open"), (["G"], "family")] {
            for key in keys { try session.terminal.press(key) }
            #expect(try session.terminal.shows(sign))
        }
        #expect(try session.displacedBorders == [], "\(session.shown)")
    }

    @Test(arguments: Setting.all)
    func `a user adds, edits, completes, moves and searches by keys while another client writes`(setting: Setting) throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank", "+work")
        try add(daemon, "Buy the milk", "+home")
        let session = try ScreenSession(
            daemon, columns: setting.columns, lines: setting.lines, hasColours: setting.hasColours)
        let terminal = session.terminal
        #expect(try session.start() && session.lists("NO DATE 2", ">2 Buy the milk #home", "1 Call the bank #work"))
        #expect(try terminal.shows("2 open") && session.tells("#home"))
        #expect(try session.isColoured == setting.hasColours)

        // Adds: a title that is too short stays with its error; the line stays open for the next todo until it is left.
        try terminal.press("a")
        #expect(try terminal.shows("add>") && terminal.shows("such as: "))
        try session.enter("Wa")
        #expect(try terminal.shows("Enter: 1 more character"))
        try session.enter("ter it 2071-03-04 !high")
        #expect(
            try session.lists(
                "LATER 1", ">3 !!! Water it Wed 4 Mar 2071", "NO DATE 2", "2 Buy the milk #home",
                "1 Call the bank #work"), "\(session.shown)")
        try terminal.press("Escape")
        #expect(try terminal.hides("add>") && terminal.shows("Added 3: Water it") && terminal.shows("3 open"))

        // Edits in place.
        try terminal.press("e")
        #expect(try session.tells("edit 3") && terminal.shows("Enter save"))
        try terminal.press("C-u")
        try session.enter("Water them")
        #expect(try terminal.shows("3: Water it → Water them") && session.tells("Water them"))

        // Another client writes wide and right-to-left text as well, and no border is displaced.
        try add(daemon, "買い物 🛒 今日")
        try add(daemon, "שלום")
        try add(daemon, "Pay the rent", "--due", "2020-01-02")
        #expect(
            try session.lists(
                "OVERDUE 1", "6 Pay the rent Thu 2 Jan 2020", "LATER 1", ">3 !!! Water them Wed 4 Mar 2071",
                "NO DATE 4", "5 םולש", "4 買い物 🛒 今日", "2 Buy the milk #home", "1 Call the bank #work"), "\(session.shown)")
        #expect(try session.brokenLines == [])
        #expect(try terminal.shows("6 open  1 overdue"))
        #expect(try daemon.todoctl("remove", "4", "5", "6").end == .exit(0))
        #expect(
            try session.lists(
                "LATER 1", ">3 !!! Water them Wed 4 Mar 2071", "NO DATE 2", "2 Buy the milk #home",
                "1 Call the bank #work"), "\(session.shown)")

        // Completes: the selection moves to the next open todo.
        try terminal.press("x")
        #expect(try terminal.shows("Done 3: Water them") && terminal.shows("2 open"))
        #expect(
            try session.listBegins("NO DATE 2", ">2 Buy the milk #home", "1 Call the bank #work", "DONE 1"),
            "\(session.shown)")

        // Moves in the order of the list, and not beyond its end.
        try terminal.press("s")
        #expect(try terminal.shows("Sorted by the order of the list."))
        try terminal.press("J")
        #expect(try session.listBegins("OPEN 2", "1 Call the bank #work", ">2 Buy the milk #home"), "\(session.shown)")
        #expect(try daemon.connect().state("todos").titles == ["Water them", "Call the bank", "Buy the milk"])
        try terminal.press("J")
        #expect(try terminal.shows("There it ends."))

        // Searches while typing. New matching todos appear.
        try terminal.press("/")
        try terminal.type("bank")
        #expect(try session.lists("OPEN 1", ">1 Call the bank #work") && terminal.shows("1 todo"))
        try add(daemon, "Rob the BANK")
        try add(daemon, "Feed the cat")
        #expect(try session.lists("OPEN 2", "7 Rob the BANK", ">1 Call the bank #work") && terminal.shows("2 todos"))
        try terminal.press("Enter")
        #expect(try terminal.shows("/bank") && terminal.hides("filter>"))
        try terminal.press("Escape")
        #expect(
            try session.listBegins("OPEN 4", "8 Feed the cat", "7 Rob the BANK", ">1 Call the bank #work"), "\(session.shown)")
        #expect(try terminal.hides("/bank"))

        // Another tab, with its own keys.
        try terminal.press("2")
        #expect(try session.lists("counter 0"))
        try terminal.press("+")
        #expect(try session.lists("counter 1"))
        #expect(try daemon.connect().state("counter").description.contains("1"))
        try terminal.press("BTab")
        #expect(try session.listBegins("OPEN 4", "8 Feed the cat"), "\(session.shown)")
        #expect(try session.brokenLines == [] && session.isColoured == setting.hasColours)
        try terminal.press("q")
        #expect(try terminal.isFilled(false) && terminal.shows("the shell"))
    }

    @Test func `viewing everything appends nothing`() throws {
        let daemon = try Daemon.started()
        for number in 1...40 { try add(daemon, "Task \(number)", "+work") }
        let session = try ScreenSession(daemon)
        let terminal = session.terminal
        let before = try sequence(daemon)
        #expect(try session.start() && session.tells("40 Task 40"))
        try terminal.press("End")
        #expect(try session.tells(" 1 Task 1 "))
        try terminal.press("Home", "j", "j", "k", "NPage", "PPage", "Home")
        #expect(try session.tells("40 Task 40"))
        try terminal.press("v")
        #expect(try terminal.shows("1 todo is marked"))
        try terminal.press("Escape")
        #expect(try terminal.hides("marked"))
        try terminal.press("/")
        try session.enter("task 33 #work")
        #expect(try session.lists("NO DATE 1", ">33 Task 33 #work"))
        try terminal.press("Escape")
        // Escape and another key shortly after it are a different key.
        #expect(try terminal.shows("Task 34 #work") && terminal.shows("40 open") && terminal.hides("/task"))
        try terminal.press("e")
        #expect(try session.tells("edit "))
        try terminal.type("not kept")
        try terminal.press("Escape")
        #expect(try terminal.hides("not kept"))
        try terminal.press("a")
        try terminal.type("not added")
        #expect(try terminal.shows("not added"))
        try terminal.press("Escape")
        #expect(try terminal.hides("not added"))
        for tab in 2...9 { try terminal.press("\(tab)") }
        #expect(try terminal.shows("No command is open."))
        try terminal.press("?")
        #expect(try terminal.shows("done, or open again") && terminal.shows("any other key"))
        try terminal.press("Escape")
        #expect(try terminal.hides("done, or open again"))
        try terminal.resize(columns: 50, lines: 12)
        #expect(
            try terminal.becomes { text in
                let heading = text.split(separator: "\n").first ?? ""
                return heading.contains("● LIVE") && heading.count <= 50 && text.contains("No command")
            })
        try terminal.press("q")
        #expect(try terminal.isFilled(false))
        #expect(try sequence(daemon) == before && before == 40)
    }

    @Test func `input that the daemon refuses stays in the line and in the form`() throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank", "--tag", "to do")
        #expect(try daemon.todoctl("lock", "moving house").end == .exit(0))
        let session = try ScreenSession(daemon)
        let terminal = session.terminal
        #expect(try session.start() && terminal.shows("Call the bank"))
        try terminal.press("a")
        try session.enter("Feed the cat")
        #expect(try terminal.shows("moving house") && terminal.shows("add> Feed the cat"))
        try terminal.press("Escape")
        #expect(try terminal.hides("add>"))
        try terminal.press("e")
        #expect(try session.tells("edit 1"))
        try terminal.press("C-e")
        try session.enter(" today")
        #expect(try terminal.shows("moving house") && session.tells("Call the bank today") && session.tells("edit 1"))
        #expect(try daemon.todoctl("unlock").end == .exit(0))
        try terminal.press("Down", "Down", "Down")
        try session.enter(" home")
        #expect(try session.lists("NO DATE 1", ">1 Call the bank today #to do #home"), "\(session.shown)")
        try terminal.press("q")
        #expect(try session.isOver())
    }

    enum End: CaseIterable {
        case quit, interrupt, terminate, hangUp, crash
    }

    @Test(arguments: End.allCases)
    func `the terminal is restored, however the screen ends`(end: End) throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank")
        let session = try ScreenSession(daemon)
        try session.terminal.press("echo 'the shell'", "Enter")
        let before = try #require(try session.shellsTerminal())
        #expect(try session.start() && session.terminal.isFilled(true) && session.terminal.hides("the shell"))
        #expect(try session.terminal.shows("Call the bank"))
        // The screen is also left from the past and during input.
        try session.terminal.press(",", "g")
        #expect(try session.terminal.shows("go to>") && session.terminal.shows("PAST before everything"))
        switch end {
        case .quit:
            try session.terminal.press("Escape")
            #expect(try session.terminal.hides("go to>"))
            try session.terminal.press("q")
        case .interrupt: try session.terminal.press("C-c")
        case .terminate: try session.signal(SIGTERM)
        case .hangUp: try session.signal(SIGHUP)
        case .crash: try session.signal(SIGSEGV)
        }
        #expect(try session.shellsTerminal() == before)
    }

    @Test func `after a kill, the next start and its end restore the terminal`() throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank")
        let session = try ScreenSession(daemon)
        try session.terminal.press("echo 'the shell'", "Enter")
        let before = try #require(try session.shellsTerminal())
        #expect(try session.start())
        try session.signal(SIGKILL)
        #expect(try session.isOver())
        // In the remaining modes, Enter does not end a line.
        #expect(try session.start(with: "C-j"))
        try session.terminal.press("q")
        #expect(try session.shellsTerminal() == before)
    }

    @Test func `a stopped screen releases the terminal and takes it again when it continues`() throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank")
        let session = try ScreenSession(daemon)
        try session.terminal.press("echo 'the shell'", "Enter")
        let before = try #require(try session.shellsTerminal())
        #expect(try session.start())
        try session.terminal.press("C-z")
        #expect(try session.shellsTerminal() == before)
        try add(daemon, "Buy the milk")
        try session.terminal.press("fg", "Enter")
        #expect(try session.lists("NO DATE 2", "2 Buy the milk", ">1 Call the bank"), "\(session.shown)")
        try session.terminal.press("q")
        #expect(try session.shellsTerminal() == before)
    }

    @Test(arguments: [false, true])
    func `while the daemon goes and comes back, the screen says so, keeps the input and continues`(isKilled: Bool) throws {
        let daemon = try Daemon.started()
        try add(daemon, "Call the bank")
        let session = try ScreenSession(daemon)
        let terminal = session.terminal
        #expect(try session.start())
        try terminal.press("a")
        try terminal.type("Buy the")
        #expect(try terminal.shows("add> Buy the"))
        if isKilled { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
        #expect(try terminal.shows("the daemon is away") && terminal.hides("● LIVE"))
        try terminal.type(" milk")
        #expect(try terminal.shows("add> Buy the milk") && terminal.shows("Call the bank"))
        try daemon.start()
        #expect(try terminal.shows("● LIVE") && terminal.shows("add> Buy the milk"))
        try terminal.press("Enter")
        #expect(try session.lists("NO DATE 2", ">2 Buy the milk", "1 Call the bank"), "\(session.shown)")

        // A dispatch while it is away is executed once when it is back.
        if isKilled { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
        #expect(try terminal.shows("the daemon is away"))
        try terminal.type("Feed the cat")
        #expect(try terminal.shows("add> Feed the cat"))
        try terminal.press("Enter")
        #expect(try terminal.hides("Feed the cat"))
        try daemon.start()
        #expect(try session.lists("NO DATE 3", ">3 Feed the cat", "2 Buy the milk", "1 Call the bank"), "\(session.shown)")
        #expect(try daemon.todoctl("done", "1").end == .exit(0))
        #expect(try terminal.shows("2 open") && terminal.shows("DONE"))
        #expect(try sequence(daemon) == 4)
        try terminal.press("C-c")
        #expect(try terminal.isFilled(false))
    }
}
