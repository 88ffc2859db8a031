import ChronicleLog
import DiskLog
import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct DowngradeTests {
    /// A stopped daemon whose log a newer version continued, with an action that this version does not know.
    private func made() throws -> Daemon {
        let daemon = try Daemon.started()
        for number in 1...3 { try daemon.connect().dispatch([Actions.add("Todo \(number)")]) }
        #expect(try daemon.stop() == .exit(0))
        let log = try LMDBActionLog.open(directory: daemon.data)
        var flush = Flush(after: log.head)
        flush.stage(RecordHeader(sequence: 4, time: flush.time + 1, origin: 0, step: 4)) { $0.message(60) { $0.field(1, "new") } }
        try log.append(flush)
        return daemon
    }

    @Test func `a record of a newer version is reported as such and not as damage`() throws {
        let daemon = try made()
        #expect(try daemon.startRefused() == .exit(65))
        #expect(daemon.output.contains("Record 4 is intact"), "\(daemon.output)")
        #expect(daemon.output.contains("a newer version wrote it: it has a field or case 60"), "\(daemon.output)")
        #expect(daemon.output.contains("--inspect") && !daemon.output.contains("damaged"), "\(daemon.output)")
    }

    @Test func `earlier records are served read-only, and the status says where they end`() throws {
        let daemon = try made()
        daemon.flags = ["--inspect"]
        try daemon.start()
        let client = try daemon.connect()
        #expect(try client.state().titles.count == 3)
        let damage = try client.status()["damage"]
        #expect(damage?["kind"]?.text == "unreadable" && damage?["sequence"]?.int == 4)
        #expect(try daemon.todoctl("status").lines.contains { $0.hasPrefix("damage") && $0.contains("records from 4 on") })
        #expect(try client.refusal([Actions.increment]) == "ReadOnly")
    }
}
