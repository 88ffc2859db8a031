import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct UploadTests {
    @Test(.enabled(if: Tracer.isPossible, Tracer.reason))
    func `an upload that waits for the disk does not block others`() throws {
        let daemon = try Daemon.started()
        let (client, other) = (try daemon.connect(), try daemon.connect())
        let tracer = try Tracer(daemon.pid, at: "pwrite64", "delay_enter=30000000")
        try client.send("org.todod.History.Upload", ["text": "{}"])
        // The first call may be read together with that call, the others come after it.
        for _ in 0..<10 { _ = try other.call("org.todod.Admin.Ping") }
        #expect(try !Deadline(seconds: 0).awaitReadable(client.descriptor))
        try tracer.end()
        #expect(try Client.result(client.receive())["bytes"] == 2)
    }
}
