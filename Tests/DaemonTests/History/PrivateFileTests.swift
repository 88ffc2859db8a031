import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct PrivateFileTests {
    @Test(.enabled(if: Tracer.isPossible, Tracer.reason))
    func `every file of a backup, a compaction and an upload is private from its first byte`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        try daemon.connect().dispatch([Actions.add("Buy the milk"), Actions.increment], key: "milk")
        let calls = daemon.directory.path + "/calls"
        let tracer = try Tracer(daemon.pid, at: "openat,open,creat,mkdir", into: calls)
        let export = daemon.directory.path + "/export"
        #expect(try daemon.todoctl("backup", daemon.directory.path + "/new/backup").end == .exit(0))
        #expect(try daemon.todoctl("export", export).end == .exit(0))
        #expect(try daemon.todoctl("import", export, "--dry-run").end == .exit(0))
        #expect(try daemon.todoctl("compact", "--before", "2", "--yes").end == .exit(0))
        try tracer.end()
        let made = try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n")
            .filter { $0.contains("O_CREAT") || $0.contains("O_TMPFILE") || $0.contains("mkdir(") }
        #expect(made.count > 5)
        for call in made { #expect(call.contains(call.contains("mkdir(") ? ", 0700)" : ", 0600)"), "\(call)") }
        let umask = try String(contentsOfFile: "/proc/\(daemon.pid)/status", encoding: .utf8)
            .split(separator: "\n").first { $0.hasPrefix("Umask:") }
        #expect(umask?.hasSuffix("0077") == true)
    }

    @Test func `an upload does not follow a symbolic link in a shared directory`() throws {
        let daemon = try Daemon.started(flags: ["--ephemeral"])
        let (link, victim) = ("/tmp/import.new", daemon.directory.path + "/victim")
        try "precious".write(toFile: victim, atomically: true, encoding: .utf8)
        // A symbolic link of another user would also do.
        let isOurs = symlink(victim, link) == 0
        defer { if isOurs { unlink(link) } }
        _ = try daemon.connect().call("org.todod.History.Upload", ["text": "{}\n"])
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        if isOurs { #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == victim) }
    }

    @Test func `an export does not follow a symbolic link in place of its temporary file`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.increment])
        let (file, victim) = (daemon.directory.path + "/export", daemon.directory.path + "/victim")
        try "precious".write(toFile: victim, atomically: true, encoding: .utf8)
        #expect(symlink(victim, file + ".new") == 0)
        #expect(try daemon.todoctl("export", file).end == .exit(0))
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: daemon.directory.path)
        #expect(names.filter { $0.hasPrefix("export") }.sorted() == ["export", "export.new"])
    }
}
