import TestSupport
import Foundation
import Glibc
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

    static let tmux = Products.tool("tmux")

    @Test(.enabled(if: tmux != nil, "tmux is not installed"))
    func `whoever watches in a terminal sees what is changed in another`() throws {
        let tmux = try #require(Self.tmux)
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Buy", "the", "milk").end == .exit(0))
        let directory = daemon.directory.path
        // What the pane shows comes through a named pipe, so that it can be waited for.
        let shown = directory + "/shown"
        guard mkfifo(shown, 0o600) == 0 else { throw SystemFailure(what: "mkfifo") }
        let screen = open(shown, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(screen) }
        var text = ""
        func awaitText(_ wanted: String) throws -> Bool {
            let deadline = Deadline(seconds: 30)
            while !text.contains(wanted) {
                guard try deadline.awaitReadable(screen) else { return false }
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = read(screen, &buffer, buffer.count)
                text += String(decoding: buffer[..<max(0, count)], as: UTF8.self)
            }
            return true
        }
        func terminal(_ arguments: String...) throws {
            let outcome = try Command.run(
                [tmux, "-S", directory + "/tmux", "-f", "/dev/null"] + arguments, environment: ["TERM": "xterm"])
            #expect(outcome.end == .exit(0), "\(outcome)")
        }
        try terminal("new-session", "-d", "-x", "120", "-y", "40", "/bin/sh")
        defer { _ = try? terminal("kill-server") }
        try terminal("pipe-pane", "cat > '\(shown)'")
        try terminal("send-keys", "'\(Products.todoctl)' watch todos.items --socket '\(daemon.socket)'", "Enter")
        #expect(try awaitText("title Buy the milk"), "\(text)")
        try terminal("split-window", "'\(Products.todoctl)' add Take my dog --socket '\(daemon.socket)'")
        #expect(try awaitText("+ todos.items 2: Take my dog"), "\(text)")
        #expect(try daemon.todoctl("remove", "1").end == .exit(0))
        #expect(try awaitText("- todos.items 1: Buy the milk"), "\(text)")
    }
}
