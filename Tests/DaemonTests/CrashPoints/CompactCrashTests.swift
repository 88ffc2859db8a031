import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// A daemon that is killed between the archive of a compaction and the change of the log.
@Suite(.ownThreads, .enabled(if: CrashPlan.isCompiledIn, CrashPlan.reason)) struct CompactCrashTests {
    private func archives(_ daemon: Daemon) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: daemon.data).filter { $0.hasPrefix("archive-") }.sorted()
    }

    @Test func `the next start removes the archive of an interrupted compaction and no other`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for number in 0..<20 { try client.dispatch([Actions.add("Todo \(number)")]) }
        #expect(try client.call("org.todod.History.Compact", ["before": ["sequence": 5]])["base"] == 5)
        try daemon.kill()
        daemon.environment["CRASH_POINT"] = "after-archive"
        try daemon.start()
        #expect(throws: VarlinkClientError.closed) {
            try daemon.connect().call("org.todod.History.Compact", ["before": ["sequence": 12]])
        }
        #expect(try daemon.waitForEnd(seconds: 30) == .signal(SIGKILL))
        let (kept, cutOff) = ("archive-1-5.jsonl.zst", "archive-6-12.jsonl.zst")
        #expect(try Set(archives(daemon)) == [kept, cutOff])

        // A file with such a name that does not contain this log's records after its base.
        let strange = ["archive-6-13.jsonl.zst", "archive-6-14.jsonl.zst", "archive-21-30.jsonl.zst", "archive-1-2-3.jsonl.zst"]
        for name in strange.dropFirst() {
            try FileManager.default.copyItem(atPath: "\(daemon.data)/\(kept)", toPath: "\(daemon.data)/\(name)")
        }
        #expect(mkfifo("\(daemon.data)/\(strange[0])", 0o600) == 0)
        daemon.environment["CRASH_POINT"] = nil
        try daemon.start()
        #expect(try Set(archives(daemon)) == Set([kept] + strange))
        #expect(daemon.output.contains(cutOff), "\(daemon.output)")
        let again = try daemon.connect()
        #expect(try again.log().count == 15)
        #expect(try again.call("org.todod.History.Compact", ["before": ["sequence": 12]])["archive"]?.text == cutOff)
        try daemon.crash()
        #expect(try Set(archives(daemon)) == Set([kept, cutOff] + strange))
    }

    @Test func `an import of the base of a compacted log is complete or has no effect`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for key in ["pay-once", "pay-twice"] { try client.dispatch([Actions.increment], key: key) }
        #expect(try daemon.todoctl("commands", "hold").end == .exit(0))
        try client.dispatch([["posts": ["fetch": [:]]]])
        #expect(try daemon.todoctl("bookmark", "early").end == .exit(0))
        let last = try client.sequence()
        #expect(try client.call("org.todod.History.Compact", ["before": ["sequence": .int(last)]])["base"] == .int(last))
        let (alone, more) = (daemon.directory.path + "/alone.jsonl", daemon.directory.path + "/more.jsonl")
        #expect(try daemon.todoctl("export", alone).end == .exit(0))
        try client.dispatch([Actions.increment], key: "pay-more")
        #expect(try daemon.todoctl("export", more).end == .exit(0))
        for (path, point) in [
            (alone, "before-commit:1"), (alone, "after-commit:1"), (more, "before-commit:1"), (more, "after-commit:1"),
        ] {
            let other = try Daemon(environment: Daemon.ownLog)
            other.environment["CRASH_POINT"] = point
            try other.start()
            #expect(try other.todoctl("import", path).end != .exit(0))
            #expect(try other.waitForEnd(seconds: 30) == .signal(SIGKILL))
            other.environment["CRASH_POINT"] = nil
            try other.start()
            let begun = try other.connect()
            if point.hasPrefix("after") {
                #expect(try begun.dispatch([Actions.increment], key: "pay-once").isDuplicate, "\(point)")
            }
            #expect(try other.todoctl("import", path).end == .exit(0))
            #expect(try begun.state()["counter"]?["count"]?.int == (path == alone ? 2 : 3))
            #expect(try begun.dispatch([Actions.increment], key: "pay-twice").isDuplicate, "\(point)")
            #expect(try other.commands().map { $0["held"] } == [true])
            #expect(try other.todoctl("verify").end == .exit(0))
        }
    }

    @Test func `a log that forgot its keys does not get them back from another one`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let client = try daemon.connect()
        for key in ["one", "two"] { try client.dispatch([Actions.increment], key: key) }
        let path = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", path).end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        #expect(try other.todoctl("import", path).end == .exit(0))
        #expect(try other.todoctl("compact", "--before", "2", "--yes").end == .exit(0))
        try other.connect().dispatch([Actions.increment])
        #expect(try other.todoctl("export", path + "2").end == .exit(0))
        #expect(try daemon.todoctl("compact", "--before", "2", "--forget-keys", "0d", "--yes").end == .exit(0))
        #expect(try daemon.todoctl("import", path + "2").end == .exit(0))
        #expect(try daemon.todoctl("verify").end == .exit(0))
        #expect(try client.sequence() == other.connect().sequence())
    }
}
