import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Forks and exports of a compacted log.
@Suite(.ownThreads) struct ForkedBaseTests {
    /// A log with all kinds of contents before and after its base.
    ///
    /// Returns the base.
    private func compacted(_ daemon: Daemon) throws -> Int64 {
        let client = try daemon.connect()
        try ExportTests.lived(client, daemon)
        try client.dispatch([["posts": ["fetch": [:]]]])
        #expect(try daemon.todoctl("bookmark", "early").end == .exit(0))
        let last = try client.sequence()
        for number in 0..<10 { try client.dispatch([Actions.increment], key: "late-\(number)") }
        #expect(try daemon.todoctl("bookmark", "late").end == .exit(0))
        let outcome = try client.call("org.todod.History.Compact", ["before": ["sequence": .int(last)]])
        #expect(outcome["base"] == .int(last))
        return last
    }

    private func state(_ client: Client, at sequence: Int64) throws -> [Value] {
        try client.stream("org.todod.Store.GetState", ["at": ["sequence": .int(sequence)]]).compactMap { $0["state"] }
    }

    @Test func `a fork begins at any moment that a compacted log knows, and at none before`() throws {
        let daemon = try Daemon.started()
        let base = try compacted(daemon)
        let client = try daemon.connect()
        let (head, log) = (try client.sequence(), try client.log())
        let told = try client.call("org.todod.Admin.Head")["head"]?.text ?? ""
        let forks = Forks(of: daemon)
        for moment in [base - 1, 0] {
            let refused = try daemon.todoctl("fork", "early", "--at", "\(moment)")
            #expect(refused.end != .exit(0) && refused.error.contains("moments from \(base) to \(head)"), "\(refused)")
        }
        #expect(try forks.names() == [])
        for (name, moment) in [("base", base), ("between", base + 5), ("now", head)] {
            let made = try daemon.todoctl("fork", name, "--at", "\(moment)")
            #expect(made.end == .exit(0) && made.lines.first?.hasPrefix("\(name)  from record \(moment), 20") == true, "\(made)")
            let fork = try forks.client(name)
            #expect(try state(fork, at: moment) == state(client, at: moment), "\(name)")
            #expect(try Array(fork.log().dropLast()) == Array(log.prefix(Int(moment - base))), "\(name)")
            #expect(try fork.log().last?["kind"] == "hold")
            let verified = try daemon.todoctl("--fork", name, "verify", "--head", try fork.status()["fork"]?["head"]?.text ?? "")
            #expect(verified.end == .exit(0), "\(name): \(verified)")
            // A dispatch under a key whose record is gone is not repeated.
            #expect(try fork.dispatch([Actions.increment, Actions.edit(2, title: "Call the bank, 1")], key: "key-1").isDuplicate)
            let marks = try daemon.todoctl("--fork", name, "bookmark").text
            #expect(marks.contains("early") && marks.contains("late") == (name == "now"), "\(name): \(marks)")
            #expect(try forks.commands(name).allSatisfy { $0[2] == true })
        }
        #expect(try daemon.todoctl("--fork", "now", "verify", "--head", told).end == .exit(0))
        #expect(try forks.commands("now").map { $0[0] } == daemon.commands().map { $0["id"]?["sequence"] ?? .null })
        #expect(try client.log() == log)

        // A fork of a fork begins at its beginning.
        let second = try daemon.todoctl("--fork", "base", "fork", "second")
        #expect(second.end == .exit(0), "\(second)")
        #expect(try forks.client("second").state() == forks.client("base").state())
        #expect(try daemon.todoctl("--fork", "second", "verify").end == .exit(0))
    }

    @Test func `a fork of a base is changed, merged and undone, and holds its commands across restarts of both`() throws {
        let daemon = try Daemon.started()
        let base = try compacted(daemon)
        let forks = Forks(of: daemon)
        #expect(try daemon.todoctl("fork", "try", "--at", "\(base)").end == .exit(0))
        let held = try forks.commands("try")
        #expect(try daemon.todoctl("--fork", "try", "add", "Cheese").end == .exit(0))
        try forks.crash("try")
        #expect(try daemon.todoctl("fork", "start", "try").end == .exit(0))
        #expect(try forks.commands("try") == held && held.allSatisfy { $0[2] == true && $0[3] == "waiting" })
        #expect(try daemon.todoctl("--fork", "try", "verify").end == .exit(0))
        try daemon.crash()
        let before = try daemon.connect().state("todos.items")
        let merged = try daemon.todoctl("fork", "merge", "try", "--yes")
        #expect(merged.end == .exit(0), "\(merged)")
        #expect(try daemon.connect().state("todos.items").titles.contains("Cheese"))
        #expect(try daemon.todoctl("fork", "merge", "try", "--yes").text == "try has no new changes.\n")
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try daemon.connect().state("todos.items") == before)
        #expect(try daemon.todoctl("verify").end == .exit(0))

        // A log that begins at the last common record can merge the fork, and one that begins after it can't.
        let last = try daemon.connect().sequence()
        #expect(try daemon.todoctl("fork", "late").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "late", "add", "Late").end == .exit(0))
        #expect(try daemon.todoctl("compact", "--before", "\(last)", "--yes").end == .exit(0))
        #expect(try daemon.todoctl("fork", "merge", "late", "--dry-run").text.contains("Late"))
        let gone = try daemon.todoctl("fork", "merge", "try", "--yes")
        #expect(
            gone.end == .exit(64) && gone.error.contains("begins at record \(base), and this log was compacted through"),
            "\(gone)")
    }

    @Test func `an export of a compacted log is imported as an independent log and resumes after an interruption`() throws {
        let daemon = try Daemon.started()
        let base = try compacted(daemon)
        let client = try daemon.connect()
        let path = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", path).end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        let fine = try other.todoctl("import", path)
        #expect(fine.end == .exit(0) && fine.text.contains("begins with the state after record \(base)"), "\(fine)")
        let last = try client.sequence()
        let taken = "\nBegan with the state after record \(base); imported records \(base + 1) to \(last).\n"
        #expect(fine.text.contains(taken), "\(fine)")
        #expect(try other.connect().state() == client.state())
        #expect(try other.connect().log() == client.log())
        #expect(try other.todoctl("verify", "--head", client.call("org.todod.Admin.Head")["head"]?.text ?? "").end == .exit(0))
        #expect(try other.commands().allSatisfy { $0["held"] == true })
        #expect(try other.todoctl("import", path).text.contains("already"))
        #expect(try other.todoctl("list", "--at", "\(base)").end == .exit(0))
        try other.crash()
        #expect(try other.connect().state() == client.state())
        #expect(try other.todoctl("compact", "--before", "\(base + 8)", "--yes").end == .exit(0))
        #expect(try other.todoctl("verify").end == .exit(0))
        #expect(try other.stop() == .exit(0))
        #expect(try Command.run([Products.todod, "--verify", "--data", other.data]).end == .exit(0))

        // The whole export continues a part of it, even if the part is only the base.
        let part = daemon.directory.path + "/part.jsonl"
        #expect(try daemon.todoctl("export", part, "--to", "\(base)").end == .exit(0))
        let third = try Daemon.started(environment: Daemon.ownLog)
        let alone = try third.todoctl("import", part)
        #expect(alone.end == .exit(0) && alone.text.contains("\nBegan with the state after record \(base).\n"), "\(alone)")
        #expect(try third.connect().sequence() == base)
        #expect(try third.todoctl("verify").end == .exit(0))
        #expect(try third.todoctl("import", path).end == .exit(0))
        #expect(try third.connect().state() == client.state())
        // A log that still has the removed records accepts the ones after them.
        let archive = try #require(client.status()["archive"]?.text)
        let whole = try Daemon.started(environment: Daemon.ownLog)
        #expect(try whole.todoctl("import", daemon.data + "/" + archive).end == .exit(0))
        #expect(try whole.todoctl("import", path).end == .exit(0))
        #expect(try whole.connect().state() == client.state() && whole.connect().log().count == Int(client.sequence()))

        let ephemeral = try Daemon.started(flags: ["--ephemeral", "--replay", path])
        #expect(try ephemeral.connect().state() == client.state())
        #expect(try ephemeral.todoctl("verify").end == .exit(0))
        let busy = try Daemon.started(environment: Daemon.ownLog)
        try busy.connect().dispatch([Actions.increment])
        let refused = try busy.todoctl("import", path)
        #expect(refused.end == .exit(1) && refused.text.hasPrefix("Impossible."), "\(refused)")
    }

    @Test func `a log that was compacted further contains an earlier export, but not one of another log`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let client = try daemon.connect()
        for number in 0..<30 { try client.dispatch([Actions.increment], key: "key-\(number)") }
        let other = try Daemon.started()
        for number in 0..<30 { try other.connect().dispatch([Actions.increment], key: "key-\(number)") }
        let (own, another) = (daemon.directory.path + "/own.jsonl", daemon.directory.path + "/another.jsonl")
        for (daemon, path) in [(daemon, own), (other, another)] {
            #expect(try daemon.todoctl("compact", "--before", "10", "--yes").end == .exit(0))
            #expect(try daemon.todoctl("export", path).end == .exit(0))
        }
        let begun = try Daemon.started(environment: Daemon.ownLog)
        #expect(try begun.todoctl("import", own).end == .exit(0))
        for one in [daemon, begun] {
            for before in ["20", "30"] {
                #expect(try one.todoctl("compact", "--before", before, "--yes").end == .exit(0))
                let (head, state) = (try one.connect().sequence(), try one.connect().state())
                let same = try one.todoctl("import", own)
                #expect(same.end == .exit(0) && same.text.contains("This log already has all of it."), "\(before): \(same)")
                let strange = try one.todoctl("import", another)
                #expect(
                    strange.end == .exit(1) && strange.text.contains("has another history up to record"), "\(before): \(strange)")
                #expect(try one.connect().sequence() == head && one.connect().state() == state)
            }
        }
        // The newer records of one log are imported by the other, whose base is earlier.
        try client.dispatch([Actions.increment])
        let more = daemon.directory.path + "/more.jsonl"
        let early = try Daemon.started(environment: Daemon.ownLog)
        #expect(try early.todoctl("import", own).end == .exit(0))
        #expect(try early.todoctl("export", more + ".early").end == .exit(0))
        #expect(try daemon.todoctl("export", more).end == .exit(0))
        #expect(try early.todoctl("import", more).end == .exit(0))
        #expect(try early.connect().state() == client.state())
    }

    @Test func `a follower of an empty log continues after an imported base, without a reference to a missing archive`() throws {
        let daemon = try Daemon.started()
        let base = try compacted(daemon)
        let last = try daemon.connect().sequence()
        let path = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", path).end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        let client = try other.connect()
        func more(_ method: String, _ input: Value = [:]) throws -> Client {
            let reader = try other.connect()
            try reader.send(method, input, more: true)
            return reader
        }
        let followers = try [["actions": []], ["where": "new.counter.count > 0"]].map { (filter: Value) in
            let follower = try more("org.todod.Store.Subscribe", .record([.init("kind", "records")] + (filter.record ?? [])))
            #expect(try Client.result(follower.receive())["sequence"] == 0)
            return follower
        }
        let fromNow = try more("org.todod.Store.Subscribe", ["kind": "records"])
        let fromFirst = try more("org.todod.Store.Subscribe", ["kind": "records", "from": ["sequence": 1]])
        while try client.status()["subscribers"] != 4 {}
        #expect(try other.todoctl("import", path).end == .exit(0))
        for follower in followers {
            var reached: Int64 = 0
            while reached < last {
                let item = try Client.result(follower.receive())
                let found = (item["records"]?.list ?? []).compactMap { $0["sequence"]?.int }
                #expect(found.allSatisfy { $0 > base }, "\(found)")
                reached = item["sequence"]?.int ?? .max
            }
        }
        for reader in [fromNow, fromFirst] {
            let begun = try Client.result(reader.receive())
            #expect(begun["records"] == [] && begun["sequence"] == .int(base) && begun["skipped"] == .int(base), "\(begun)")
            let next = try Client.result(reader.receive())
            #expect(next["records"]?.list?.first?["sequence"] == .int(base + 1), "\(next)")
        }
        #expect(try other.todoctl("verify").end == .exit(0))

        #expect(try client.status()["base"] == .int(base) && client.status()["archive"] == nil)
        #expect(try other.todoctl("status").text.contains("after record \(base), with the state after that record"))
        let blamed = try other.todoctl("blame", "todos.items[1].title").text
        #expect(blamed.contains("The log begins after record \(base)"), "\(blamed)")
        let early = try other.todoctl("log", "--raw", "--from", "1")
        #expect(early.end == .exit(1) && !early.error.contains("archive"), "\(early)")
        let refused = try client.ask("org.todod.Store.Subscribe", ["kind": "records", "from": ["sequence": 1]], more: true)
        #expect(Client.short(refused) == "PrunedSequence" && refused.parameters["archive"]?.text == nil, "\(refused)")
        try client.dispatch([Actions.add("A secret")])
        let redacted = try other.todoctl("redact", "\(client.sequence())", "--yes")
        #expect(redacted.text.contains("This log begins after record \(base)."), "\(redacted)")
        #expect(try other.stop() == .exit(0))
        let restored = try Command.run([
            Products.todod, "--restore", other.data, "--until", "\(base - 1)", "--data", other.directory.path + "/restored",
        ])
        #expect(
            restored.end != .exit(0) && (restored.text + restored.error).contains("begins after record \(base)")
                && !(restored.text + restored.error).contains("archive"),
            "\(restored)")
        // A compaction of the importing log has an archive again.
        try other.start()
        #expect(try other.todoctl("compact", "--before", "\(base + 8)", "--yes").end == .exit(0))
        #expect(try other.connect().status()["archive"]?.text?.hasPrefix("archive-\(base + 1)-") == true)
    }
    @Test func `a base that is truncated, misplaced, repeated or wrong is refused, and nothing is written`() throws {
        let daemon = try Daemon.started()
        let base = try compacted(daemon)
        let path = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", path).end == .exit(0))
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        let first = try #require(lines.firstIndex { $0.contains("\"bytes\":") })
        let isBase = { (line: String) in line.hasPrefix("{\"base\"") }
        let isKey = { (line: String) in line.hasPrefix("{\"key\"") }
        #expect(lines.filter(isBase).count == 1 && lines.filter(isKey).count > 10 && base > 40)
        let other = try Daemon.started(environment: Daemon.ownLog)
        func expectRefused(_ lines: [String], _ what: Comment) throws {
            let outcome = try other.todoctl("import", "-", "--risky", input: Array((lines.joined(separator: "\n") + "\n").utf8))
            #expect(outcome.end == .exit(65) && outcome.text.hasPrefix("Impossible."), "\(what): \(outcome)")
            #expect(try other.connect().sequence() == 0, what)
        }
        try expectRefused(lines.filter { !isBase($0) }, "no base")
        try expectRefused(lines.filter { !isKey($0) }, "no keys")
        var fewer = lines
        fewer.remove(at: 3)
        try expectRefused(fewer, "a key is missing")
        try expectRefused(Array(lines[..<3]) + [lines[2]] + lines[4...], "a key twice")
        try expectRefused(Array(lines[..<first]) + [lines[1]] + lines[first...], "a second one")
        try expectRefused([lines[0]] + lines[2...first] + [lines[1]] + lines[(first + 1)...], "in the middle")
        try expectRefused(Array(lines[..<2]), "nothing behind it")
        try expectRefused([lines[0].replacing("\"before\":\"", with: "\"before\":\"0")] + lines[1...], "another chain")
        var flipped = Array(lines[1])
        for offset in [30, 300, flipped.count - 8] {
            flipped = Array(lines[1])
            flipped[offset] = flipped[offset] == "A" ? "B" : "A"
            try expectRefused([lines[0], String(flipped)] + lines[2...], "a bit of the base")
        }
        #expect(try other.connect().dispatch([Actions.increment]).sequences == [1])
    }

    @Test func `a merge that was compacted away is not redone beside one that may contain the same records`() throws {
        let daemon = try Daemon.started()
        let forks = Forks(of: daemon)
        let environment = ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket]
        func done(_ words: String...) throws {
            let done = try Command.run([Products.todoctl] + words, environment: environment, seconds: 120)
            #expect(done.end == .exit(0), "\(words): \(done)")
        }
        try done("add", "Milk")
        try done("fork", "one")
        try done("--fork", "one", "add", "Bread")
        try done("fork", "merge", "one", "--yes")
        let merge = try daemon.connect().sequence()
        try done("undo")
        let undo = try daemon.connect().sequence()
        try done("fork", "two")
        try done("--fork", "two", "fork", "merge", "one", "--yes")
        try done("compact", "--before", "\(merge)", "--yes")
        try done("fork", "merge", "two", "--yes")
        let meanwhile = try daemon.connect().sequence()
        let refused = try daemon.todoctl("undo", "\(undo)")
        #expect(refused.end == .exit(1) && refused.error.contains("Step \(merge) was compacted,"), "\(refused)")
        #expect(refused.error.contains("Undo step \(meanwhile) first"), "\(refused)")
        #expect(try daemon.todoctl("list").lines.count == 3)
        withExtendedLifetime(forks) {}
    }
}
