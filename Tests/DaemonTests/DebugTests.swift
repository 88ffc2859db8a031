import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct DebugTests {
    @Test func `debug output for the past equals the live output`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        #expect(try daemon.todoctl("debug", "on", "todos").end == .exit(0))
        let tail = try daemon.connect()
        try tail.send("org.todod.Admin.DebugTail", more: true)
        // The stream has no message for its begin, so the test waits for its first item.
        var told: [Value] = []
        tail.patience = 1_000
        while told.isEmpty {
            try client.dispatch([Actions.text("Is it there?")])
            if let reply = try? tail.receive() { told.append(try Client.result(reply)) }
        }
        tail.patience = 60_000
        let first = try #require(told.first?["sequence"]?.int)
        let begun = try client.sequence()
        try client.dispatch([Actions.add("Buy the \"milk\"", "Take my dog"), Actions.increment, Actions.complete(2)])
        try client.dispatch([Actions.move(1, to: 0), Actions.text("abc"), Actions.submit])
        while told.last?["sequence"]?.int ?? 0 < (try client.sequence()) { told.append(try Client.result(tail.receive())) }

        let shown = try daemon.todoctl("debug", "todos", "--from", "\(first)", "--json")
        #expect(shown.end == .exit(0), "\(shown)")
        #expect(try shown.lines.map { try Value(parsing: Array($0.utf8).span) } == told)

        // In text form, for a range, and of all features, whether debugged or not.
        let text = try daemon.todoctl("debug", "--from", "\(begun + 1)", "--to", "\(begun + 2)")
        #expect(text.end == .exit(0), "\(text)")
        #expect(text.lines.first?.contains("  todos.add ") == true, "\(text)")
        #expect(text.text.contains(#"+ todos.items[0] {"id":1,"title":"Buy the \"milk\"""#), "\(text)")
        #expect(text.text.contains("  - counter.count: 0\n  + counter.count: 1\n"), "\(text)")
        #expect(!text.text.contains("todos.complete"), "\(text)")

        // The details are on the lines after each entry.
        let line = #""complete":{"id":2,"#
        let words = "action=todos.complete sequence=\(begun + 3) uid=\(getuid())"
        let isTold = { daemon.output.split(separator: "\n").contains { $0.contains(line) && $0.hasSuffix(words) } }
        let deadline = Deadline(seconds: 30)
        while !isTold(), deadline.milliseconds > 0 {}
        #expect(isTold(), "\(daemon.output)")
    }

    @Test func `followers of debug output get nothing until a feature is debugged, and then each record`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        func cost() throws -> Double {
            let before = try daemon.processorSeconds()
            for _ in 0..<300 { try client.dispatch([Actions.increment]) }
            return try daemon.processorSeconds() - before
        }
        let alone = try cost()
        let tails = try (0..<50).map { _ in
            let tail = try daemon.connect()
            try tail.send("org.todod.Admin.DebugTail", more: true)
            return tail
        }
        var streams: Int64 = 0
        while streams < 50 {
            let clients = try client.call("org.todod.Admin.Clients")["clients"]?.list ?? []
            streams = clients.compactMap { $0["streams"]?.int }.reduce(0, +)
        }
        let followed = try cost()
        #expect(followed < 2 * alone + 0.2, "\(followed) s, \(alone) s alone")

        for _ in 1...2 {
            _ = try client.call("org.todod.Admin.Debug", ["feature": "counter", "on": true])
            try client.dispatch([Actions.increment, Actions.increment])
            let last = try client.sequence()
            for tail in tails {
                // A record between off and on may be included.
                var told: [Int64] = []
                while told.last ?? 0 < last { told.append(try #require(Client.result(tail.receive())["sequence"]?.int)) }
                #expect(told.suffix(2) == [last - 1, last])
            }
            _ = try client.call("org.todod.Admin.Debug", ["feature": "counter", "on": false])
            try client.dispatch([Actions.increment])
        }
    }

    @Test func `a range without actions has no output, and an unknown feature is refused`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("bookmark", "here").end == .exit(0))
        let none = try daemon.todoctl("debug", "--from", "start")
        #expect(none.end == .exit(0) && none.output.isEmpty, "\(none)")
        #expect(try daemon.todoctl("debug", "weather", "--from", "1").end == .exit(64))
        #expect(try daemon.todoctl("debug").end == .exit(64))
    }
}
