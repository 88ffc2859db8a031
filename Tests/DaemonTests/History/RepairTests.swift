import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct RepairTests {
    private func verify(_ words: String..., data: String) throws -> Command.Outcome {
        try Command.run([Products.todod, "--verify"] + words + ["--data", data], seconds: 120)
    }

    private func made() throws -> Daemon {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        #expect(try daemon.todoctl("load").end == .exit(0))
        for number in 0..<10 { try client.dispatch([Actions.add("Todo \(number)")], key: "key \(number)") }
        #expect(try daemon.stop() == .exit(0))
        return daemon
    }

    @Test func `an unreadable head row is rebuilt from the records, and the daemon starts`() throws {
        let daemon = try made()
        try daemon.tear(behind: "head")
        #expect(try daemon.startRefused() == .exit(65))
        let repaired = try verify("--repair", data: daemon.data)
        #expect(repaired.end == .exit(0) && repaired.text.contains("  the head row; all open commands are held"), "\(repaired)")
        #expect(repaired.text.contains("Fine."), "\(repaired)")
        try daemon.start()
        #expect(try daemon.connect().state().titles.count == 10)
        #expect(try daemon.commands().compactMap { $0["held"]?.bool } == [true])
        #expect(try verify("--repair", data: daemon.data).end == .exit(75))
        #expect(try daemon.stop() == .exit(0))
        let again = try verify("--repair", data: daemon.data)
        #expect(again.end == .exit(0) && again.text.hasPrefix("Nothing had to be rebuilt from the records.\n"), "\(again)")
    }

    @Test func `an unreadable head file is kept and reported with the advice to remove it`() throws {
        let daemon = try made()
        let path = daemon.data + "/head"
        let garbled = Data(try Data(contentsOf: URL(fileURLWithPath: path)).map { $0 ^ 4 })
        try garbled.write(to: URL(fileURLWithPath: path))
        let repaired = try verify("--repair", data: daemon.data)
        #expect(repaired.end == .exit(65) && repaired.error.contains("the file \(path), which can be removed"), "\(repaired)")
        #expect(repaired.text.hasPrefix("Nothing had to be rebuilt from the records.\n"), "\(repaired)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == garbled)
        try FileManager.default.removeItem(atPath: path)
        #expect(try verify(data: daemon.data).end == .exit(0))
    }

    @Test func `the head row of a compacted log is rebuilt with the settings at its base`() throws {
        let daemon = try made()
        try daemon.start()
        for words in [
            ["invariant", "add", "few", "count(todos.items) < 100"], ["bookmark", "here"],
            ["compact", "--before", "13", "--yes"],
            ["bookmark", "here", "--remove"], ["lock", "moving"],
        ] {
            let done = try Command.run([Products.todoctl] + words, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(done.end == .exit(0), "\(words): \(done)")
        }
        #expect(try daemon.stop() == .exit(0))
        try daemon.tear(behind: "head")
        let repaired = try verify("--repair", data: daemon.data)
        #expect(repaired.end == .exit(0) && repaired.text.contains("Fine."), "\(repaired)")
        try daemon.start()
        #expect(try daemon.todoctl("invariant", "list").text.contains("few"))
        #expect(try daemon.todoctl("status").text.contains("moving"))
        #expect(try !daemon.todoctl("bookmark").text.contains("here"))
        #expect(try daemon.commands().compactMap { $0["held"]?.bool } == [true])
        #expect(try daemon.stop() == .exit(0))
        // A restore up to the base restores the settings of that time.
        let new = daemon.directory.path + "/new"
        let words = [Products.todod, "--restore", daemon.data, "--until", "13", "--data", new]
        let restored = try Command.run(words, environment: ["HOME": "/nonexistent"], seconds: 120)
        #expect(restored.end == .exit(0) && restored.text.contains("Fine."), "\(restored)")
        #expect(restored.text.contains("bookmarks"), "\(restored)")
    }

    @Test func `a damaged record is not repaired, nothing is changed, and earlier records can be restored`() throws {
        let daemon = try made()
        try daemon.tear(behind: "Todo ")
        let before = try Data(contentsOf: URL(fileURLWithPath: daemon.data + "/data.mdb"))
        let refused = try verify("--repair", data: daemon.data)
        #expect(refused.end == .exit(65) && refused.error.contains("Nothing was repaired: record 3:"), "\(refused)")
        #expect(refused.error.contains("--restore \(daemon.data) --until 2 --data NEW"), "\(refused)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: daemon.data + "/data.mdb")) == before)
        let new = daemon.directory.path + "/new"
        let words = [Products.todod, "--restore", daemon.data, "--until", "2", "--data", new]
        let restored = try Command.run(words, environment: ["HOME": "/nonexistent"], seconds: 120)
        #expect(restored.end == .exit(0) && restored.text.contains("Fine."), "\(restored)")
        #expect(restored.text.contains("  unreadable: the log is damaged at "), "\(restored)")
    }

    @Test func `a repair adds no key row for a partly imported dispatch, whose rest can still be imported`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.increment], key: "before")
        try client.dispatch([Actions.increment, Actions.increment, Actions.increment], key: "first")
        let (part, whole) = (daemon.directory.path + "/part", daemon.directory.path + "/whole")
        #expect(try daemon.todoctl("export", part, "--to", "3").end == .exit(0))
        #expect(try daemon.todoctl("export", whole).end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        #expect(try other.todoctl("import", part).end == .exit(0))
        #expect(try other.stop() == .exit(0))
        try other.tear(behind: "head")
        let repaired = try verify("--repair", data: other.data)
        #expect(repaired.end == .exit(0) && !repaired.text.contains("rows of keys: "), "\(repaired)")
        try other.start()
        let rest = try other.todoctl("import", whole)
        #expect(rest.end == .exit(0), "\(rest)")
        #expect(try other.connect().state() == client.state())
        #expect(try other.todoctl("verify").end == .exit(0))
    }

    @Test func `a rebuilt head does not contain the lock of an imported history`() throws {
        let daemon = try made()
        try daemon.start()
        #expect(try daemon.todoctl("lock", "moving").end == .exit(0))
        let whole = daemon.directory.path + "/whole"
        #expect(try daemon.todoctl("export", whole).end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        #expect(try other.todoctl("import", whole).end == .exit(0))
        try other.connect().dispatch([Actions.increment])
        #expect(try other.stop() == .exit(0))
        try other.tear(behind: "head")
        let repaired = try verify("--repair", data: other.data)
        #expect(repaired.end == .exit(0) && repaired.text.contains("Fine."), "\(repaired)")
        try other.start()
        try other.connect().dispatch([Actions.increment])
    }
}
