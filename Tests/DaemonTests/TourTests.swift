import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct TourTests {
    @Test func `the demo runs to its end`() throws {
        let directory = TemporaryDirectory()
        let outcome = try Command.run(
            ["/bin/sh", Products.repository + "/.ci/demo"],
            environment: ["TODOD": Products.todod, "TODOCTL": Products.todoctl, "TMPDIR": directory.path, "HOME": directory.path])
        #expect(outcome.end == .exit(0), "\(outcome)")
        #expect(outcome.text.contains("$ todoctl add Buy the milk"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `watch in one terminal shows the changes of another`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Buy", "the", "milk").end == .exit(0))
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press("'\(Products.todoctl)' watch todos.items --socket '\(daemon.socket)'", "Enter")
        #expect(try terminal.shows("title Buy the milk"))
        try terminal.besides("'\(Products.todoctl)' add Take my dog --socket '\(daemon.socket)'")
        #expect(try terminal.shows("+ todos.items 2: Take my dog"))
        #expect(try daemon.todoctl("remove", "1").end == .exit(0))
        #expect(try terminal.shows("- todos.items 1: Buy the milk"))
    }
}
