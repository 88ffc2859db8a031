import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

/// Archives that a start must keep, because they may be the only copy of their records.
@Suite(.ownThreads) struct KeptArchiveTests {
    private func archives(_ daemon: Daemon) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: daemon.data).filter { $0.hasPrefix("archive-") }.sorted()
    }

    @Test func `an archive is kept as long as the log's own records of its range are unreadable`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let client = try daemon.connect()
        let filling = String(repeating: "x", count: 800)
        for number in 1...9 { try client.dispatch([Actions.text("MARKER \(number) \(filling)")]) }
        #expect(try daemon.stop() == .exit(0))

        // The same log compacted elsewhere. Its archive is copied here as if the compaction had been interrupted.
        let elsewhere = try Daemon(environment: Daemon.ownLog)
        try FileManager.default.copyItem(atPath: daemon.data, toPath: elsewhere.data)
        try elsewhere.start()
        let compacted = try elsewhere.connect().call("org.todod.History.Compact", ["before": ["sequence": 7]])
        let archive = try #require(compacted["archive"]?.text)
        try FileManager.default.copyItem(atPath: "\(elsewhere.data)/\(archive)", toPath: "\(daemon.data)/\(archive)")
        let file = URL(fileURLWithPath: daemon.data + "/data.mdb")
        let whole = try Data(contentsOf: file)
        var damaged = whole
        var next = damaged.startIndex
        while let found = damaged.range(of: Data("MARKER 3".utf8), in: next..<damaged.endIndex) {
            damaged[found.upperBound + 100] ^= 1
            next = found.upperBound
        }
        #expect(damaged != whole)
        try damaged.write(to: file)

        // It starts from a snapshot after the damage and therefore did not read it.
        try daemon.start()
        #expect(try archives(daemon) == [archive])
        #expect(daemon.output.contains(archive) && daemon.output.contains("Keeping"), "\(daemon.output)")
        #expect(try daemon.stop() == .exit(0))

        try whole.write(to: file)
        try daemon.start()
        #expect(try archives(daemon) == [])
    }

    @Test func `the archives of a lost log remain beside the log that imported them`() throws {
        let lost = try Daemon.started()
        let client = try lost.connect()
        for _ in 0..<6 { try client.dispatch([Actions.increment]) }
        for sequence in [3, 5] as [Value] {
            _ = try client.call("org.todod.History.Compact", ["before": ["sequence": sequence]])
        }
        #expect(try lost.stop() == .exit(0))

        let daemon = try Daemon(environment: Daemon.ownLog)
        try FileManager.default.createDirectory(atPath: daemon.data, withIntermediateDirectories: false)
        let names = try archives(lost)
        #expect(names == ["archive-1-3.jsonl.zst", "archive-4-5.jsonl.zst"])
        for name in names {
            try FileManager.default.copyItem(atPath: "\(lost.data)/\(name)", toPath: "\(daemon.data)/\(name)")
        }
        try daemon.start()
        for name in names { #expect(try daemon.todoctl("import", "\(daemon.data)/\(name)").end == .exit(0)) }
        for _ in 0..<2 {
            #expect(try daemon.stop() == .exit(0))
            try daemon.start()
            #expect(try archives(daemon) == names)
        }
        #expect(try daemon.connect().state("counter")["counter"]?["count"]?.int == 5)
    }
}
