import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

/// The past on the screen in a real terminal: moving, reading and undoing while others write and the daemon goes away.
@Suite(.ownThreads, .enabled(if: Terminal.tmux != nil, "tmux is not installed")) struct ScreenPastTests {
    private func sequence(_ daemon: Daemon) throws -> Int64? { try daemon.connect().status()["sequence"]?.int }

    /// A daemon with a log of four steps.
    private func daemon() throws -> Daemon {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Call the bank", "+work").end == .exit(0))
        #expect(try daemon.todoctl("add", "Buy the milk", "+home").end == .exit(0))
        #expect(try daemon.todoctl("edit", "2", "--title", "Buy the eggs").end == .exit(0))
        #expect(try daemon.todoctl("done", "1").end == .exit(0))
        return daemon
    }

    @Test(arguments: ScreenTests.Setting.all)
    func `a user goes back, leaves a record out, returns, and undoes changes`(
        setting: ScreenTests.Setting
    ) throws {
        let daemon = try daemon()
        let session = try ScreenSession(
            daemon, columns: setting.columns, lines: setting.lines, hasColours: setting.hasColours)
        let terminal = session.terminal
        #expect(try session.start() && session.stands(at: "● LIVE", with: "NO DATE 1", "2 Buy the eggs #home", "DONE 1"))

        // Back by steps. The changes of the record are shown beside the list, and nothing can be changed there.
        try terminal.press("Left", "Left")
        #expect(
            try session.stands(at: "PAST @2 ", with: "NO DATE 2", "2 Buy the milk #home", "1 Call the bank #work"),
            "\(session.shown)")
        try terminal.press("Right")
        #expect(
            try session.stands(at: "PAST @3 ", with: "NO DATE 2", "2 Buy the eggs #home", "1 Call the bank #work"),
            "\(session.shown)")
        #expect(try session.tells("Buy the eggs") && session.brokenLines == [] && session.isColoured == setting.hasColours)
        try terminal.press("x")
        #expect(try terminal.shows("This is the past, where nothing is changed"))

        // Searches there while another client writes. The end of the strip moves on, and the past stays.
        try terminal.press("/")
        try session.enter("bank")
        #expect(try session.stands(at: "PAST @3 ", with: "NO DATE 1", "1 Call the bank #work"), "\(session.shown)")
        #expect(try daemon.todoctl("add", "Feed the cat").end == .exit(0))
        #expect(try terminal.shows("@5●") && session.stands(at: "PAST @3 ", with: "NO DATE 1", "1 Call the bank #work"))
        // The filter is kept in the present, and a todo that another client adds there is marked.
        try terminal.press("Escape")
        #expect(try session.stands(at: "● LIVE", with: "DONE 1"), "\(session.shown)")
        try terminal.press("Escape")
        #expect(try session.stands(at: "● LIVE", with: "NO DATE 2", "3 Feed the cat", "2 Buy the eggs #home"))
        #expect(try daemon.todoctl("add", "Water it").end == .exit(0))
        #expect(try terminal.shows("•4"), "\(session.shown)")

        // Leaves a record out, views the result, and puts it back.
        try terminal.press("g")
        try session.enter("3")
        #expect(try session.stands(at: "PAST @3 ", with: "NO DATE 2"))
        try terminal.press("w")
        #expect(
            try session.stands(
                at: "WHAT IF without @3", with: "NO DATE 3", "4 Water it", "3 Feed the cat", "~2 Buy the milk #home"),
            "\(session.shown)")
        #expect(try session.tells("Nothing is written."))
        try terminal.press("w")
        #expect(try session.stands(at: "PAST @3 ", with: "NO DATE 2", "2 Buy the eggs #home"))
        try terminal.press("Escape")
        #expect(try session.stands(at: "● LIVE", with: "NO DATE 3"))
        // None of this appended a record.
        #expect(try sequence(daemon) == 6)

        // Undo and redo, each with a preview.
        try terminal.press("u")
        #expect(try session.tells("WOULD CHANGE") && session.tells("Water it"))
        try terminal.press("Enter")
        #expect(try terminal.shows("Undone: added 4: Water it."))
        #expect(try session.stands(at: "● LIVE", with: "NO DATE 2", "3 Feed the cat"), "\(session.shown)")
        try terminal.press("U")
        #expect(try session.tells("WOULD CHANGE"))
        try terminal.press("Enter")
        #expect(try terminal.shows("Redone: added 4: Water it.") && session.stands(at: "● LIVE", with: "NO DATE 3", "4 Water it"))

        // The origin of a value leads to its record.
        try terminal.press("Home", "Down", "Down", "b")
        #expect(try session.tells("Who set todos.items[2]") && session.tells("title: Buy the eggs"), "\(session.shown)")
        try terminal.press("Down", "Enter")
        #expect(try session.stands(at: "PAST @3 ", with: "NO DATE 2", "2 Buy the eggs #home"), "\(session.shown)")

        // Back to an earlier state.
        try terminal.press("Left", "r")
        #expect(try session.tells("Go back to @2?") && session.tells("WOULD CHANGE"), "\(session.shown)")
        try terminal.press("Enter")
        #expect(try terminal.shows("Back at @2."))
        #expect(
            try session.stands(at: "● LIVE", with: "NO DATE 2", "2 Buy the milk #home", "1 Call the bank #work"),
            "\(session.shown)")

        // Answers a question.
        try terminal.press("6", "L")
        #expect(try terminal.shows("? 1 question"))
        try terminal.press("7", "Down", "Down", "Down", "Enter")
        #expect(try terminal.shows("Answered: Java"), "\(session.shown)")
        let state = try daemon.state("repositories.language") { $0["repositories"]?["language"]?.text == "Java" }
        #expect(state["repositories"]?["language"]?.text == "Java")
        try terminal.press("q")
        #expect(try terminal.isFilled(false) && terminal.shows("the shell"))
    }

    @Test(arguments: [false, true])
    func `while the daemon goes and comes back, the screen names the past moment and keeps the input`(
        isKilled: Bool
    ) throws {
        let daemon = try daemon()
        let session = try ScreenSession(daemon)
        let terminal = session.terminal
        // Keys that are pressed before the list is shown have no effect.
        #expect(try session.start() && session.stands(at: "● LIVE", with: "NO DATE 1"))
        try terminal.press("Left", "Left")
        #expect(try session.stands(at: "PAST @2 ", with: "NO DATE 2", "2 Buy the milk #home"))
        try terminal.press("g")
        try terminal.type("@")
        #expect(try terminal.shows("go to> @"))
        if isKilled { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
        #expect(try session.stands(at: "○ the daemon is away  PAST @2 ", with: "NO DATE 2", "2 Buy the milk #home"))
        try terminal.type("1")
        #expect(try terminal.shows("go to> @1") && terminal.hides("LIVE"))
        try daemon.start()
        #expect(try terminal.hides("the daemon is away") && session.stands(at: "PAST @2 ", with: "NO DATE 2"))
        #expect(try terminal.shows("go to> @1"))
        try terminal.press("Enter")
        #expect(try session.stands(at: "PAST @1 ", with: "NO DATE 1", "1 Call the bank #work"), "\(session.shown)")
        try terminal.press("Escape")
        #expect(try session.stands(at: "● LIVE", with: "NO DATE 1", "2 Buy the eggs #home"))
        #expect(try sequence(daemon) == 4)
        try terminal.press("q")
        #expect(try terminal.isFilled(false))
    }

    @Test func `fast keys and the mouse lead to the right moment in a long log`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        for _ in 0..<60 { try client.dispatch([Actions.increment]) }
        try client.dispatch((0..<600).map { _ in Actions.increment })
        let session = try ScreenSession(daemon)
        let terminal = session.terminal
        #expect(try session.start() && terminal.shows("now @661"))
        // A long step, then short ones.
        try terminal.press("Left", "Left", "Left", "Left", "Left", "Left", "Left", "Left", "Left", "Left", "Left")
        #expect(try session.stands(at: "PAST @51 ", with: "NO DATE 1"), "\(session.shown)")
        try terminal.press("Right", "Right", "Left", "Right")
        #expect(try session.stands(at: "PAST @53 ", with: "NO DATE 1"), "\(session.shown)")
        // The mouse on the strip: a click, and dragging to its end.
        let row = 19
        try terminal.type("\u{1B}[<0;1;\(row)M\u{1B}[<0;1;\(row)m")
        #expect(
            try terminal.becomes { $0.split(separator: "\n", omittingEmptySubsequences: false)[row - 1].hasPrefix("▲") },
            "\(session.shown)")
        try terminal.type("\u{1B}[<0;40;\(row)M\u{1B}[<32;60;\(row)M\u{1B}[<32;80;\(row)M\u{1B}[<0;80;\(row)m")
        #expect(try session.stands(at: "● LIVE", with: "NO DATE 1"), "\(session.shown)")
        #expect(try sequence(daemon) == 661)
        try terminal.press("q")
        #expect(try terminal.isFilled(false))
    }
}
