import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct LockTests {
    @Test func `a locked daemon refuses changes with the reason, across restarts, and serves reads`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Buy the milk").end == .exit(0))
        let locked = try daemon.todoctl("lock", "moving to another machine")
        #expect(locked.end == .exit(0) && locked.text.contains("todoctl unlock"), "\(locked)")
        for words in [["add", "Call the bank"], ["undo"], ["counter", "increment"], ["done", "1"]] {
            let refused = try Command.run([Products.todoctl] + words, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(refused.end == .exit(75) && refused.error.contains("moving to another machine"), "\(words): \(refused)")
        }
        try daemon.crash()
        #expect(try daemon.todoctl("add", "Call the bank").end == .exit(75))
        #expect(try daemon.todoctl("list").lines.last?.contains("Buy the milk") == true)
        #expect(try daemon.todoctl("list", "--at", "0").end == .exit(0))
        #expect(try daemon.todoctl("bookmark", "here").end == .exit(0))
        #expect(try daemon.todoctl("log", "--raw").text.contains("  lock: moving to another machine\n"))
        #expect(try daemon.todoctl("status").lines.contains { $0.hasPrefix("locked") && $0.contains("since record 2: moving") })
        #expect(try daemon.todoctl("unlock").text == "Unlocked.\n")
        #expect(try daemon.todoctl("unlock").text == "It was not locked.\n")
        #expect(try daemon.todoctl("add", "Call the bank").end == .exit(0))
        #expect(try daemon.todoctl("status").lines.contains { $0.hasPrefix("locked") } == false)
        #expect(try daemon.todoctl("verify").end == .exit(0))
        #expect(try daemon.todoctl("lock", "").end == .exit(64))
    }

    @Test func `a history with locks is imported without them`() throws {
        let daemon = try Daemon.started()
        _ = try daemon.todoctl("lock", "moving")
        _ = try daemon.todoctl("unlock")
        _ = try daemon.todoctl("lock", "moving again")
        let path = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", path).end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        #expect(try other.todoctl("import", path).end == .exit(0))
        #expect(try other.todoctl("counter", "increment").end == .exit(0))
    }
}
