import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct EdgeTests {
    /// A daemon whose records 1 to 6 count up, with a bookmark at 3, which is record 7.
    private static func counted() throws -> Daemon {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 1...6 { try client.dispatch([Actions.increment]) }
        #expect(try daemon.todoctl("bookmark", "three", "3").end == .exit(0))
        return daemon
    }

    /// The records in the output of a verb: the numbers at the beginning of lines, or a field of JSON lines.
    private static func sequences(_ outcome: Command.Outcome) throws -> [Int64] {
        #expect(outcome.end == .exit(0), "\(outcome)")
        return outcome.lines.compactMap { line in
            if line.hasPrefix("{") { return (try? Value(parsing: line))?["sequence"]?.int }
            return line.split { $0 == " " || $0 == "–" }.first.flatMap { Int64($0) }
        }
    }

    @Test func `a bookmark begins a range with its record, in every verb`() throws {
        let daemon = try Self.counted()
        for (word, first) in [("three", 3), ("three~1", 2), ("three~3", 1), ("3", 3), ("@-4", 3), ("@-3~1", 3)]
            as [(String, Int64)]
        {
            let expected = Array(first...7)
            #expect(try Self.sequences(daemon.todoctl("log", "--raw", "--from", word)) == expected, "\(word)")
            let turned = try Self.sequences(daemon.todoctl("log", "--raw", "--from", word, "--reverse"))
            #expect(turned == expected.reversed(), "\(word)")
            #expect(try Self.sequences(daemon.todoctl("export", "--from", word)) == expected, "\(word)")
            #expect(try Self.sequences(daemon.todoctl("replay", "--from", word)) == expected, "\(word)")
            let checked = try Value(parsing: daemon.todoctl("check", "--where", "true", "--from", word, "--json").lines[0])
            #expect(checked["from"]?.int == (word == "three~3" ? 0 : first), "\(word): \(checked)")
            let stream = try daemon.connect()
            let point: Value =
                word.hasPrefix("three")
                ? ["bookmark": "three", "before": .int(3 - checked["from"]!.int!)] : ["sequence": .int(first)]
            try stream.send("org.todod.Store.Subscribe", ["kind": "records", "from": point], more: true)
            #expect(try Client.result(stream.receive())["records"]?.list?.first?["sequence"]?.int == first, "\(word)")
        }
        #expect(try daemon.todoctl("counter", "--at", "three~1").text == "2\n")
        #expect(try daemon.todoctl("counter", "--at", "three~4").end == .exit(1))
        #expect(try daemon.todoctl("why", "@-3~1").text.contains("←"))
    }

    @Test func `the time of a record in JSON means the moment after that record and begins a range with it`() throws {
        let daemon = try Self.counted()
        let times = try daemon.connect().log().compactMap { $0["time"]?.int }
        let time = String(times[3])
        #expect(try daemon.todoctl("counter", "--at", time).text == "4\n")
        #expect(try daemon.todoctl("counter", "--at", time + "~1").text == "3\n")
        #expect(try Self.sequences(daemon.todoctl("log", "--raw", "--from", time)) == [4, 5, 6, 7])
        #expect(try Self.sequences(daemon.todoctl("log", "--raw", "--to", time)) == [1, 2, 3, 4])
        #expect(try Self.sequences(daemon.todoctl("export", "--from", time, "--to", time)) == [4])
        #expect(try Self.sequences(daemon.todoctl("replay", "--from", time, "--to", time)) == [4])
        #expect(try daemon.todoctl("diff", String(times[1]), time).lines == ["counter: 2 → 4"])
        #expect(try daemon.todoctl("compact", "--before", time, "--dry-run").text.contains("3 records up to 3 "))
        let found = try daemon.todoctl("bisect", "--where", "counter.count > 1", "--bad", time, "--json")
        #expect(try Value(parsing: found.lines[0])["to"] == 4)
    }

    @Test func `a day as a moment or the end of a range means its end, and a future one means now`() throws {
        let daemon = try Self.counted()
        for day in ["today", "tomorrow", "tomorrow 9:00"] {
            #expect(try Self.sequences(daemon.todoctl("log", "--raw", "--to", day)).count == 7, "\(day)")
            #expect(try Self.sequences(daemon.todoctl("export", "--to", day)).count == 7, "\(day)")
            #expect(try Self.sequences(daemon.todoctl("replay", "--to", day)).count == 7, "\(day)")
            let held = try daemon.todoctl("check", "--where", "true", "--to", day)
            #expect(held.text == "The condition holds from record 0 to 7.\n")
            #expect(try daemon.todoctl("bisect", "--where", "counter.count > 1", "--bad", day).end == .exit(0), "\(day)")
        }
        #expect(try daemon.todoctl("revert", "--to", "today", "--yes").text == "Everything is as it was at 7 already.\n")
        #expect(try daemon.todoctl("revert", "--to", "tomorrow", "--yes").end == .exit(1))
        #expect(try daemon.todoctl("counter", "--at", "today").text == "6\n")
        #expect(try daemon.todoctl("counter", "--at", "yesterday").text == "0\n")
        #expect(try daemon.todoctl("counter", "--at", "tomorrow").end == .exit(1))
        #expect(try daemon.todoctl("diff", "yesterday", "today").lines == ["counter: 0 → 6"])
    }

    private static func run(_ arguments: [String], _ daemon: Daemon) throws -> Command.Outcome {
        try Command.run([Products.todoctl] + arguments, environment: ["TODOD_SOCKET": daemon.socket])
    }

    @Test func `a range can't begin in the future or end before it begins`() throws {
        let daemon = try Self.counted()
        let file = daemon.directory.path + "/history.jsonl"
        let verbs = [["log", "--raw"], ["series", "counter.count"], ["export", file], ["check", "--where", "true"]]
        for verb in verbs {
            let future = try Self.run(verb + ["--from", "tomorrow"], daemon)
            #expect(future.end == .exit(1) && future.error.contains("todoctl log --limit 10"), "\(verb): \(future)")
            let reversed = try Self.run(verb + ["--from", "7", "--to", "6"], daemon)
            #expect(reversed.end == .exit(64), "\(verb): \(reversed)")
            #expect(!FileManager.default.fileExists(atPath: file), "\(verb)")
        }
        let stream = try daemon.connect()
        let tomorrow = Value.int(Int64(Date().timeIntervalSince1970 * 1e6) + 86_400_000_000)
        let refused = try stream.ask(
            "org.todod.Store.Subscribe", ["kind": "records", "from": ["time": tomorrow]], more: true)
        #expect(Client.short(refused) == "FutureSequence", "\(refused)")
        // There are no records after the last one yet.
        let last = try #require(try stream.log().last?["time"]?.int)
        for verb in verbs.prefix(3) {
            #expect(try Self.run(verb + ["--from", "\(last + 1)"], daemon).end == .exit(0), "\(verb)")
        }
        let next = try stream.stream("org.todod.History.Export", ["from": ["sequence": 8]])
        let text = next.compactMap { $0["text"]?.text }.joined()
        #expect(text.contains("\"first\":8,\"last\":7,"), "\(text)")
    }

    @Test func `watching from a day names the beginning of the day`() throws {
        let daemon = try Self.counted()
        let watched = try daemon.todoctl("watch", "counter", "--from", "today", "--gap-max", "0", "--until", "true")
        #expect(watched.end == .exit(0) && watched.error.contains(" 00:00:00 "), "\(watched)")
    }

    @Test func `a compaction before a day keeps that day, and is previewed and confirmed`() throws {
        let daemon = try Self.counted()
        #expect(try daemon.todoctl("compact", "--before", "today", "--yes").text == "There are no records to move before that.\n")
        #expect(try daemon.todoctl("compact", "--before", "today").text == "There are no records to move before that.\n")
        let all = try daemon.todoctl("compact", "--before", "tomorrow", "--dry-run")
        #expect(all.text == "Would move 7 records up to 7 to archive-1-7.jsonl.zst.\n", "\(all)")
        let unasked = try daemon.todoctl("compact", "--before", "three")
        #expect(unasked.end == .exit(64) && unasked.text.hasPrefix("Would move 3 records"), "\(unasked)")
        #expect(unasked.error.contains("use --yes or --dry-run."))
        #expect(try daemon.todoctl("compact", "--before", "three", "--json").end == .exit(64))
        #expect(try daemon.connect().log().count == 7)
        #expect(try daemon.todoctl("compact", "--before", "three", "--yes").text.hasPrefix("Moved 3 records up to 3 to "))
        #expect(try daemon.connect().log().count == 4)
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `on a terminal compact and redact ask, and only a yes confirms`() throws {
        let daemon = try Self.counted()
        #expect(try daemon.todoctl("add", "My secret").end == .exit(0))
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press("export TODOD_SOCKET=\(daemon.socket)", "Enter")
        try terminal.press("clear; \(Products.todoctl) compact --before three", "Enter")
        #expect(try terminal.shows("Move them? [y/N]"))
        try terminal.press("n", "Enter")
        #expect(try terminal.shows("Nothing was done."))
        try terminal.press("clear; \(Products.todoctl) redact @-0", "Enter")
        #expect(try terminal.shows("Blank them permanently? [y/N]"))
        #expect(try terminal.shows("would be todos.add"))
        try terminal.press("Enter")
        #expect(try terminal.shows("Nothing was done."))
        #expect(try daemon.connect().log().count == 8)
        try terminal.press("clear; \(Products.todoctl) redact @-0", "Enter")
        #expect(try terminal.shows("Blank them permanently? [y/N]"))
        try terminal.press("y", "Enter")
        #expect(try terminal.shows("Blanked all texts of record 8."))
        try terminal.press("clear; \(Products.todoctl) compact --before three", "Enter")
        #expect(try terminal.shows("Move them? [y/N]"))
        try terminal.press("yes", "Enter")
        #expect(try terminal.shows("Moved 3 records up to 3"))
    }

    @Test func `a removed bookmark is gone, also in an import of the history, and its record remains`() throws {
        let daemon = try Self.counted()
        #expect(try daemon.todoctl("bookmark", "four", "4").end == .exit(0))
        #expect(try daemon.todoctl("bookmark", "three", "--remove").text == "Removed the bookmark three.\n")
        #expect(try daemon.todoctl("bookmark").text == "4  four\n")
        let gone = try daemon.todoctl("counter", "--at", "three")
        #expect(gone.end == .exit(1) && gone.error.contains("no bookmark named three"), "\(gone)")
        let again = try daemon.todoctl("bookmark", "three", "--remove")
        #expect(again.end == .exit(1) && again.error.contains("no bookmark named three"), "\(again)")
        #expect(try daemon.todoctl("log", "--raw", "--limit", "1").text.hasSuffix("bookmark three removed\n"))
        #expect(try daemon.connect().log().last?["at"] == nil)
        try daemon.crash()
        #expect(try daemon.todoctl("bookmark").text == "4  four\n")
        #expect(try daemon.todoctl("verify").end == .exit(0))
        let path = daemon.directory.path + "/history"
        #expect(try daemon.todoctl("export", path).end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        #expect(try other.todoctl("import", path).end == .exit(0))
        #expect(try other.todoctl("bookmark").text == "4  four\n")
        #expect(try other.todoctl("verify").end == .exit(0))
        #expect(try daemon.todoctl("compact", "--before", "now", "--yes").end == .exit(0))
        #expect(try daemon.todoctl("bookmark").text == "4  four\n")
    }
}
