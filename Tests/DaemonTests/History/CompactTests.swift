import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct CompactTests {
    @Test func `a follower of a quiet scope gets changes after a compaction`() throws {
        let daemon = try Daemon.started()
        let (client, follower) = (try daemon.connect(), try daemon.connect())
        try client.dispatch([Actions.add("Buy the milk")])
        try follower.send("org.todod.Store.Subscribe", ["scope": "counter"], more: true)
        while try follower.receive().parameters["complete"]?.bool == false {}
        for number in 0..<30 { try client.dispatch([Actions.edit(1, title: "Buy the milk \(number)")]) }
        _ = try client.call("org.todod.History.Compact", ["before": ["sequence": .int(try client.sequence())]])
        try client.dispatch([Actions.increment])
        let told = try follower.receive()
        #expect(told.error == nil && told.parameters["sequence"]?.int == 32, "\(told)")
    }

    @Test func `a compacted log has the same state, names its archive, and continues`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try ExportTests.lived(client, daemon)
        let (state, head, log) = (try client.state(), try client.sequence(), try client.log())
        let epoch = try client.call("org.todod.Admin.Ping")["epoch"]
        let rehearsed = try daemon.todoctl("compact", "--before", "40", "--dry-run")
        #expect(try daemon.todoctl("compact", "--before", "40", "--yes", "--dry-run").text == rehearsed.text)
        #expect(rehearsed.end == .exit(0) && rehearsed.text.hasPrefix("Would move"), "\(rehearsed)")
        #expect(try daemon.todoctl("compact", "--before", "0", "--dry-run").text == "There are no records to move before that.\n")
        #expect(try client.log().count == log.count)

        let compacted = try client.call("org.todod.History.Compact", ["before": ["sequence": 40]])
        let base = try #require(compacted["base"]?.int)
        #expect((30...40).contains(base))
        let archive = try #require(compacted["archive"]?.text)
        #expect(rehearsed.text.contains("up to \(base) to \(archive)."), "\(rehearsed)")
        #expect(try client.state() == state && client.sequence() == head)
        #expect(try client.log().elementsEqual(log.dropFirst(Int(base))))
        #expect(try daemon.commands().count == 1)
        #expect(try daemon.todoctl("status").text.contains("records up to \(base) are in \(archive)"))
        let refused = try client.ask("org.todod.History.Export", ["to": ["sequence": .int(base - 1)]], more: true)
        #expect(refused.error == "org.todod.Store.PrunedSequence" && refused.parameters["archive"]?.text == archive)

        for verb in [["whatif", "--skip", "20"], ["revert", "--to", "20", "--yes"], ["undo", "20"], ["list", "--at", "20"]] {
            let refused = try Command.run([Products.todoctl] + verb, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(refused.end != .exit(0) && refused.error.contains(archive), "\(verb): \(refused)")
        }

        // Old keys are known, new records follow.
        #expect(try client.dispatch([Actions.increment, Actions.edit(2, title: "Call the bank, 1")], key: "key-1").isDuplicate)
        #expect(try client.dispatch([Actions.increment]).sequences == [head + 1])
        try daemon.crash()
        let again = try daemon.connect()
        #expect(try again.call("org.todod.Admin.Ping")["epoch"] == epoch)
        #expect(try again.sequence() == head + 1)
        #expect(try daemon.stop() == .exit(0))
        let checked = try Command.run([Products.todod, "--verify", "--data", daemon.data])
        #expect(checked.end == .exit(0), "\(checked)")

        // Values that were set before are not reported as if they had always been there.
        let blamed = try blame(daemon)
        #expect(blamed.contains(archive) && !blamed.contains("as everything began"), "\(blamed)")

        // The archive is a compressed export.
        #expect(archive.hasSuffix(".jsonl.zst"))
        let plain = try Command.run(["/usr/bin/zstd", "-dc", daemon.data + "/" + archive])
        #expect(plain.end == .exit(0) && plain.text.split(separator: "\n").count == Int(base) + 2)
        let other = try Daemon.started(flags: ["--ephemeral", "--replay", daemon.data + "/" + archive])
        #expect(try other.connect().log().elementsEqual(log.prefix(Int(base))))
        #expect(try other.todoctl("status").end == .exit(0))

        // The archive can be imported, followed by later records.
        let third = try Daemon.started(environment: Daemon.ownLog)
        #expect(try third.todoctl("import", daemon.data + "/" + archive).end == .exit(0))
        #expect(try third.connect().log().elementsEqual(log.prefix(Int(base))))
    }

    private func blame(_ daemon: Daemon) throws -> String {
        try daemon.start()
        defer { _ = try? daemon.stop() }
        return try daemon.todoctl("blame", "todos.items[1].title").text
    }

    @Test func `an existing file with the name of an archive is not overwritten`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk"), Actions.increment])
        let path = daemon.data + "/archive-1-2.jsonl.zst"
        try Data("another history".utf8).write(to: URL(fileURLWithPath: path))
        let refused = try client.ask("org.todod.History.Compact", ["before": ["sequence": 2]])
        #expect(refused.error != nil && refused.parameters["message"]?.text?.contains(path) == true, "\(refused)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "another history")
        #expect(try client.log().count == 2)
        try FileManager.default.removeItem(atPath: path)
        #expect(try client.call("org.todod.History.Compact", ["before": ["sequence": 2]])["base"] == 2)
    }

    @Test func `a log can be compacted to its state alone`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk"), Actions.increment])
        #expect(try daemon.todoctl("compact", "--before", "2", "--yes").end == .exit(0))
        #expect(try client.log().isEmpty)
        try daemon.crash()
        let again = try daemon.connect()
        #expect(try again.state("todos.items").titles == ["Buy the milk"])
        #expect(try again.dispatch([Actions.increment]).sequences == [3])
        #expect(try again.state("counter")["counter"]?["count"]?.int == 2)
        let backup = daemon.directory.path + "/backup"
        #expect(try daemon.todoctl("backup", backup).end == .exit(0))
        #expect(try Command.run([Products.todod, "--verify", "--data", backup]).end == .exit(0))
    }

    @Test func `keys outlive their records and are forgotten only on request`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let client = try daemon.connect()
        for number in 0..<6 { try client.dispatch([Actions.increment], key: "key-\(number)") }
        let compact = { (before: Int, days: String, consent: String) in
            try daemon.todoctl("compact", "--before", "\(before)", "--forget-keys=\(days)", consent)
        }
        #expect(try daemon.todoctl("compact", "--before", "2", "--yes").end == .exit(0))
        #expect(try client.dispatch([Actions.increment], key: "key-0").isDuplicate)
        let rehearsed = try compact(4, "0d", "--dry-run")
        #expect(rehearsed.text.contains(", forgetting 4 keys."), "\(rehearsed)")
        #expect(try client.dispatch([Actions.increment], key: "key-0").isDuplicate)
        let young = try compact(3, "90d", "--yes")
        #expect(young.end == .exit(0) && !young.text.contains("forgetting"), "\(young)")
        let done = try compact(4, "0d", "--yes")
        #expect(done.text.contains(", forgetting 4 keys."), "\(done)")
        #expect(try client.dispatch([Actions.increment], key: "key-4").isDuplicate)
        #expect(try client.dispatch([Actions.increment], key: "key-0").isDuplicate == false)
        #expect(try daemon.todoctl("verify").end == .exit(0))
        for wrong in ["90", "d", "-1d", "99999d"] {
            #expect(try compact(5, wrong, "--yes").end == .exit(64))
        }
    }

    @Test func `an undo with a known key is a duplicate even if its step is in the archive`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        #expect(try client.call("org.todod.History.Undo", ["key": "once"])["steps"] == [1])
        #expect(try daemon.todoctl("compact", "--before", "now", "--yes").end == .exit(0))
        #expect(try client.call("org.todod.History.Undo", ["key": "once"])["duplicate"] == true)
        #expect(try client.sequence() == 2)
        let steps = try daemon.todoctl("steps").lines
        #expect(steps.first?.hasPrefix("You have no steps since record 2.") == true, "\(steps)")
        #expect(steps.last == "Earlier records are in archive-1-2.jsonl.zst, or in an earlier archive.", "\(steps)")
    }

    @Test func `the history of a todo and the log from its start refer to the archive`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        let before = "Earlier records are in archive-1-1.jsonl.zst, or in an earlier archive."
        let whole = try daemon.todoctl("log", "--raw", "--from", "start")
        #expect(whole.end == .exit(0) && whole.error.isEmpty, "\(whole)")
        #expect(try daemon.todoctl("compact", "--before", "now", "--yes").end == .exit(0))
        #expect(try daemon.todoctl("show", "1", "--history").lines.last == before)
        try client.dispatch([Actions.edit(1, title: "Buy the bread")])
        try client.dispatch([Actions.add("Rent a car")])
        let history = try daemon.todoctl("show", "1", "--history").lines
        #expect(
            history.dropLast(2).last == before && history.last?.contains("Buy the milk → Buy the bread") == true, "\(history)")
        // Later records are complete.
        #expect(try !daemon.todoctl("show", "2", "--history").text.contains("Earlier records are in"))
        for words in [["--from", "start"], [], ["--reverse"]] {
            let log = try Command.run([Products.todoctl, "log", "--raw"] + words, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(log.error == before + "\n" && log.lines.count == 2, "\(log)")
        }
        #expect(try daemon.todoctl("log", "--raw", "--limit", "1").error.isEmpty)
        #expect(try daemon.todoctl("log", "--from", "start", "--json").error.isEmpty)
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `on a terminal the log refers to the archive above its first sentence`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("Buy the milk")])
        #expect(try daemon.todoctl("compact", "--before", "now", "--yes").end == .exit(0))
        try daemon.connect().dispatch([Actions.increment])
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press("clear; PAGER=cat '\(Products.todoctl)' log --from start --socket '\(daemon.socket)'", "Enter")
        let isTold = try terminal.becomes { text in
            guard let before = text.range(of: "Earlier records are in archive-1-1.jsonl.zst"),
                let counted = text.range(of: "counted up to 1")
            else { return false }
            return before.lowerBound < counted.lowerBound
        }
        #expect(isTold)
    }

    @Test func `an operation on a command whose record is in the archive refers to the archive`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("load").end == .exit(0))
        try daemon.state("todos") { !$0.titles.isEmpty && $0["todos"]?["loading"]?.bool == false }
        let client = try daemon.connect()
        let archive = try client.call("org.todod.History.Compact", ["before": ["bookmark": "now"]])["archive"]
        func refusal(_ operation: Value, _ sequence: Value) throws -> Reply {
            try client.ask(
                "org.todod.Admin.ChangeCommand", ["id": ["sequence": sequence, "index": 0], "operation": operation])
        }
        for operation in ["retry", "skip", "cancel"] as [Value] {
            let refused = try refusal(operation, 1)
            #expect(Client.short(refused) == "PrunedSequence" && refused.parameters["archive"] == archive, "\(refused)")
        }
        #expect(try Client.short(refusal("retry", 99)) == "UnknownCommand")
    }

    @Test func `dispatches during a compaction are not lost`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        try Storm.dispatch(3_000, over: client)
        let writers = Storm.writers(on: daemon.socket)
        let first = try client.call("org.todod.History.Compact", ["before": ["sequence": 2_000]])
        #expect(first["base"]?.int == 2_000)
        let second = try client.call("org.todod.History.Compact", ["before": ["back": 0]])
        let base = try #require(second["base"]?.int)
        for writer in writers { try writer.value() }
        for daemonIsNew in [false, true] {
            if daemonIsNew { try daemon.crash() }
            let client = try daemon.connect()
            #expect(try client.sequence() == 3_001 + 2_400)
            #expect(try client.state("counter")["counter"]?["count"]?.int == 1_200)
            #expect(try client.log().compactMap { $0["sequence"]?.int } == Array(base + 1...5_401))
            for key in (0..<4).flatMap({ writer in (0..<300).map { "\(writer) \($0)" } }) {
                let number = key.split(separator: " ")
                let again = [Actions.increment, Actions.text("\(number[0]) \(number[1])")]
                #expect(try client.dispatch(again, key: key).isDuplicate, "\(key)")
            }
        }
        #expect(try daemon.stop() == .exit(0))
        #expect(try Command.run([Products.todod, "--verify", "--data", daemon.data]).end == .exit(0))
    }

    @Test func `a daemon that is killed during a compaction loses nothing`() throws {
        let daemon = try Daemon.started()
        var count: Int64 = 0
        for round in 0..<12 {
            let client = try daemon.connect()
            try Storm.dispatch(300, over: client)
            let other = try daemon.connect()
            try other.send("org.todod.History.Compact", ["before": ["back": 10]])
            for number in 0..<round * 4 {
                try client.dispatch([Actions.increment], key: "\(round) \(number)")
                count += 1
            }
            try daemon.crash()
            let again = try daemon.connect()
            #expect(try again.state("counter")["counter"]?["count"]?.int ?? 0 == count)
            for number in 0..<round * 4 {
                #expect(try again.dispatch([Actions.increment], key: "\(round) \(number)").isDuplicate)
            }
        }
        #expect(try daemon.stop() == .exit(0))
        #expect(try Command.run([Products.todod, "--verify", "--data", daemon.data]).end == .exit(0))
        #expect(try !FileManager.default.contentsOfDirectory(atPath: daemon.data).contains { $0.hasSuffix(".new") })
    }
}
