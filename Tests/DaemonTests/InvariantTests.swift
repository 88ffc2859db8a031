import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct InvariantTests {
    @Test func `an invariant refuses dispatches that would break it, across restarts, and finds violations of the past`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([["counter": ["decrement": [:]]]])
        try client.dispatch([["counter": ["increment": [:]]]])
        let added = try daemon.todoctl("invariant", "add", "not-negative", "counter.count >= 0")
        #expect(added.end == .exit(0) && added.lines.first == "Set the invariant not-negative.", "\(added)")
        #expect(added.text.contains("The condition was false after record 1.") && added.text.contains("counter.decrement"))
        let refused = try Command.run(
            [Products.todoctl, "counter", "decrement"], environment: ["TODOD_SOCKET": daemon.socket])
        #expect(refused.end == .exit(1) && refused.error.contains("the invariant not-negative: counter.count >= 0"), "\(refused)")
        try daemon.crash()
        #expect(try daemon.todoctl("counter", "decrement").end == .exit(1))
        #expect(try daemon.todoctl("invariant").text == "not-negative  counter.count >= 0  holds\n")
        #expect(try daemon.todoctl("log", "--raw").text.contains("invariant not-negative: counter.count >= 0"))
        let increment = #"{"counter": {"increment": {}}}"#
        #expect(try daemon.todoctl("dispatch", increment, "--require", "counter.count < 1").error.contains("counter.count < 1"))
        #expect(try daemon.todoctl("invariant", "add", "odd", "counter.count >").end == .exit(64))
        #expect(try daemon.todoctl("invariant", "add", "friday", "true").error.contains("Words that name or begin a point"))
        #expect(try daemon.todoctl("invariant", "remove", "not-negative").end == .exit(0))
        #expect(try daemon.todoctl("counter", "decrement").end == .exit(0))
        #expect(try daemon.todoctl("verify").end == .exit(0))
    }

    @Test func `an invariant that a redaction broke does not refuse later dispatches`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "A secret of mine").end == .exit(0))
        let condition = "all(todo in todos.items: contains(todo.title, \"secret\"))"
        #expect(try daemon.todoctl("invariant", "add", "secret", condition).end == .exit(0))
        #expect(try daemon.todoctl("redact", "1", "--yes").end == .exit(0))
        #expect(try daemon.todoctl("invariant").text.hasSuffix("  does not hold\n"))
        #expect(try daemon.todoctl("counter", "increment").end == .exit(0))
    }
}
