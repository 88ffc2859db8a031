import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

/// Every verb reports a stopped daemon (SIGSTOP) and waits for a running one.
@Suite(.ownThreads) struct HaltedDaemonTests {
    @Test(arguments: [
        ["list"], ["add", "Buy", "the", "milk"], ["done", "1"], ["status"], ["export", "-"], ["verify"], ["load", "--wait"],
        ["log"], ["log", "--follow"], ["watch", "counter"], ["watch", "todos"],
        ["watch", "counter", "--until", "counter.count > 0"],
        ["import", "-"], ["add", "--stdin"], ["call", "Admin.Ping"], ["debug", "tail"], ["screen"],
    ])
    func `a verb exits with 75 and a remedy`(words: [String]) throws {
        let daemon = try Daemon.started()
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        let outcome = try Command.run(
            [Products.todoctl, "--timeout", "1", "--socket", daemon.socket] + words, environment: ["HOME": daemon.directory.path],
            input: Array("Feed the cat\n".utf8))
        guard words != ["screen"] else { return #expect(outcome.end == .exit(64), "\(outcome)") }
        #expect(outcome.end == .exit(75), "\(words): \(outcome)")
        #expect(outcome.error.contains("The daemon at \(daemon.socket) does not answer.\n"), "\(words): \(outcome)")
        #expect(outcome.error.contains("todoctl --timeout SECONDS") && outcome.error.contains("restart todod"), "\(outcome)")
    }

    @Test(arguments: [
        ["watch", "counter"], ["watch", "todos"], ["log", "--follow"], ["export", "ics", "--follow", "todos.ics"],
    ])
    func `a following verb continues while nothing happens and ends when the daemon is stopped`(words: [String]) throws {
        let daemon = try Daemon.started()
        let place = daemon.directory.path
        let (socket, client) = (daemon.socket, try daemon.connect())
        let words = words.map { $0 == "todos.ics" ? place + "/todos.ics" : $0 }
        let following = Background {
            try Command.run(
                [Products.todoctl] + words, environment: ["HOME": place, "TODOD_SOCKET": socket, "TODOD_TIMEOUT": "1"])
        }
        while try client.status()["subscribers"] == 0 {}
        // The daemon sends nothing for several timeouts and is probed every half timeout.
        let probes = try accepted(client)
        while try accepted(client) < probes + 4, !following.isOver {}
        #expect(!following.isOver)
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        let outcome = try following.value(seconds: 30)
        #expect(outcome.end == .exit(75) && outcome.error.contains("does not answer.\n"), "\(outcome)")
    }

    private func accepted(_ client: Client) throws -> Double { try client.metrics()["todod_connections_accepted_total"] ?? 0 }

    @Test func `an intended wait may exceed the timeout`() throws {
        let daemon = try Daemon.started()
        let waited = try daemon.todoctl(
            "watch", "counter", "--until", "counter.count > 0", "--timeout", "3", environment: ["TODOD_TIMEOUT": "1"])
        #expect(waited.end == .exit(1) && waited.error.contains("Timed out: the condition is still false"), "\(waited)")
    }

    @Test(arguments: ["soon", "-1", "1.5"]) func `a timeout that is not a number of seconds is refused`(text: String) throws {
        let refused = try Command.run([Products.todoctl, "--timeout", text, "list"])
        #expect(refused.end == .exit(64) && refused.error.contains("Invalid --timeout or TODOD_TIMEOUT \(text)"), "\(refused)")
    }
}
