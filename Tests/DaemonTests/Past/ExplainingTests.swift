import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct ExplainingTests {
    /// Two todos, one of them done and renamed, a count of 2, and typing; records 1 to 10.
    private static func diary() throws -> Daemon {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        try client.dispatch([Actions.increment])
        try client.dispatch([Actions.add("Take my dog")])
        try client.dispatch([Actions.complete(1)])
        for text in ["B", "Bu", "Buy"] { try client.dispatch([Actions.text(text)]) }
        try client.dispatch([Actions.edit(1, title: "Buy oat milk")])
        try client.dispatch([Actions.increment])
        try client.dispatch([Actions.remove(2)])
        return daemon
    }

    private func records(_ client: Client, _ query: Value) throws -> [Int64] {
        try client.stream("org.todod.History.Log", query).flatMap { $0["records"]?.list ?? [] }.compactMap {
            $0["sequence"]?.int
        }
    }

    @Test func `the log is filtered, reversed, grouped and printed with changes`() throws {
        let daemon = try Self.diary()
        let client = try daemon.connect()
        #expect(try records(client, [:]) == Array(1...10))
        #expect(try records(client, ["reverse": true, "limit": 3]) == [10, 9, 8])
        #expect(try records(client, ["feature": "counter"]) == [2, 9])
        #expect(try records(client, ["action": "add"]) == [1, 3])
        #expect(try records(client, ["action": "todos.remove"]) == [10])
        #expect(try records(client, ["search": "MILK"]) == [1, 8])
        let long = String(repeating: "x", count: 65_536)
        #expect(try records(client, ["search": .text(long)]) == [])
        let tooLong = try client.ask("org.todod.History.Log", ["search": .text(long + "x")], more: true)
        #expect(tooLong.error == "org.varlink.service.InvalidParameter")
        #expect(try records(client, ["origin": 4_000_000_000]) == [])
        #expect(try records(client, ["origin": .int(Int64(getuid())), "from": ["sequence": 9]]) == [9, 10])
        #expect(try records(client, ["runs": true]) == [1, 2, 3, 4, 7, 8, 9, 10])
        #expect(try records(client, ["limit": 0]) == [])
        let run = try client.stream("org.todod.History.Log", ["runs": true, "changes": true, "action": "updateText"])
        let detail = run.flatMap { $0["details"]?.list ?? [] }.first
        #expect(detail?["first"] == 5)
        #expect(
            detail?["changes"] == [["path": "todos", "kind": "set", "old": ["draft": ""], "new": ["draft": "Buy"]]])

        #expect(try daemon.todoctl("log", "--raw").lines.count == 8)
        #expect(try daemon.todoctl("log", "--raw", "--ungrouped").lines.count == 10)
        #expect(try daemon.todoctl("log", "--raw").text.contains("5–7  "))
        #expect(try daemon.todoctl("log", "--raw", "--limit", "2").lines.map { $0.prefix(2) } == ["9 ", "10"])
        #expect(try daemon.todoctl("log", "--raw", "--limit", "2", "--from", "1").lines.map { $0.prefix(2) } == ["1 ", "2 "])
        #expect(try daemon.todoctl("log", "--raw", "--limit", "2", "--reverse").lines.map { $0.prefix(2) } == ["10", "9 "])
        #expect(try daemon.todoctl("log", "--raw", "--from", "-1", "--diff").text.contains("    - todos.items 2: Take my dog\n"))
        #expect(try daemon.todoctl("log", "--raw", "--from", "today", "--to", "today").lines.count == 8)
        #expect(try daemon.todoctl("log", "--raw", "--to", "yesterday").lines.isEmpty)
        #expect(try daemon.todoctl("replay", "counter").lines.map { $0.prefix(2) } == ["2 ", "  ", "9 ", "  "])
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `the log is printed in sentences, with and without a terminal`() throws {
        let daemon = try Self.diary()
        #expect(try daemon.todoctl("undo").end == .exit(0))
        let told = try daemon.todoctl("log").lines
        #expect(told.contains { $0.hasSuffix("  you  removed 2: Take my dog (undone)  (record 10)") }, "\(told)")
        let terminal = try Terminal(daemon.directory.path)
        let todoctl = "NO_COLOR=1 '\(Products.todoctl)' --socket '\(daemon.socket)' log"
        try terminal.press("clear; \(todoctl)", "Enter")
        for line in [
            "you  added 1: Buy the milk  (record 1)", "you  counted up to 1  (record 2)",
            "you  completed 1: Buy the milk  (record 4)", "you  typed: Buy  (records 5",
            "you  changed 1: Buy the milk", "you  removed 2: Take my dog (undone)  (record 10)",
            "you  put back 2: Take my dog (undoes record 10)  (record 11)",
        ] { #expect(try terminal.shows(line), "\(line)") }
        try terminal.press("clear; \(todoctl) --limit 2 --feature counter", "Enter")
        #expect(try terminal.shows("you  counted up to 2  (record 9)") && terminal.hides("typed: "))
        try terminal.press("clear; PAGER='tr a-z A-Z' \(todoctl) --action remove", "Enter")
        #expect(try terminal.shows("YOU  REMOVED 2: TAKE MY DOG (UNDONE)  (RECORD 10)"))
        try terminal.press("clear; PAGER=/no/such/pager \(todoctl) --action remove; echo \"status $?\"", "Enter")
        #expect(try terminal.shows("The pager “/no/such/pager” can't be run: mend PAGER, or set it to cat."))
        #expect(try terminal.shows("status 78"))
        try terminal.press("clear; \(todoctl) --raw --limit 2", "Enter")
        #expect(try terminal.shows("todos.remove id 2"))
    }

    @Test(.enabled(if: Terminal.tmux != nil && Products.tool("less") != nil, "tmux or less is not installed"))
    func `a log that is longer than the screen is opened at its end`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 1...60 { try client.dispatch([Actions.increment]) }
        let terminal = try Terminal(daemon.directory.path)
        let todoctl = "NO_COLOR=1 '\(Products.todoctl)' --socket '\(daemon.socket)' log"
        try terminal.press("clear; \(todoctl)", "Enter")
        #expect(try terminal.shows("counted up to 60  (record 60)"))
    }

    @Test func `a patch turns one state into the other, and a path selects a part`() throws {
        let daemon = try Self.diary()
        let client = try daemon.connect()
        #expect(
            try client.call("org.todod.History.Diff", ["from": ["sequence": 1], "to": ["sequence": 2]])["changes"]
                == [["path": "counter", "kind": "set", "old": ["count": 0], "new": ["count": 1]]])
        #expect(
            try daemon.todoctl("diff", "1", "2", "--json").text
                == #"[{"op":"replace","path":"/counter/count","value":1}]"# + "\n")
        #expect(try daemon.todoctl("diff", "2", "1").lines == ["counter: 1 → 0"])
        #expect(try daemon.todoctl("diff", "7", "now", "todos.items[1].title").lines.count == 1)
        #expect(try daemon.todoctl("diff", "8", "now", "todos.items[1].title").text == "No difference.\n")
        // Many changes arrive in several replies, which together are one patch.
        for first in stride(from: 0, to: 1_000, by: 250) {
            try client.dispatch((first..<first + 250).map { Actions.add("Todo number \($0)") })
        }
        let patch = try Value(parsing: try daemon.todoctl("diff", "start", "now", "todos.items", "--json").text)
        #expect(patch.list?.count == 1_001)
        #expect(try client.stream("org.todod.History.Diff", ["from": ["sequence": 0], "to": ["back": 0]]).count >= 4)
    }

    @Test func `why shows the origin of a record and its results`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([["todos": ["load": [:]]]], key: "the key")
        try daemon.state("todos.items") { $0.todos.count == 3 }
        let answer = try client.call("org.todod.History.Why", ["sequence": 2])
        #expect(answer["roots"] == [1] && answer["cut"] == false)
        #expect(answer["records"]?.list?.compactMap { $0["sequence"]?.int } == [1, 2])
        #expect(answer["fates"]?.list?.map { $0["fate"] } == ["ended"])
        let lines = try daemon.todoctl("why", "@-0").lines
        #expect(lines.count == 3, "\(lines)")
        #expect(lines.first?.contains("todos.load") == true && lines.first?.contains("key the key") == true)
        #expect(lines.last?.hasSuffix("←") == true && lines.last?.hasPrefix("   └─ 2  ") == true)
    }

    @Test func `the moment at which a condition became true is found with its cause`() throws {
        let daemon = try Self.diary()
        for (flags, how) in [([], "Every record"), (["--linear"], "Every record"), (["--quick"], "Found by binary search")] {
            let found = try Command.run(
                [Products.todoctl, "bisect", "--where", "counter.count == 2"] + flags,
                environment: ["TODOD_SOCKET": daemon.socket])
            #expect(found.lines.first == "The condition became true with record 9.", "\(found)")
            #expect(found.lines[1].hasPrefix(how), "\(found)")
            #expect(found.text.contains("counter.count: 1 → 2") && found.text.contains("counter.increment"), "\(found)")
        }
        let client = try daemon.connect()
        func scan(_ parameters: Value) throws -> Value {
            try client.call("org.todod.History.Scan", .record([.init("question", "first")] + (parameters.record ?? [])))
        }
        // It became true at 3 and false at 10. A binary search may miss that, a linear one does not.
        let linear = try scan(["expression": "count(todos.items) > 1"])
        #expect(linear["outcome"] == "found" && linear["sequence"] == 3 && linear["method"] == "linear")
        let halves = try scan(["expression": "count(todos.items) > 1", "method": "halving"])
        #expect(halves["method"] == "halving")
        let both: Value = ["question": "first", "expression": "true", "method": "both"]
        #expect(try client.ask("org.todod.History.Scan", both).error == "org.varlink.service.InvalidParameter")
        #expect(try scan(["expression": "counter.count >= 0"])["outcome"] == "heldAtStart")
        #expect(try daemon.todoctl("bisect", "--where", "counter.count > 9").end == .exit(1))
        let told = try daemon.todoctl("bisect", "--where", "counter.count == 2", "--json").lines.map {
            try Value(parsing: Array($0.utf8))
        }
        #expect(told.count == 2 && told[1]["sequence"] == told[0]["sequence"] && told[1]["records"] != nil, "\(told)")
        let loop = #"any(todo in todos.items: todo.title == "Buy oat milk")"#
        #expect(try scan(["expression": .text(loop), "from": ["sequence": 4]])["sequence"] == 8)
    }

    @Test func `blame names the record that set each value`() throws {
        let daemon = try Self.diary()
        let client = try daemon.connect()
        let title = try client.call("org.todod.History.Blame", ["path": "todos.items[1].title", "history": true])
        #expect(title["origins"]?.list?.compactMap { $0["sequence"]?.int } == [1, 8])
        #expect(title["origins"]?.list?.last?["old"] == ["value": "Buy the milk"])
        #expect(title["records"]?.list?.compactMap { $0["sequence"]?.int } == [1, 8])
        #expect(try daemon.todoctl("blame", "counter.count").lines.last == "    counter.count: 1 → 2")
        #expect(try daemon.todoctl("blame", "counter.count", "--at", "3").lines.last == "    counter.count: 0 → 1")
        // The todo at that position now, wherever it was before.
        #expect(try daemon.todoctl("blame", "todos.items[@0].title").text.contains("Buy the milk → Buy oat milk"))
        let first = try daemon.todoctl("blame", "todos.items[@0]")
        #expect(first.lines.first?.hasPrefix("8  ") == true, "\(first)")
        #expect(try daemon.todoctl("blame", "todos.items[@0]", "--at", "7").lines.first?.hasPrefix("3  ") == true)
        #expect(
            try daemon.todoctl("blame", "--all", "todos.items[@0]").lines == daemon.todoctl("blame", "--all", "todos.items").lines
        )
        #expect(
            try daemon.todoctl("blame", "--all", "todos.items[@0]", "--at", "7").text.contains(
                "todos.items[2].title: Take my dog"))
        #expect(
            try daemon.todoctl("blame", "--all", "todos.items[@9]").text == "Never changed since the log began.\n")
        #expect(try daemon.todoctl("blame", "posts.items").text == "Never changed since the log began.\n")
        let all = try daemon.todoctl("blame", "--all", "todos.items").lines
        #expect(all.contains { $0.hasPrefix("todos.items[1].title: Buy oat milk  8  ") }, "\(all)")
        #expect(all.contains { $0.hasPrefix("todos.items[1].completed: ") && $0.contains("  4  ") }, "\(all)")
    }

    @Test func `a check prints where a condition was violated and sets its exit status`() throws {
        let daemon = try Self.diary()
        let client = try daemon.connect()
        let held = try daemon.todoctl("check", "--where", "counter.count <= 2")
        #expect(held.end == .exit(0) && held.text == "The condition holds from record 0 to 10.\n", "\(held)")
        let broken = try daemon.todoctl("check", "--where", "count(todos.items) < 2")
        #expect(broken.end == .exit(1) && broken.text.hasPrefix("3  "), "\(broken)")
        let all = try client.call(
            "org.todod.History.Scan", ["question": "violations", "expression": "count(todos.items) < 2", "all": true])
        #expect(all["violations"] == [["from": 3, "to": 9]] && all["cut"] == false)
    }

    @Test func `verify checks everything and names the damage`() throws {
        let daemon = try Self.diary()
        _ = try daemon.todoctl("bookmark", "here", "3")
        let whole = try daemon.todoctl("verify")
        #expect(whole.end == .exit(0) && whole.text.hasPrefix("The log is whole through its last record, 11: "), "\(whole)")
        #expect(whole.text.contains("bookmarks 1."))
        let answers = try daemon.connect().stream("org.todod.Admin.Verify")
        #expect(answers.last?["damages"] == [] && answers.last?["last"] == 11)
        // A snapshot with wrong contents.
        #expect(try daemon.stop() == .exit(0))
        try daemon.start()
        let snapshot = try #require(try daemon.snapshots().last)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: snapshot))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: snapshot))
        let damaged = try daemon.todoctl("verify")
        #expect(damaged.end == .exit(65) && damaged.text.contains("snapshot"), "\(damaged)")
        #expect(damaged.error.contains("at record 11"), "\(damaged)")
    }

    @Test func `searches end when their client disconnects, and dispatches continue beside them`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let searches = try Searches(daemon)
        #expect(try client.dispatch([Actions.increment]).sequences.count == 1)
        #expect(try searches.areFull)
        searches.end()
        let patience = Deadline(seconds: 60)
        while try searches.areFull, patience.milliseconds > 0 {}
        #expect(try !searches.areFull)
        #expect(try client.state("counter")["counter"]?["count"] == 1)
    }

    @Test func `a read-only daemon serves the past and refuses bookmarks`() throws {
        let daemon = try Self.diary()
        #expect(try daemon.stop() == .exit(0))
        daemon.flags = ["--inspect"]
        try daemon.start()
        #expect(try daemon.todoctl("list", "--at", "3").lines.count == 3)
        #expect(try daemon.todoctl("verify").end == .exit(0))
        #expect(try daemon.todoctl("blame", "counter.count").end == .exit(0))
        #expect(try daemon.connect().ask("org.todod.History.SetBookmark", ["bookmark": "x"]).error == "org.todod.Store.ReadOnly")
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `a replay shows each state on a terminal and responds to its keys`() throws {
        let daemon = try Self.diary()
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press("'\(Products.todoctl)' replay counter --step --socket '\(daemon.socket)'; echo over", "Enter")
        #expect(try terminal.shows("before the first record") && terminal.shows("0 of 10"))
        try terminal.press("n", "n")
        #expect(try terminal.shows("2 of 10") && terminal.shows("counter.count: 0 → 1"))
        try terminal.press("G")
        #expect(try terminal.shows("10 of 10") && terminal.shows("count: 2"))
        try terminal.press("Left", "Left")
        #expect(try terminal.shows("8 of 10") && terminal.shows("count: 1"))
        try terminal.press("q")
        #expect(try terminal.shows("over"))
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `a replay shows a list around the changed row and follows the size of the terminal`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch((1...200).map { Actions.add("Todo number \($0)") })
        try client.dispatch([Actions.complete(7)])
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press(
            "LC_ALL=C.UTF-8 '\(Products.todoctl)' replay todos --from @-0 --step --socket '\(daemon.socket)'", "Enter")
        #expect(try terminal.shows("  7 [x] Todo number 7") && terminal.shows("201 of 201") && terminal.shows("space"))
        #expect(try terminal.hides("Todo number 200"))
        try terminal.resize(columns: 36, lines: 14)
        #expect(try terminal.hides("space") && terminal.shows("201 of 201") && terminal.shows("7 [x] Todo number 7"))
        try terminal.resize(columns: 120, lines: 30)
        #expect(try terminal.shows("space"))
        try terminal.press("q")
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `log --follow filters and groups like log`() throws {
        let daemon = try Self.diary()
        let client = try daemon.connect()
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press("export TODOD_SOCKET='\(daemon.socket)'; clear", "Enter")
        try terminal.press("'\(Products.todoctl)' log --follow --limit 4", "Enter")
        #expect(try terminal.shows("5–7  ") && terminal.shows("todos.remove"))
        for text in ["E", "Eg", "Egg"] { try client.dispatch([Actions.text(text)]) }
        try client.dispatch([Actions.increment])
        #expect(try terminal.shows("11–13  ") && terminal.shows("\n14  "))
        // Typing that pauses is shown as well.
        try client.dispatch([Actions.text("Eggs")])
        #expect(try terminal.shows("\n15  "))
        try terminal.press("C-c")
        // Only edits with that text, ignoring case, as in log.
        try terminal.press(
            "clear; '\(Products.todoctl)' log --follow --feature todos --action edit --search MILK --diff", "Enter")
        #expect(try terminal.shows("8  ") && terminal.shows("Buy the milk → Buy oat milk"))
        try client.dispatch([Actions.edit(1, title: "Ähre")])
        try client.dispatch([Actions.add("Milk")])
        try client.dispatch([Actions.edit(1, title: "Milk again")])
        #expect(try terminal.shows("Ähre → Milk again"))
        // Such a number is at the beginning of a line; the seconds of a time are not.
        #expect(try terminal.hides("\n16  ") && terminal.hides("\n17  "))
        try terminal.press("C-c")
    }
}
