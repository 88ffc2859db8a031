import Foundation
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct CompactTests {
    @Test func `a compacted log has the same state, names its archive, and goes on`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try ExportTests.lived(client, daemon)
        let (state, head, log) = (try client.state(), try client.sequence(), try client.log())
        let epoch = try client.call("org.todod.Admin.Ping")["epoch"]
        let rehearsed = try daemon.todoctl("compact", "--before", "40", "--dry-run")
        #expect(rehearsed.end == .exit(0) && rehearsed.text.hasPrefix("Would move"), "\(rehearsed)")
        #expect(try client.log().count == log.count)

        let compacted = try client.call("org.todod.History.Compact", ["before": ["sequence": 40]])
        let base = try #require(compacted["base"]?.int)
        #expect((30...40).contains(base))
        let archive = try #require(compacted["archive"]?.string)
        #expect(try client.state() == state && client.sequence() == head)
        #expect(try client.log().elementsEqual(log.dropFirst(Int(base))))
        #expect(try daemon.commands().count == 1)
        let refused = try client.ask("org.todod.History.Export", ["to": ["sequence": .int(base - 1)]], more: true)
        #expect(refused.error == "org.todod.Store.PrunedSequence" && refused.parameters["archive"]?.string == archive)

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

        // The archive is a history of its own, compressed.
        #expect(archive.hasSuffix(".jsonl.zst"))
        let plain = try Command.run(["/usr/bin/zstd", "-dc", daemon.data + "/" + archive])
        #expect(plain.end == .exit(0) && plain.text.split(separator: "\n").count == Int(base) + 2)
        let other = try Daemon.started(flags: ["--ephemeral", "--replay", daemon.data + "/" + archive])
        #expect(try other.connect().log().elementsEqual(log.prefix(Int(base))))
    }

    @Test func `everything can go but the state`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk"), Actions.increment])
        #expect(try daemon.todoctl("compact", "--before", "2").end == .exit(0))
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
}
