import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

/// Tests that the daemon runs commands, and that a crash does not change that.
@Suite(.ownThreads) struct CommandTests {
    private let load: Value = ["todos": ["load": [:]]]

    private func todos(_ client: Client, since sequence: Int64) throws -> Value? {
        try client.call("org.todod.Store.GetState", ["scope": "todos", "minimumSequence": .int(sequence)])["state"]?["todos"]
    }

    private func titles(_ todos: Value?) -> [String?] { (todos?["items"]?.list ?? []).map { $0["title"]?.text } }

    private let samples: [String?] = ["Buy the milk", "Take my dog", "Rent a car"]

    @Test func `todos are loading at once and loaded after a while`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        #expect(try client.dispatch([load]).sequences == [1])
        #expect(try todos(client, since: 1)?["loading"]?.bool == true)
        #expect(try client.status()["outbox"]?["open"]?.int == 1)
        let loaded = try todos(client, since: 2)
        #expect(loaded?["loading"]?.bool == false)
        #expect(titles(loaded) == samples)
        #expect(try client.status()["outbox"]?["open"]?.int == 0)
        let records = try client.log()
        #expect(records.map { $0["kind"]?.text } == ["action", "end"])
        #expect(records[1]["cause"]?["sequence"]?.int == 1)
        #expect(records[1]["step"]?.int == 1)
    }

    @Test(arguments: [("todos", "load"), ("posts", "fetch"), ("repositories", "reload")])
    func `a command that was waiting when the daemon was killed runs once after it`(feature: String, order: String)
        throws
    {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([.record([.init(feature, .record([.init(order, [:])]))])])
        try daemon.kill()
        try daemon.start()
        let second = try daemon.connect()
        let state = try second.call("org.todod.Store.GetState", ["scope": .text(feature), "minimumSequence": 2])["state"]?[
            feature]
        #expect(state?["loading"] == false && state?["items"]?.list?.isEmpty == false, "\(String(describing: state))")
        #expect(try second.sequence() == 2)
        #expect(try second.log().last?["outcome"] == "result")
    }

    @Test func `a stop waits for no command, and the next start runs it`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([load])
        #expect(try daemon.stop() == .exit(0))
        try daemon.start()
        let second = try daemon.connect()
        #expect(titles(try todos(second, since: 2)) == samples)
    }

    @Test(.enabled(if: Tracer.isPossible, Tracer.reason))
    func `a stop waits for an uninterruptible command no longer than its timeout, and nothing is lost`() throws {
        let daemon = try Daemon()
        let file = try daemon.directory.write("Buy the milk\n", to: "todos.txt")
        daemon.environment = ["TODOD_TODO_SOURCE": file, "TODOD_STOP_SECONDS": "1"]
        try daemon.start()
        // A disk that does not answer for a minute.
        let tracer = try Tracer(daemon.pid, at: "openat", "delay_enter=60000000", path: file)
        let client = try daemon.connect()
        try client.dispatch([load])
        while try client.status()["outbox"]?["started"]?.int != 1 { sched_yield() }
        daemon.signal(SIGTERM)
        // A traced process disappears only when its tracer releases it.
        let deadline = Deadline(seconds: 60)
        while !daemon.output.contains("did not stop in time"), deadline.milliseconds > 0 { sched_yield() }
        // It ends right after these words. If it is released in between, it might still stop in time.
        func hasEnded() -> Bool {
            let status = FileManager.default.contents(atPath: "/proc/\(daemon.pid)/stat") ?? Data()
            return status.isEmpty || String(decoding: status, as: UTF8.self).contains(") Z ")
        }
        while !hasEnded(), deadline.milliseconds > 0 { sched_yield() }
        try tracer.end()
        #expect(try daemon.waitForEnd(seconds: 10) == .exit(75), "\(daemon.output)")
        try daemon.start()
        #expect(titles(try todos(try daemon.connect(), since: 2)) == ["Buy the milk"])
    }

    @Test func `the last of many loads counts`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 1...5 { try client.dispatch([load]) }
        // Each one supersedes the previous one.
        let loaded = try todos(client, since: 10)
        #expect(titles(loaded) == samples)
        #expect(try client.log().count { $0["kind"]?.text == "end" } == 5)
    }

    @Test func `a client can't dispatch an event`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        #expect(try client.refusal([["todos": ["loadFailed": ["reason": "none"]]]]) == "FactNotAllowed")
    }
}
