import Glibc
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct DescriptorShortageTests {
    @Test func `without free descriptors the daemon refuses peers with an error, logs one line, and recovers`() throws {
        let daemon = try Daemon()
        let process = try daemon.launch(around: ["/bin/sh", "-c", #"ulimit -n 64 && exec "$@""#, "sh"])
        #expect(try daemon.notifications.await("READY=1", from: process) != nil)
        let admin = try daemon.connect()
        try admin.dispatch([Actions.increment])
        var served: [Client] = []
        while true {
            let client = try daemon.connect()
            // A refused peer gets the error before it calls anything.
            guard let reply = try? client.ask("org.todod.Store.Dispatch", ["actions": [Actions.increment]]) else { continue }
            if reply.error == "org.todod.Store.TooManyConnections" { break }
            #expect(reply.error == nil && served.count < 64)
            served.append(client)
        }
        // These wait in the backlog while accepting is paused, or are refused.
        let waiting = try (0..<200).map { _ in try daemon.connect() }
        for client in waiting where try !client.isClosed(seconds: 60) { Issue.record("a peer was neither served nor refused") }
        let metrics = try admin.metrics()
        // Each failure is followed by a pause that doubles from 10 ms to a second.
        #expect(1..<100 ~= metrics["todod_accept_failures_total"] ?? 0, "\(metrics["todod_accept_failures_total"] ?? -1)")
        #expect(daemon.output.split(separator: "\n").count { $0.contains("No file descriptor is free") } == 1)
        served = []
        while try Client.short(daemon.connect().ask("org.todod.Store.Dispatch", ["actions": [Actions.increment]])) != "" {}
    }

    @Test func `hundreds of peers may wait while accepting pauses`() throws {
        let daemon = try Daemon.started(environment: ["TODOD_CONNECTIONS_PER_USER_MAX": "2000"])
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        let waiting = try (0..<400).map { _ in try Client(daemon.socket, seconds: 5) }
        daemon.signal(SIGCONT)
        for client in waiting { _ = try client.sequence() }
    }
}
