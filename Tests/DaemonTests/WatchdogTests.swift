import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct WatchdogTests {
    @Test(.enabled(if: Tracer.isPossible, Tracer.reason))
    func `while no client at the socket is answered, the watchdog is not notified`() throws {
        let daemon = try Daemon.started(environment: ["WATCHDOG_USEC": "200000"])
        for _ in 0..<3 { #expect(try daemon.notification("WATCHDOG=1") != nil) }
        // The event loop takes three seconds to accept the next client.
        let tracer = try Tracer(daemon.pid, at: "accept,accept4", "delay_enter=3000000")
        let client = try daemon.connect()
        try client.send("org.todod.Admin.Ping", [:])
        while daemon.notifications.next() != nil {}
        var told = 0
        while try !Deadline(seconds: 0.01).awaitReadable(client.descriptor) {
            while let message = daemon.notifications.next() { told += message.contains("WATCHDOG=1") ? 1 : 0 }
        }
        #expect(told < 10)
        try tracer.end()
        #expect(try daemon.notification("WATCHDOG=1") != nil)
    }
}
