import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct RedactTests {
    /// The message about traces on the disk after a redaction.
    private static let staying = [
        "It can't be undone. Until todoctl compact is run, free pages of the file keep what it held.",
        "Exports, backups, archives and the daemon's journal keep what they have.",
    ]

    @Test func `a redacted text is removed from the log and every state, and everything else is kept`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk", "My secret is 4711")], key: "two")
        try client.dispatch([Actions.complete(1), Actions.increment])
        let before = try client.log()
        let watcher = try daemon.connect()
        try watcher.send("org.todod.Store.Subscribe", ["scope": "todos.items"], more: true)
        while try Client.result(watcher.receive())["complete"] == false {}
        let taken = try daemon.todoctl("redact", "1", "--yes")
        // Subscribers get the state again, because a redaction has no record, and do not get the text again.
        var told = [try Client.result(watcher.receive())]
        while told.last?["complete"] == false { told.append(try Client.result(watcher.receive())) }
        #expect(told.allSatisfy { $0["sequence"] == 3 && $0["changes"] == nil }, "\(told)")
        #expect("\(told)".contains("redacted") && !"\(told)".contains("secret"), "\(told)")
        #expect(taken.end == .exit(0), "\(taken)")
        #expect(taken.lines == ["Blanked all texts of record 1."] + Self.staying)
        #expect(try client.state("todos.items").titles == ["⟨redacted⟩", "⟨redacted⟩"])
        let after = try client.log()
        #expect(after.dropFirst().elementsEqual(before.dropFirst()))
        #expect(!after[0].description.contains("secret") && !after[0].description.contains("milk"))
        #expect(after[0]["time"] == before[0]["time"] && after[0]["key"] == before[0]["key"])

        // The checksums of the chain are unchanged, and the log continues.
        let next = try client.dispatch([Actions.edit(1, title: "Buy bread")])
        #expect(next.sequences == [4])
        #expect(try client.dispatch([Actions.add("Buy the milk", "My secret is 4711")], key: "two").isDuplicate)
        let none = try daemon.todoctl("redact", "3", "--yes")
        #expect(none.end == .exit(1), "\(none)")
        #expect(try daemon.todoctl("redact", "99", "--yes").end != .exit(0))
        try daemon.crash()
        let again = try daemon.connect()
        #expect(try Set(again.state("todos.items").titles) == ["⟨redacted⟩", "Buy bread"])
        #expect(try daemon.stop() == .exit(0))
        let checked = try Command.run([Products.todod, "--verify", "--data", daemon.data])
        #expect(checked.end == .exit(0), "\(checked)")

        // An import of the history contains no more than that.
        try daemon.start()
        let path = daemon.directory.path + "/history"
        #expect(try daemon.todoctl("export", path).end == .exit(0))
        #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("secret"))
        let other = try Daemon.started(environment: Daemon.ownLog)
        #expect(try other.todoctl("import", path).end == .exit(0))
        #expect(try Set(other.connect().state("todos.items").titles) == ["⟨redacted⟩", "Buy bread"])
    }

    @Test func `an old snapshot with redacted text is removed by the next start`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("My secret is 4711")])
        try daemon.connect().dispatch([Actions.increment])
        #expect(try daemon.stop() == .exit(0))
        let left = try daemon.snapshots().compactMap { path in
            (try? Data(contentsOf: URL(filePath: path))).map { (path: path, content: $0) }
        }
        #expect(!left.isEmpty)
        try daemon.start()
        #expect(try daemon.todoctl("redact", "1", "--yes").end == .exit(0))
        try daemon.kill()
        // As if it had ended before its removal.
        for (path, content) in left { try content.write(to: URL(filePath: path)) }
        try daemon.start()
        #expect(try daemon.connect().state("todos.items").titles == ["⟨redacted⟩"])
        for (path, content) in left { #expect((try? Data(contentsOf: URL(filePath: path))) != content) }
    }

    @Test func `other records with the same text are named and kept`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Buy bread", "--note", "abc").end == .exit(0))
        #expect(try daemon.todoctl("remove", "1").end == .exit(0))
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try daemon.todoctl("add", "no abc").end == .exit(0))
        #expect(try daemon.todoctl("add", "buy BREAD, and rolls").end == .exit(0))
        let named = try daemon.todoctl("redact", "1", "--yes")
        #expect(named.lines.first == "Blanked all texts of record 1.", "\(named)")
        #expect(named.lines.dropFirst().elementsEqual(Self.staying + ["Records 3, 5 hold one of them as well."]), "\(named)")
        let last = try daemon.todoctl("redact", "@-0", "--yes")
        #expect(last.lines == ["Blanked all texts of record 5."] + Self.staying, "\(last)")
        #expect(try daemon.connect().state("todos.items").titles == ["⟨redacted⟩", "no abc", "Buy bread"])
    }

    @Test func `a redaction is previewed and is refused if no user can be asked for confirmation`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Buy bread", "--note", "My secret").end == .exit(0))
        #expect(try daemon.todoctl("add", "Buy bread").end == .exit(0))
        let before = try daemon.connect().log()
        let trial = try daemon.todoctl("redact", "1", "--dry-run")
        #expect(trial.end == .exit(0) && trial.lines.first == "Would blank all texts of record 1:", "\(trial)")
        #expect(trial.lines[1].contains("My secret") && trial.lines[2].contains("would be todos.add"), "\(trial)")
        #expect(trial.lines[2].contains("⟨redacted⟩") && !trial.lines[2].contains("secret"))
        #expect(trial.lines[3].hasPrefix("It can't be undone.") && trial.lines[5] == "Record 2 holds one of them as well.")
        let unasked = try daemon.todoctl("redact", "1")
        #expect(unasked.end == .exit(64) && unasked.error.contains("use --yes or --dry-run."), "\(unasked)")
        #expect(unasked.lines == trial.lines)
        #expect(try daemon.todoctl("redact", "1", "--json").end == .exit(64))
        let json = try Value(parsing: try daemon.todoctl("redact", "1", "--dry-run", "--json").text)
        #expect(json["copies"] == [2] && json["action"]?["todos"]?["add"] != nil, "\(json)")
        // With both options there is no question, and it is still a dry run.
        #expect(try daemon.todoctl("redact", "1", "--dry-run", "--yes").lines == trial.lines)
        #expect(try daemon.todoctl("redact", "1", "--yes", "--dry-run", "--json").end == .exit(0))
        #expect(try daemon.connect().log().elementsEqual(before))
    }

    @Test func `debug output after a redaction contains no old text, neither for followers nor in the daemon's log`() throws {
        let daemon = try Daemon.started()
        let (client, tail) = (try daemon.connect(), try daemon.connect())
        #expect(try daemon.todoctl("debug", "on", "todos").end == .exit(0))
        try tail.send("org.todod.Admin.DebugTail", more: true)
        // The stream has no message for its begin, so the test waits for its first item.
        for _ in 0..<100 {
            try client.dispatch([Actions.text("begun")])
            if try Deadline(seconds: 0.2).awaitReadable(tail.descriptor) { break }
        }
        let added = try client.dispatch([Actions.add("My secret")]).sequences[0]
        while try Client.result(tail.receive())["sequence"]?.int != added {}
        #expect(try daemon.todoctl("redact", "\(added)", "--yes").end == .exit(0))
        let edited = try client.dispatch([Actions.edit(1, title: "Nothing to hide")]).sequences[0]
        var told = try Client.result(tail.receive())
        while told["sequence"]?.int != edited { told = try Client.result(tail.receive()) }
        #expect(told["lines"]?.list?.count == 2 && told.description.contains("⟨redacted⟩"), "\(told)")
        #expect(!told.description.contains("secret"))
        #expect(try daemon.stop() == .exit(0))
        let after = daemon.output.components(separatedBy: "Nothing to hide")
        #expect(after.count > 1 && daemon.output.components(separatedBy: "secret").count <= 3, "\(daemon.output)")
        #expect(!after.dropFirst().joined().contains("secret"))
    }

    @Test func `snapshots that a redaction removed are rebuilt, and a long search reports its progress`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("My secret")])
        // Members of a cluster accept no larger ones.
        for _ in 0..<24 { try client.dispatch(Array(repeating: Actions.increment, count: 8_000)) }
        let searched = try client.stream("org.todod.History.Log", ["search": "secret"])
        #expect(searched.flatMap { $0["records"]?.list ?? [] }.count == 1)
        // Results come first, although most records are still to be searched, and then the progress in order.
        let reached = searched.compactMap { $0["reached"]?.int }
        #expect(!reached.isEmpty && reached == reached.sorted() && searched[0]["records"]?.list?.count == 1)
        #expect(try daemon.todoctl("log", "--raw", "--search", "secret").lines.count == 1)
        #expect(try daemon.todoctl("log", "--raw", "--search", "secret", "--limit", "3").lines.count == 1)
        let json = try daemon.todoctl("log", "--search", "secret", "--json").lines.map { try Value(parsing: $0) }
        #expect(json.allSatisfy { $0["reached"] == nil } && json.contains { $0["records"]?.list?.count == 1 })

        let travel = daemon.data + "/travel"
        func snapshots() -> Int { ((try? FileManager.default.contentsOfDirectory(atPath: travel)) ?? []).count }
        #expect(try daemon.todoctl("redact", "1", "--yes").end == .exit(0))
        let deadline = Deadline(seconds: 120)
        // One at the end is written by the store. The earlier ones are filled in.
        while snapshots() < 2, deadline.milliseconds > 0 { _ = try client.call("org.todod.Admin.Ping") }
        #expect(snapshots() >= 2)
        #expect(try daemon.todoctl("list", "--at", "50000").text.contains("⟨redacted⟩"))
        #expect(try daemon.todoctl("verify").end == .exit(0))
    }
}
