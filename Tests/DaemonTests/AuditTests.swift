import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct AuditTests {
    @Test func `a line of the audit is short, however long what was asked for is`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let name = String(repeating: "x", count: 200_000)
        #expect(throws: (any Error).self) {
            try client.call("org.todod.Admin.Debug", ["feature": .string(name), "on": .bool(true)])
        }
        #expect(try daemon.stop() == .exit(0))
        let lines = daemon.output.split(separator: "\n").filter { $0.contains("Not administered") }
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.utf8.count < 1_024 && $0.contains("feature=xxx") })
    }
}
