import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct PipeliningTests {
    @Test func `calls after a subscription on the same connection are not started`() throws {
        let daemon = try Daemon.started()
        let (subscriber, writer) = (try daemon.connect(), try daemon.connect())
        try subscriber.pipeline([
            Call("org.todod.Store.Subscribe", more: true),
            Call("org.todod.Store.Dispatch", Client.dispatch([Actions.add("Buy the milk")]).record ?? []),
        ])
        #expect(try subscriber.receive().continues)
        #expect(try writer.dispatch([Actions.increment]).sequences == [1])
        #expect(try writer.state().titles.isEmpty)
    }

    @Test func `an import after a subscription does not block writers`() throws {
        let daemon = try Daemon.started()
        let writer = try daemon.connect()
        for _ in 0..<3 { try writer.dispatch([Actions.increment]) }
        let export = try writer.stream("org.todod.History.Export").compactMap { $0["text"]?.text }.joined()
        let other = try Daemon.started()
        let (importer, second) = (try other.connect(), try other.connect())
        let upload = try importer.call("org.todod.History.Upload", ["text": .text(export)])["upload"] ?? .null
        try importer.pipeline([
            Call("org.todod.Store.Subscribe", more: true),
            Call("org.todod.History.Import", [.init("upload", upload)], more: true),
        ])
        #expect(try importer.receive().continues)
        #expect(try second.dispatch([Actions.add("Buy the milk")]).sequences == [1])
        #expect(try second.sequence() == 1)
    }

    @Test func `calls after thirty streams cost next to nothing`() throws {
        let daemon = try Daemon.started()
        let writer = try daemon.connect()
        for batch in 0..<40 {
            let titles: [Value] = (0..<500).map { ["title": .text("Buy the milk, bottle \(batch * 500 + $0)")] }
            try writer.dispatch([["todos": ["add": ["items": .list(titles)]]]])
        }
        let idle = try daemon.anonymousKiB()
        let subscription = Call("org.todod.Store.Subscribe", [.init("scope", "counter")], more: true)
        let reads = [Call](repeating: Call("org.todod.Store.GetState", more: true), count: 60)
        let clients = try (0..<30).map { _ in
            let client = try daemon.connect()
            try client.pipeline([subscription] + reads)
            #expect(try client.receive().continues)
            return client
        }
        // Work for any of them would begin before this is answered.
        for _ in 0..<10 { _ = try writer.state("counter") }
        let growth = try daemon.anonymousKiB() - idle
        if !Sanitizer.isOn { #expect(growth < 16_000, "\(growth) KiB") }
        _ = clients
    }
}

extension Client {
    /// Writes several calls at once.
    fileprivate func pipeline(_ calls: [Call]) throws {
        var bytes: [UInt8] = []
        for call in calls { call.write(into: &bytes) }
        try send(bytes)
    }
}
