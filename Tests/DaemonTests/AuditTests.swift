import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct AuditTests {
    @Test func `a line of the audit log is short, however long the arguments are`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let name = String(repeating: "x", count: 200_000)
        #expect(throws: (any Error).self) {
            try client.call("org.todod.Admin.Debug", ["feature": .text(name), "on": .bool(true)])
        }
        #expect(try daemon.stop() == .exit(0))
        let lines = daemon.output.split(separator: "\n").filter { $0.contains("Not administered") }
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.utf8.count < 1_024 && $0.contains("feature=xxx") })
    }

    @Test func `no value in a line can be mistaken for further fields`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        #expect(throws: (any Error).self) {
            try client.call("org.todod.Admin.Debug", ["feature": #"x" outcome=done uid="0\"#, "on": .bool(true)])
        }
        #expect(try daemon.stop() == .exit(0))
        #expect(daemon.output.contains(#"feature="x\" outcome=done uid=\"0\\" "#), "\(daemon.output)")
    }

    @Test(arguments: [1, 200_000])
    func `an administrative call with upgrade is refused and logged`(length: Int) throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let feature = Value.text(String(repeating: "x", count: length))
        var bytes: [UInt8] = []
        Call(
            "org.todod.Admin.Debug", [.init("feature", feature), .init("on", .bool(true))],
            upgrade: true
        )
        .write(into: &bytes)
        try client.send(bytes)
        let reply = try client.receive()
        #expect(reply.error == "org.varlink.service.InvalidParameter" && reply.parameters["parameter"]?.text == "upgrade")
        // The next call is answered.
        #expect(try client.sequence() == 0)
        #expect(try daemon.stop() == .exit(0))
        let lines = daemon.output.split(separator: "\n").filter { $0.contains("Not administered") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.contains("method=org.todod.Admin.Debug ") }, "\(daemon.output)")
    }
}
