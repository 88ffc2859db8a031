import Glibc
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct ConnectionCostTests {
    @Test func `idle and subscribed connections cost a few kilobytes each, and closed ones nothing`() throws {
        let daemon = try Daemon.started(environment: ["TODOD_CONNECTIONS_PER_USER_MAX": "1000"])
        let admin = try daemon.connect()
        let start = try daemon.anonymousKiB()
        try grow(daemon, from: start, by: 600, kilobytesMax: 12) { _ in }
        try grow(daemon, from: start, by: 300, kilobytesMax: 60) { client in
            try client.send("org.todod.Store.Subscribe", ["scope": "counter"], more: true)
            _ = try Client.result(client.receive())
        }
        while try admin.status()["clients"] != 1 { sched_yield() }
        #expect(try admin.status()["subscribers"] == 0)
    }

    /// Opens connections, runs a body on each, and closes them.
    private func grow(
        _ daemon: Daemon, from start: Int, by count: Int, kilobytesMax: Int, _ use: (Client) throws -> Void
    ) throws {
        let clients = try (0..<count).map { _ in
            let client = try daemon.connect()
            try use(client)
            return client
        }
        try daemon.connect().dispatch([Actions.increment])
        let growth = try daemon.anonymousKiB() - start
        if !Sanitizer.isOn { #expect(growth < count * kilobytesMax, "\(growth) KiB of \(count) connections") }
        _ = clients
    }
}
