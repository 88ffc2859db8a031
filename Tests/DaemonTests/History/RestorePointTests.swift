import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct RestorePointTests {
    private func todod(_ arguments: String...) throws -> Command.Outcome {
        try Command.run([Products.todod] + arguments, environment: ["HOME": "/nonexistent"], seconds: 120)
    }

    /// A daemon with a backup: four todos with a key each, a bookmark after the second, and a held command.
    private func made() throws -> (daemon: Daemon, backup: String) {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        for number in 1...4 {
            try client.dispatch([Actions.add("Todo \(number)")], key: "key \(number)")
            if number == 2 { #expect(try daemon.todoctl("bookmark", "half").end == .exit(0)) }
            if number == 3 { #expect(try daemon.todoctl("load").end == .exit(0)) }
        }
        #expect(try daemon.todoctl("bookmark", "late").end == .exit(0))
        let backup = daemon.directory.path + "/backup"
        #expect(try daemon.todoctl("backup", backup).end == .exit(0))
        return (daemon, backup)
    }

    @Test func `a backup is restored up to a record, a bookmark or a time, after a list of the omitted data`() throws {
        let (daemon, backup) = try made()
        let records = try daemon.connect().log()
        let second = try #require(records[2]["time"]?.int)
        for (name, point) in [("record", "3"), ("bookmark", "half"), ("time", "\(second)")] {
            let new = "\(daemon.directory.path)/\(name)"
            let restored = try todod("--restore", backup, "--until", point, "--data", new)
            #expect(restored.end == .exit(0) && restored.text.contains("Fine."), "\(restored)")
            let lines = restored.lines
            #expect(lines.first?.hasPrefix("After record 3, of 20") == true, "\(restored)")
            #expect(lines.dropFirst().first?.hasPrefix("  records 4 to \(records.count): \(records.count - 3), from 20") == true)
            #expect(lines.contains("  open commands: 1 (6.0 todos.load)"), "\(restored)")
            #expect(lines.contains("  bookmarks: 2 (half, late)"), "\(restored)")
            #expect(lines.contains { $0.hasPrefix("  keys: 3 (") && $0.contains("key 3 of uid ") }, "\(restored)")
            #expect(restored.error.components(separatedBy: "Cut off a backup").count == lines.count { $0.hasPrefix("  ") } + 1)
            let other = try Daemon(data: new)
            try other.start()
            let client = try other.connect()
            #expect(try client.state().titles.sorted() == ["Todo 1", "Todo 2"])
            #expect(try client.log().map { $0["kind"]?.text } == ["hold", "action", "action", "epoch"])
            #expect(try client.dispatch([Actions.add("Todo 2")], key: "key 2").isDuplicate)
            #expect(try !client.dispatch([Actions.add("Todo 4")], key: "key 4").isDuplicate)
            #expect(try client.call("org.todod.Admin.Ping")["epoch"] != daemon.connect().call("org.todod.Admin.Ping")["epoch"])
            #expect(try other.todoctl("load").end == .exit(0) && other.commands().compactMap { $0["held"]?.bool } == [true])
        }
    }

    @Test func `an invalid point, or one beyond the backup, is refused, and nothing is created`() throws {
        let (daemon, backup) = try made()
        let new = daemon.directory.path + "/new"
        for (point, answer) in [
            ("nowhere", "no such bookmark; it has half, late"), ("99", "The backup ends at record 8, before 99"),
            ("2026-02-31", "is not a point"), ("@3", "is not a point"), ("", "--until needs a value"),
        ] {
            let outcome = try todod("--restore", backup, "--until", point, "--data", new)
            #expect(outcome.end == .exit(64) && outcome.error.contains(answer), "\(point): \(outcome)")
            #expect(!FileManager.default.fileExists(atPath: new))
        }
        #expect(try todod("--until", "3", "--data", new).end == .exit(64))
        let whole = try todod("--restore", backup, "--until", "2100-01-01T00:00:00Z", "--data", new)
        #expect(whole.end == .exit(0) && whole.text.contains("\(backup) has nothing after record 8."), "\(whole)")
    }

    @Test(.enabled(if: Tracer.isPossible, Tracer.reason))
    func `a restore that is killed at any change of the disk leaves the whole log or none`() throws {
        let (daemon, backup) = try made()
        let strace = try #require(Products.tool("strace"))
        var (absent, whole) = (0, 0)
        for call in ["rename", "fdatasync,fsync,msync", "mkdir,rmdir,unlink", "write,pwrite64,pwritev"] {
            for number in 1... {
                let new = "\(daemon.directory.path)/\(call)-\(number)"
                let words = [
                    strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
                    "inject=\(call):signal=KILL:when=\(number)",
                    Products.todod, "--restore", backup, "--until", "half", "--data", new,
                ]
                let outcome = try Command.run(words, environment: ["HOME": "/nonexistent"], seconds: 120)
                if FileManager.default.fileExists(atPath: new + "/data.mdb") {
                    whole += 1
                    let other = try Daemon(data: new)
                    try other.start()
                    #expect(try other.connect().state().titles.sorted() == ["Todo 1", "Todo 2"])
                    #expect(try other.stop() == .exit(0))
                    #expect(try todod("--verify", "--data", new).end == .exit(0))
                } else {
                    absent += 1
                }
                if outcome.end == .exit(0) { break }
                guard number < 400 else {
                    Issue.record("it never came to its end: \(outcome)")
                    break
                }
            }
        }
        #expect(absent > 0 && whole > 4)
    }
}
