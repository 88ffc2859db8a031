import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

/// Tests of messages about things that were not done or not shown, with their remedies.
@Suite(.ownThreads) struct RemedyTests {
    @Test func `a held command is not retried, and the error names the command that releases it`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("commands", "hold").end == .exit(0))
        #expect(try daemon.todoctl("load").end == .exit(0))
        let id = try #require(try daemon.commands().first?["id"])
        let refused = try daemon.todoctl("commands", "retry", "\(id["sequence"]?.int ?? 0).0")
        #expect(refused.end == .exit(1) && refused.error.contains("is held"), "\(refused)")
        #expect(refused.error.contains("todoctl commands release"), "\(refused)")
        let reply = try daemon.connect().ask("org.todod.Admin.ChangeCommand", ["id": id, "operation": "retry"])
        #expect(Client.short(reply) == "CommandHeld" && reply.parameters["id"] == id)
        #expect(try daemon.todoctl("commands", "release").end == .exit(0))
        try daemon.state("todos") { $0.titles.count == 3 }
    }

    @Test func `the error for a dispatch that is too large names the limit, however large it is`() throws {
        let daemon = try Daemon.started()
        func refused(_ count: Int) throws -> Command.Outcome {
            let actions = Array(repeating: #"{"counter":{"increment":{}}}"#, count: count).joined(separator: ",")
            return try daemon.todoctl("dispatch", "-", input: Array("[\(actions)]".utf8))
        }
        let many = try refused(16_385)
        #expect(
            many.error
                == "todoctl: This exceeds the limits of one batch, such as 16,384 records. Nothing was done: send it in parts.\n")
        for count in [40_000, 1_000_000] {
            let large = try refused(count)
            #expect(large.end == .exit(64), "\(large)")
            #expect(
                large.error
                    == "todoctl: That is more than the daemon takes in one call, 1048576 bytes.\n"
                    + "Send it in parts; with --step they are one step: todoctl dispatch --help\n", "\(large)")
        }
        #expect(try daemon.connect().sequence() == 0)
    }

    @Test func `an error and a status are explained without a daemon`() throws {
        let run = { try Command.run([Products.todoctl] + $0, environment: ["TODOD_SOCKET": "/nowhere/socket"]) }
        let known = try run(["explain", "locked"])
        #expect(known.end == .exit(0) && known.text.contains("what to do   To unlock it, as an administrator: todoctl unlock"))
        #expect(known.text.contains("exit status  75: "), "\(known)")
        let rows = try run(["explain", "--json"]).lines.map { try Value(parsing: Array($0.utf8)) }
        #expect(rows.contains { $0["error"] == "org.todod.Store.Locked" && $0["status"] == 75 })
        #expect(try run(["explain", "78"]).text.contains("todod    The configuration is wrong"))
        let misspelt = try run(["explain", "Lokced"])
        #expect(misspelt.end == .exit(64) && misspelt.error.contains("; did you mean Locked?"), "\(misspelt)")
    }

    @Test func `an error of a feature is explained by its daemon, with or without the feature's name`() throws {
        let daemon = try Daemon.started()
        for name in ["Todos.TitleTooLong", "titletoolong", "org.todod.feature.Todos.TitleTooLong"] {
            let text = try daemon.todoctl("explain", name).text
            #expect(text.hasPrefix("Todos.TitleTooLong (org.todod.feature.Todos.TitleTooLong)\n"), "\(text)")
            #expect(text.contains("what to do   Shorten it"))
        }
        #expect(try daemon.todoctl("explain").text.contains("\nCounter.CounterAtMaximum "))
        #expect(try daemon.todoctl("explain", "BadLink").text.hasPrefix("BadLink (org.todod.feature.BadLink)\n"))
    }

    @Test(arguments: [
        (["done", "999"], "todoctl list --all"), (["move", "999", "--top"], "todoctl list --all"),
        (["posts", "add", "999"], "todoctl posts"),
        (["dispatch", #"{"repositories": {"open": {"id": 999}}}"#], "todoctl repos"),
        (["alerts", "dismiss", "999"], "todoctl alerts"),
        (["dispatch", #"{"views": {"remove": {"id": 999}}}"#], "todoctl view list"),
    ])
    func `the error for a missing element names only the list of its feature`(words: [String], list: String) throws {
        let daemon = try Daemon.started()
        let refused = try Command.run([Products.todoctl] + words, environment: ["TODOD_SOCKET": daemon.socket])
        #expect(refused.end == .exit(1) && refused.error.hasSuffix("\nTo see what there is: \(list)\n"), "\(refused)")
    }

    @Test func `the error for a missing element in an altered history names the position and the log`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.increment])
        try client.dispatch([Actions.add("Buy the milk")])
        let complete = #"{"todos": {"complete": {"id": 1}}}"#
        for words in [["--insert", "0=\(complete)"], ["--edit", "1=\(complete)", "--apply", "--dry-run"]] {
            let refused = try Command.run([Products.todoctl, "whatif"] + words, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(refused.end == .exit(1), "\(refused)")
            #expect(
                refused.error
                    == """
                    todoctl: At that place of the altered history: There is no todo 1.
                    To see what the log has there: todoctl list --all --at 0

                    """, "\(refused)")
        }
    }

    @Test func `record 0 is refused as a usage error`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.increment])
        for words in [["why", "0"], ["redact", "0", "--yes"]] {
            let refused = try Command.run([Products.todoctl] + words, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(refused.end == .exit(64), "\(refused)")
            #expect(refused.error == "todoctl: There is no record 0; they begin with 1.\n", "\(refused)")
        }
    }

    @Test func `a redaction whose answer was lost is not retried, and the error says how to check`() throws {
        let daemon = try Daemon.started()
        let path = daemon.directory.path + "/lost"
        // The retry would report that there is nothing left to redact.
        let nothing = #"{"error":"org.todod.Store.NothingToRedact","parameters":{"message":"m","sequence":3}}"#
        for (replies, isLost) in [([("org.todod.Admin.Redact", "")], true), ([("org.todod.Admin.Redact", nothing)], false)] {
            let other = try OlderDaemon(path, answering: replies)
            try withExtendedLifetime(other) {
                let said = try daemon.todoctl("redact", "3", "--yes", environment: ["TODOD_SOCKET": path])
                #expect(said.end != .exit(0))
                #expect(said.error.contains("is unknown. To find out: todoctl log --from 3 --to 3") == isLost, "\(said)")
            }
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `omitted changes are reported as omitted, by undo as by revert`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.increment])
        try Self.addMany(client)
        let leftOut = "more changes than can be shown"
        let tried = try daemon.todoctl("undo", "--dry-run").text
        #expect(tried.hasPrefix("Would undo: ") && tried.hasSuffix("(\(leftOut))\n"), "\(tried)")
        let trial = try daemon.todoctl("revert", "--to", "1", "--dry-run")
        #expect(trial.lines == ["Going back to record 1 would change:", "  " + leftOut])
        let undone = try daemon.todoctl("undo").text
        #expect(undone.hasPrefix("Undone: add ") && undone.hasSuffix(" todos\n"), "\(undone)")
    }

    @Test func `the number of further conflicts is a lower bound if the search stopped early`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try Self.addMany(client)
        try client.dispatch((1...1_100).map { Actions.edit($0, title: "Buy oat milk") })
        let refused = try daemon.todoctl("undo", "1")
        #expect(refused.error.contains("and at 900 more places at least"), "\(refused.error.suffix(200))")
    }

    @Test func `a dry run with too many changes asks for fewer actions`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try Self.addMany(client)
        let trial: Value = ["actions": .list((1...1_100).map { Actions.remove($0) }), "dryRun": true]
        let reply = try client.ask("org.todod.Store.Dispatch", trial)
        #expect(Client.short(reply) == "AnswerTooLarge")
        let said = reply.parameters["message"]?.text ?? ""
        #expect(said.contains("Try fewer actions at once.") && !said.contains("Call with more"), "\(said)")
    }

    @Test func `an unknown step is reported as missing, and --any is suggested only where it is not used`() throws {
        let daemon = try Daemon.started()
        for any in ["--count=1", "--any"] {
            let unknown = try any == "--any" ? daemon.todoctl("undo", "999999", any) : daemon.todoctl("undo", "999999")
            #expect(unknown.end == .exit(64) && unknown.error.contains("There is no earlier step 999999.\n"), "\(unknown)")
            let nothing = try daemon.todoctl("undo", any)
            #expect(nothing.end == .exit(1) && nothing.error.contains("todoctl steps"), "\(nothing)")
            #expect(nothing.error.contains("--any") == (any != "--any"), "\(nothing)")
        }
        let step = try daemon.connect().ask("org.todod.Store.Dispatch", ["actions": [Actions.increment], "step": 7])
        #expect(step.parameters["message"] == "There is no earlier step 7 of yours.")
    }

    @Test func `a backup refuses an existing target and does not follow a symbolic link`() throws {
        let daemon = try Daemon.started()
        let (full, link) = (daemon.directory.path + "/full", daemon.directory.path + "/link")
        #expect(try daemon.todoctl("backup", full).end == .exit(0))
        let again = try daemon.todoctl("backup", full)
        #expect(again.end == .exit(77) && again.error.contains("Name a directory that is empty or does not exist"), "\(again)")
        #expect(!again.error.contains("journal"))
        for target in ["empty", "nowhere"] {
            if target == "empty" {
                try FileManager.default.createDirectory(
                    atPath: daemon.directory.path + "/empty", withIntermediateDirectories: false)
            }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            for path in [link, link + "/"] {
                let linked = try daemon.todoctl("backup", path)
                #expect(linked.end == .exit(77) && linked.error.contains("is a symbolic link"), "\(linked)")
            }
            try FileManager.default.removeItem(atPath: link)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.directory.path + "/empty").isEmpty)
    }

    @Test(arguments: ["lock", "lock.mdb"]) func `a symbolic link in place of a lock stops the start with the advice to remove it`(
        name: String
    ) throws {
        let daemon = try Daemon.started()
        try daemon.kill()
        let path = "\(daemon.data)/\(name)"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "elsewhere")
        let outcome = try Command.run(
            [Products.todod, "--data", daemon.data, "--socket", daemon.directory.path + "/other"],
            environment: ["HOME": "/nonexistent"])
        #expect(outcome.end == .exit(77) && outcome.error.contains("/\(name) is a symbolic link: remove it"), "\(outcome)")
    }

    @Test func `a storm of malformed administrative calls leaves one line in the log`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<121 {
            #expect(Client.short(try client.ask("org.todod.Admin.Debug", ["nonsense": 1])) == "InvalidParameter")
        }
        #expect(try daemon.stop() == .exit(0))
        let lines = daemon.output.split(separator: "\n").filter { $0.contains("InvalidParameter") }
        #expect(lines.count { !$0.contains("Not administered") } == 1, "\(lines.suffix(3))")
    }

    private static func addMany(_ client: Client) throws {
        let todo: Value = ["title": "Buy the milk"]
        try client.dispatch([["todos": ["add": ["items": .list(Array(repeating: todo, count: 1_100))]]]])
    }
}
