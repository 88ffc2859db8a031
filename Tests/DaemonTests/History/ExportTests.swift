import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct ExportTests {
    /// A log with all kinds of contents: keys, batches, steps, commands that ended and one that is held, a hold.
    static func lived(_ client: Client, _ daemon: Daemon) throws {
        try client.dispatch([Actions.add("Buy the milk", "Call the bank"), Actions.complete(1)], key: "first")
        try client.dispatch([Actions.text("Water")])
        try client.dispatch([Actions.submit])
        #expect(try daemon.todoctl("load").end == .exit(0))
        try daemon.state("todos.items") { $0.titles.count > 3 }
        for number in 0..<40 {
            try client.dispatch([Actions.increment, Actions.edit(2, title: "Call the bank, \(number)")], key: "key-\(number)")
        }
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        #expect(try daemon.todoctl("load").end == .exit(0))
    }

    @Test func `an imported export is the same history and runs nothing`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try Self.lived(client, daemon)
        let file = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", file).end == .exit(0))
        #expect(try daemon.todoctl("export", "-").lines.count == daemon.todoctl("export").lines.count)

        let other = try Daemon.started(environment: Daemon.ownLog)
        let tried = try other.todoctl("import", file, "--dry-run")
        #expect(tried.end == .exit(0) && tried.text.hasPrefix("Fine."), "\(tried)")
        let fresh = try other.connect()
        #expect(try fresh.sequence() == 0)
        let imported = try other.todoctl("import", file)
        #expect(imported.end == .exit(0) && imported.text.contains("Imported records 1 to"), "\(imported)")
        #expect(imported.text.contains("Commands that are held now: 1"))
        #expect(try fresh.log() == client.log())
        #expect(try fresh.state() == client.state())
        #expect(try other.commands().compactMap { $0["held"]?.bool } == [true])
        #expect(try other.commands().compactMap { $0["name"]?.text } == ["todos.load"])

        // Its keys are known, so nothing is executed twice.
        let again = try fresh.dispatch([Actions.increment, Actions.edit(2, title: "Call the bank, 7")], key: "key-7")
        #expect(again.isDuplicate)
        try other.crash()
        let restarted = try other.connect()
        #expect(try restarted.state() == client.state())
        let next = try restarted.dispatch([Actions.increment])
        #expect(next.sequences == [try client.sequence() + 1])

        // A second export from there has the same lines, except for the first and the last.
        let second = other.directory.path + "/second.jsonl"
        #expect(try other.todoctl("export", second, "--to", "\(try client.sequence())").end == .exit(0))
        let lines = try [file, second].map {
            try String(contentsOfFile: $0, encoding: .utf8).split(separator: "\n").dropFirst().dropLast()
        }
        #expect(lines[0].elementsEqual(lines[1]))
    }

    @Test func `an export whose text differs from its bytes is risky and needs confirmation`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("Buy the milk"), Actions.increment])
        let file = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", file).end == .exit(0))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacingOccurrences(of: "Buy the milk", with: "Buy the silk")
            .write(toFile: file, atomically: true, encoding: .utf8)
        let other = try Daemon.started(environment: Daemon.ownLog)
        let refused = try other.todoctl("import", file)
        #expect(refused.end == .exit(1) && refused.text.hasPrefix("Risky. The text of record 1"), "\(refused)")
        try text.replacingOccurrences(of: "\"build\":", with: "\"build\":9").write(
            toFile: file, atomically: true, encoding: .utf8)
        #expect(try other.todoctl("import", file).text.hasPrefix("Risky. The text of record 1"))
        try (text + "{}\n").write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try other.todoctl("import", file).text.hasPrefix("Impossible. It continues after its end."))
        #expect(try other.connect().sequence() == 0)
    }

    @Test func `an imported history has the same digest at every thousandth record`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try Self.lived(client, daemon)
        for number in 0..<60 {
            try client.dispatch(
                (0..<50).flatMap { [Actions.edit(2, title: "Call the bank, \(number) and \($0)"), Actions.increment] })
            try client.dispatch([Actions.add("Todo number \(number)"), Actions.text("Bread \(number)")])
        }
        let file = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", file).end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        #expect(try other.todoctl("import", file).end == .exit(0))
        let imported = try other.connect()
        let places = [try client.sequence()] + stride(from: 1_000, through: try client.sequence(), by: 1_000)
        #expect(places.count == 7)
        let digests = try places.map { try Self.digest(at: $0, client) }
        #expect(try places.map { try Self.digest(at: $0, imported) } == digests)
        #expect(Set(digests).count == 7)
    }

    /// The digest of the state after a record, from an export up to it.
    private static func digest(at sequence: Int64, _ client: Client) throws -> String {
        let pieces = try client.stream("org.todod.History.Export", ["to": ["sequence": .int(sequence)]])
        let text = try #require(pieces.first?["text"]?.text)
        let header = try Value(parsing: Array(text.prefix { $0 != "\n" }.utf8))
        return try #require(header["digest"]?.text)
    }

    @Test func `a log with the first part of an export continues it, and any other log refuses it`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try Self.lived(client, daemon)
        let (half, whole, tail) = (
            daemon.directory.path + "/half", daemon.directory.path + "/whole", daemon.directory.path + "/tail"
        )
        #expect(try daemon.todoctl("export", half, "--to", "20").end == .exit(0))
        #expect(try daemon.todoctl("export", tail, "--from", "21").end == .exit(0))
        #expect(try daemon.todoctl("export", whole).end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        let early = try other.todoctl("import", tail)
        #expect(early.end == .exit(1) && early.text.hasPrefix("Impossible."), "\(early)")
        #expect(early.text.contains("export it without --from.") && !early.error.contains("empty"), "\(early)")
        #expect(try other.todoctl("import", half).end == .exit(0))
        #expect(try other.connect().sequence() == 20)
        #expect(try other.todoctl("import", tail).end == .exit(0))
        #expect(try other.connect().state() == client.state())
        let twice = try other.todoctl("import", whole)
        #expect(twice.end == .exit(0) && twice.text.contains("already"), "\(twice)")
        #expect(try other.connect().log() == client.log())

        let third = try Daemon.started(environment: Daemon.ownLog)
        try third.connect().dispatch([Actions.increment])
        let refused = try third.todoctl("import", whole)
        #expect(refused.end == .exit(1) && refused.text.contains("another history"), "\(refused)")
        #expect(
            refused.text.contains("Import it into a new log: start the daemon with --data and an empty directory."), "\(refused)")
        let behind = try third.todoctl("import", tail)
        #expect(behind.end == .exit(1) && behind.text.contains("Export it with --from 2."), "\(behind)")
        #expect(try third.connect().sequence() == 1)
    }

    @Test func `an export that is damaged, truncated or of a newer version is refused, and nothing is written`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk"), Actions.increment], key: "one")
        try client.dispatch([Actions.increment, Actions.increment])
        let path = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", path).end == .exit(0))
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        let other = try Daemon.started(environment: Daemon.ownLog)
        func expectRefused(_ lines: [String], _ what: Comment) throws {
            let text = lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
            let outcome = try other.todoctl("import", "-", input: Array(text.utf8))
            #expect(outcome.end == .exit(65) && outcome.text.hasPrefix("Impossible."), "\(what): \(outcome)")
            #expect(try other.connect().sequence() == 0, what)
        }
        try expectRefused([], "empty")
        try expectRefused(["{}"], "no export")
        try expectRefused(Array(lines.dropLast()), "no end")
        try expectRefused(Array(lines[..<3]) + lines[4...], "a record is missing")
        try expectRefused([lines[0], lines[2], lines[1]] + lines[3...], "in another order")
        try expectRefused([lines[0].replacing("\"format\":1", with: "\"format\":3")] + lines[1...], "newer")
        try expectRefused([lines[0].replacing("\"last\":4", with: "\"last\":3")] + lines[1...], "another end")
        func expectFlipsRefused(behind name: String, at offsets: [Int], _ what: Comment) throws {
            let start = try #require(lines[2].range(of: "\"\(name)\":\""))
            for offset in offsets {
                var line = lines[2]
                let place = line.index(start.upperBound, offsetBy: offset)
                line.replaceSubrange(place...place, with: line[place] == "A" ? "B" : "A")
                try expectRefused([lines[0], lines[1], line] + lines[3...], what)
            }
        }
        // One bit of a key's row or of a record's bytes. The text beside those bytes is only informative.
        try expectFlipsRefused(behind: "bytes", at: [0, 7, 19], "a bit of record 2")
        try expectFlipsRefused(behind: "done", at: [1, 6, 14], "a bit of the key")
        let client2 = try other.connect()
        let reply = try client2.ask("org.todod.History.Import", ["upload": 99], more: true)
        #expect(reply.error == "org.todod.Store.UnknownUpload")
        let upload = try client2.call("org.todod.History.Upload", ["text": "{}\n"])["upload"] ?? .null
        let refused = try client2.ask("org.todod.History.Import", ["upload": upload], more: true)
        #expect(refused.error == "org.todod.Store.ImportRefused" && refused.parameters["verdict"]?.text == "impossible")
    }

    @Test func `an export that this version folds to another state is risky`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.increment])
        let path = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", path).end == .exit(0))
        var text = try String(contentsOfFile: path, encoding: .utf8)
        let digest = try #require(text.range(of: "\"digest\":\""))
        text.replaceSubrange(digest.upperBound..<text.index(digest.upperBound, offsetBy: 4), with: "0000")
        let other = try Daemon.started(environment: Daemon.ownLog)
        let refused = try other.todoctl("import", "-", input: Array(text.utf8))
        #expect(refused.end == .exit(1) && refused.text.hasPrefix("Risky."), "\(refused)")
        #expect(try other.connect().sequence() == 0)
        let taken = try other.todoctl("import", "-", "--risky", input: Array(text.utf8))
        #expect(taken.end == .exit(0), "\(taken)")
        #expect(try other.connect().sequence() == 1)
    }

    @Test func `an ephemeral daemon can begin with an imported history`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try Self.lived(client, daemon)
        let path = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", path).end == .exit(0))
        let other = try Daemon.started(flags: ["--ephemeral", "--replay", path])
        #expect(try other.connect().log() == client.log())
        #expect(try other.connect().state() == client.state())
        #expect(try other.commands().allSatisfy { $0["held"] == true })
        #expect(try other.stop() == .exit(0))

        try "{}\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try Daemon(flags: ["--ephemeral", "--replay", path]).startRefused() == .exit(65))
        #expect(try Daemon(flags: ["--ephemeral", "--replay", daemon.directory.path]).startRefused() == .exit(78))
    }

    @Test func `a log with an incomplete dispatch and its repetition survives an export and an import`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let actions = [Actions.add("Buy the milk"), Actions.add("Call the bank"), Actions.increment]
        try client.dispatch(actions, key: "first")
        let (part, whole) = (daemon.directory.path + "/part", daemon.directory.path + "/whole")
        #expect(try daemon.todoctl("export", part, "--to", "2").end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        #expect(try other.todoctl("import", part).end == .exit(0))
        #expect(try other.connect().dispatch(actions, key: "first").sequences == [3, 4, 5])
        #expect(try other.todoctl("verify").end == .exit(0))
        #expect(try other.todoctl("export", whole).end == .exit(0))
        let third = try Daemon.started(environment: Daemon.ownLog)
        let imported = try third.todoctl("import", whole)
        #expect(imported.end == .exit(0), "\(imported)")
        #expect(try third.todoctl("verify").end == .exit(0))
        #expect(try third.connect().dispatch(actions, key: "first").isDuplicate)
        #expect(try third.connect().state() == other.connect().state())
    }

    @Test func `an export with an incomplete dispatch is imported with a note that its key is unknown`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.increment, Actions.increment, Actions.increment], key: "first")
        let (part, whole) = (daemon.directory.path + "/part", daemon.directory.path + "/whole")
        #expect(try daemon.todoctl("export", part, "--to", "2").end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        #expect(try other.todoctl("import", part).end == .exit(0))
        try other.connect().dispatch([Actions.increment], key: "second")
        #expect(try other.todoctl("export", whole).end == .exit(0))
        let third = try Daemon.started(environment: Daemon.ownLog)
        let imported = try third.todoctl("import", whole)
        #expect(imported.end == .exit(0) && imported.text.contains("It lacks the key of the dispatch of record 2"))
        #expect(try third.todoctl("verify").end == .exit(0))
        // Every other key is known to have a row.
        try third.connect().dispatch([Actions.increment], key: "third")
        #expect(try third.stop() == .exit(0))
        let offline = try Command.run([Products.todod, "--verify", "--data", third.data], seconds: 120)
        #expect(offline.end == .exit(0) && offline.text.contains("keys: 2"), "\(offline)")
    }

    @Test func `an existing file is overwritten only on request`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.increment])
        let file = try daemon.directory.write("mine", to: "history.jsonl")
        let refused = try daemon.todoctl("export", file)
        #expect(refused.end == .exit(1) && refused.error.contains("exists already"), "\(refused)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        #expect(try daemon.todoctl("export", file, "--force").end == .exit(0))
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("{\"todod\":\"export\""))
        #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.directory.path).allSatisfy { !$0.hasSuffix(".new") })
    }
}
