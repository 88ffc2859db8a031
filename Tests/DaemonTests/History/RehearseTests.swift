import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct RehearseTests {
    private func rehearse(_ words: String..., data: String) throws -> Command.Outcome {
        try Command.run(
            [Products.todod, "--rehearse"] + words + ["--data", data], environment: ["HOME": "/nonexistent"], seconds: 120)
    }

    @Test func `a log is rehearsed beside its daemon and where none is, record by record`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for number in 0..<20 { try client.dispatch([Actions.add("Todo \(number)"), Actions.increment]) }
        #expect(try daemon.todoctl("load").end == .exit(0))
        try daemon.state("todos.items") { $0.titles.count > 20 }
        let beside = try rehearse(data: daemon.data)
        #expect(beside.end == .exit(0) && beside.text.hasPrefix("Fine. Records: 4"), "\(beside)")
        let last = try client.sequence()
        #expect(try daemon.stop() == .exit(0))
        // What the daemon left at its end: a snapshot, and what each record changed.
        let after = try rehearse(data: daemon.data)
        #expect(
            after.text == "Fine. Records: \(last), compared states: 1, records with commands: 1, records one by one: \(last).\n")
        for snapshot in try daemon.snapshots() { try FileManager.default.removeItem(atPath: snapshot) }
        let alone = try rehearse(data: daemon.data)
        #expect(
            alone.text == "Fine. Records: \(last), compared states: 0, records with commands: 1, records one by one: \(last).\n")
        // That release did not take back what a flow had asked for that was cancelled with the one above it; but nothing of it was open.
        let files = try EarlierReleaseTests.Release("0.1.0")
        let release = try rehearse("--when-changed", data: files.data)
        #expect(release.end == .exit(0) && release.text.hasPrefix("Fine. Records: 32, compared states: 2,"), "\(release)")
        withExtendedLifetime(files) {}
    }

    @Test func `where nothing changed, or there is nothing yet, a start is not held up`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.increment])
        #expect(try daemon.stop() == .exit(0))
        let unchanged = try rehearse("--when-changed", data: daemon.data)
        #expect(unchanged.end == .exit(0) && unchanged.text.isEmpty && unchanged.error.contains("nothing to rehearse"))
        let nowhere = daemon.directory.path + "/nowhere"
        #expect(try rehearse("--when-changed", data: nowhere).end == .exit(0))
        #expect(try rehearse(data: nowhere).end == .exit(78))
        #expect(!FileManager.default.fileExists(atPath: nowhere))
        #expect(try rehearse("--rehearse-seconds-max", "0", data: daemon.data).end == .exit(64))
    }

    @Test func `what this version can't read is impossible, and it is said to keep the other one`() throws {
        let daemon = try Daemon.started()
        for number in 0..<5 { try daemon.connect().dispatch([Actions.add("Todo \(number)")]) }
        #expect(try daemon.stop() == .exit(0))
        let url = URL(fileURLWithPath: daemon.data + "/data.mdb")
        var data = try Data(contentsOf: url)
        var place = data.range(of: Data("Todo 2".utf8))
        while let found = place {
            data[found.lowerBound] ^= 1
            place = data.range(of: Data("Todo 2".utf8), in: found.upperBound..<data.endIndex)
        }
        try data.write(to: url)
        let outcome = try rehearse(data: daemon.data)
        #expect(outcome.end == .exit(65) && outcome.text.hasPrefix("Impossible. Records: 2,"), "\(outcome)")
        #expect(outcome.text.contains("state 3: ") && outcome.error.contains("Keep the version that you have"), "\(outcome)")
    }
}
