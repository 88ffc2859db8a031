import Foundation
import Glibc
import Testing
import TodoClient
import Varlink

/// A daemon that is killed between the archive of a compaction and its change of the log.
@Suite(.ownThreads, .enabled(if: CrashPlan.isCompiledIn, CrashPlan.reason)) struct CompactCrashTests {
    private func archives(_ daemon: Daemon) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: daemon.data).filter { $0.hasPrefix("archive-") }.sorted()
    }

    @Test func `the archive of a compaction that was cut off goes at the next start, and no other does`() throws {
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

        // Under such a name, but not what this log has behind its base.
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
}
