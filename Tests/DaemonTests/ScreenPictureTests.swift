import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

/// The screen after a week of a user.
///
/// `TODOD_PICTURE=docs/pictures/screen.png` writes its picture.
@Suite(.ownThreads, .enabled(if: Terminal.tmux != nil && FakeClock.library != nil, "tmux or faketime is not installed"))
struct ScreenPictureTests {
    /// The verbs and how many hours ago they ran.
    private static let week: [(hours: Int, verbs: [[String]])] = [
        (
            225,
            [
                ["add", "Buy the milk", "+home", "--due", "in 2 days"], ["add", "Rent a car", "!medium"],
                ["add", "Call the bank", "+phone", "!high", "--due", "friday"], ["add", "Write report", "+work"],
                ["edit", "2", "--title", "Rent a small car"],
            ]
        ),
        (
            198,
            [
                ["edit", "4", "--due", "in 7 days", "--priority", "high"], ["add", "Fix bug #12", "+work", "--due", "today"],
                ["add", "Book the train", "+home"],
            ]
        ),
        (176, [["add", "Send the invoice", "+work", "--due", "yesterday"], ["bookmark", "before-cleanup"]]),
        (104, [["remove", "1"], ["add", "Plan the holidays", "+home"], ["add", "Water the plants", "+home"]]),
        (
            80,
            [
                ["edit", "7", "--note", "The draft is in ~/doc."], ["done", "9"],
                ["add", "Read the contract", "+work", "!medium"],
            ]
        ),
        (
            29,
            [["edit", "8", "--due", "in 9 days"], ["edit", "3", "--priority", "medium"], ["add", "Ask for a raise", "+work"]]
        ),
        (6, [["edit", "4", "--title", "Write the report", "--due", "today 18:00"], ["done", "3"]]),
    ]

    private func made() throws -> Daemon {
        let daemon = try Daemon()
        let places = FakeClock.places(of: daemon)
        for (hours, verbs) in Self.week {
            daemon.environment = places.merging(["LD_PRELOAD": try #require(FakeClock.library), "FAKETIME": "-\(hours)h"]) { $1 }
            try daemon.start()
            for verb in verbs {
                let outcome = try Command.run(
                    [Products.todoctl] + verb, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
                #expect(outcome.end == .exit(0), "\(verb) \(outcome)")
            }
            #expect(try daemon.stop() == .exit(0))
        }
        daemon.environment = [:]
        try daemon.start()
        return daemon
    }

    @Test func `a week is shown with its days, its marks, and its gaps`() throws {
        let daemon = try made()
        let session = try ScreenSession(daemon, columns: 100, lines: 28)
        let terminal = session.terminal
        #expect(try session.start())
        try terminal.press("Left")
        #expect(try session.stands(at: "PAST @20 ") && session.tells("Write report → Write the report"))
        let shown = session.shown
        #expect(shown.contains("⚑ before-cleanup") && shown.contains("days quiet"), "\(shown)")
        #expect(try session.brokenLines == [])
        guard let path = ProcessInfo.processInfo.environment["TODOD_PICTURE"] else { return }
        let picture = try Command.run(
            ["/usr/bin/python3", Products.repository + "/Tests/Browser/pane.py", path],
            input: Array(try terminal.text(styled: true).utf8))
        #expect(picture.end == .exit(0), "\(picture)")
    }
}
