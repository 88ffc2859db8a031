import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct MetricsTests {
    @Test func `the metrics contain durations, refusals by reason, and the version`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<3 { try client.dispatch([Actions.increment]) }
        _ = try client.refusal([Actions.add("ab")])
        _ = try client.call("org.todod.Store.View", ["feature": "counter"])
        let watcher = try daemon.connect()
        try watcher.send("org.todod.Store.Subscribe", ["scope": "counter"], more: true)
        _ = try watcher.receive()

        let lines = try daemon.todoctl("metrics").lines
        let samples = lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != " " } }
        #expect(Set(samples).count == samples.count, "a sample is repeated")
        #expect(Set(lines.filter { $0.hasPrefix("# TYPE") }).count == lines.count { $0.hasPrefix("# TYPE") })
        let metrics = try client.metrics()
        #expect(metrics["todod_dispatch_seconds_count"] == 4)
        #expect(metrics["todod_dispatch_seconds_bucket{le=\"+Inf\"}"] == 4)
        #expect(try #require(metrics["todod_dispatch_seconds_sum"]) > 0)
        #expect(metrics["todod_flush_seconds_count"] == 3)
        #expect(try #require(metrics["todod_query_seconds_count{length=\"short\"}"]) >= 1)
        #expect(metrics["todod_query_seconds_count{length=\"long\"}"] != nil)
        #expect(metrics["todod_failed_calls_total{reason=\"Todos.TitleTooShort\"}"] == 1, "\(metrics)")
        #expect(metrics["todod_subscribers"] == 1)
        #expect(metrics["todod_timeouts_total"] == 0)
        #expect(metrics.keys.contains { $0.hasPrefix("todod_build_info{") && $0.contains("version=") })
    }

    @Test(.enabled(if: Tracer.isPossible, Tracer.reason), arguments: ["Status", "Metrics"])
    func `a query of a slow disk's free space does not block others`(method: String) throws {
        let daemon = try Daemon.started()
        let (client, other) = (try daemon.connect(), try daemon.connect())
        let tracer = try Tracer(daemon.pid, at: "statfs", "delay_enter=30000000")
        try client.send("org.todod.Admin." + method)
        // The first call may be read together with that call, the others come after it.
        for _ in 0..<10 { _ = try other.call("org.todod.Admin.Ping") }
        #expect(try !Deadline(seconds: 0).awaitReadable(client.descriptor))
        try tracer.end()
        _ = try Client.result(client.receive())
    }

    @Test func `an administrator sees the connected clients and their costs`() throws {
        let daemon = try Daemon.started()
        let (client, watcher) = (try daemon.connect(), try daemon.connect())
        try watcher.send("org.todod.Store.Subscribe", ["scope": "counter"], more: true)
        _ = try watcher.receive()
        try client.dispatch([Actions.increment])
        let clients = try client.call("org.todod.Admin.Clients")["clients"]?.list ?? []
        #expect(clients.count == 2)
        #expect(clients.allSatisfy { $0["uid"]?.int == Int64(getuid()) && $0["pid"]?.int == Int64(getpid()) })
        #expect(clients.map { $0["calls"]?.int } == [2, 1])
        #expect(clients.map { $0["streams"]?.int } == [0, 1])
        #expect(clients.allSatisfy { $0["waitingBytes"]?.int == 0 })
        let said = try daemon.todoctl("status", "--clients")
        #expect(said.end == .exit(0))
        #expect(said.text.split(separator: "\n").count == 4, "\(said.text)")
        #expect(said.text.contains("streams") && said.text.contains(" \(getpid()) "))
    }
}
