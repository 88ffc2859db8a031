import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct BackupTests {
    /// Runs todod for a task that ends by itself.
    func todod(_ arguments: String...) throws -> Command.Outcome {
        try Command.run([Products.todod] + arguments, environment: ["HOME": "/nonexistent"], seconds: 120)
    }

    @Test func `a backup during a storm of dispatches is a prefix, and restoring it holds its commands`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Call the bank")], key: "milk")
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        #expect(try daemon.todoctl("load").end == .exit(0))
        let backup = daemon.directory.path + "/backup"
        let writers = Storm.writers(on: daemon.socket)
        let copied = try daemon.todoctl("backup", backup)
        #expect(copied.end == .exit(0) && copied.text.hasPrefix("Copied records up to"), "\(copied)")
        for name in try FileManager.default.contentsOfDirectory(atPath: backup) where name != "lock.mdb" {
            let attributes = try FileManager.default.attributesOfItem(atPath: backup + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        for writer in writers { try writer.value() }
        let checked = try todod("--verify", "--data", backup)
        #expect(checked.end == .exit(0) && checked.text.contains("Fine."), "\(checked)")

        let new = daemon.directory.path + "/new"
        let restored = try todod("--restore", backup, "--data", new)
        #expect(restored.end == .exit(0) && restored.text.contains("Fine."), "\(restored)")
        let other = try Daemon(data: new)
        try other.start()
        let copy = try other.connect()
        let records = try copy.log()
        let last = try #require(records.last)
        #expect(last["kind"]?.text == "epoch")
        #expect(try records.dropLast().elementsEqual(client.log().prefix(records.count - 1)))
        #expect(try copy.call("org.todod.Admin.Ping")["epoch"] != client.call("org.todod.Admin.Ping")["epoch"])
        let increments = records.count { $0["action"]?["counter"]?["increment"] != nil }
        #expect(try copy.state("counter")["counter"]?["count"]?.int == Int64(increments))
        #expect(try other.commands().compactMap { $0["held"]?.bool } == [true])
        #expect(try copy.dispatch([Actions.add("Call the bank")], key: "milk").isDuplicate)
        _ = try copy.call("org.todod.Admin.Hold", ["on": false])
        try other.state("todos.items") { $0.titles.count == 4 }

        // A second backup into the same directory is refused.
        #expect(try daemon.todoctl("backup", backup).end != .exit(0))
        #expect(try todod("--restore", backup, "--data", new).end != .exit(0))
        #expect(try daemon.stop() == .exit(0))
    }

    @Test func `restoring from a directory without a backup fails with an error and creates nothing`() throws {
        let directory = TemporaryDirectory()
        let (backup, new) = (directory.path + "/backup", directory.path + "/new")
        let outcome = try todod("--restore", backup, "--data", new)
        #expect(outcome.end == .exit(78) && outcome.error.contains("There is no log in \(backup)."), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: new))
    }

    @Test func `restoring a damaged backup leaves nothing in the target directory`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.increment])
        let (backup, new) = (daemon.directory.path + "/backup", daemon.directory.path + "/new")
        #expect(try daemon.todoctl("backup", backup).end == .exit(0))
        let data = backup + "/data.mdb"
        let whole = try Data(contentsOf: URL(fileURLWithPath: data))
        // The row of the head, wherever it is.
        var torn = whole
        var place = torn.range(of: Data("head".utf8))
        while let found = place {
            torn[found.upperBound] ^= 1
            place = torn.range(of: Data("head".utf8), in: found.upperBound..<torn.endIndex)
        }
        try torn.write(to: URL(fileURLWithPath: data))
        #expect(try todod("--restore", backup, "--data", new).end == .exit(65))
        try whole.write(to: URL(fileURLWithPath: data))
        #expect(try todod("--restore", backup, "--data", new).end == .exit(0))
    }

    @Test func `a backup that replaces its original also begins a new epoch`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let client = try daemon.connect()
        try client.dispatch([Actions.increment])
        let epoch = try client.call("org.todod.Admin.Ping")["epoch"]
        let backup = daemon.directory.path + "/backup"
        #expect(try daemon.todoctl("backup", backup).end == .exit(0))
        try daemon.kill()
        try FileManager.default.removeItem(atPath: daemon.data)
        #expect(try todod("--restore", backup, "--data", daemon.data).end == .exit(0))
        try daemon.start()
        #expect(try daemon.connect().call("org.todod.Admin.Ping")["epoch"] != epoch)
    }

    @Test func `an ephemeral daemon refuses a backup`() throws {
        let daemon = try Daemon.started(flags: ["--ephemeral"])
        #expect(try daemon.todoctl("backup", daemon.directory.path + "/backup").end != .exit(0))
        #expect(!FileManager.default.fileExists(atPath: daemon.directory.path + "/backup"))
        let status = try daemon.todoctl("status")
        #expect(status.lines.contains { $0.hasPrefix("log") && $0.contains(" in memory (") }, "\(status)")
        #expect(!status.lines.contains { $0.hasPrefix("disk") }, "\(status)")
        #expect(try daemon.todoctl("metrics").text.contains("disk_free_bytes ") == false)
    }
}
