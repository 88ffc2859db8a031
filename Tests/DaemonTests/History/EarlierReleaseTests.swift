import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

/// The files of an earlier release: a data directory with all kinds of records, a base, redactions, keys and open commands; a
/// backup of it; an export; and the answers of that release.
///
/// A release adds a folder to `Golden` and changes none.
@Suite(.ownThreads) struct EarlierReleaseTests {
    static let releases = ["0.1.0"]

    /// The files of a release, unpacked.
    struct Release {
        let directory = TemporaryDirectory()
        let expected: Value
        let history: String

        init(_ name: String) throws {
            let folder = Products.repository + "/Tests/DaemonTests/Golden/" + name
            history = folder + "/history.jsonl"
            expected = try Value(parsing: [UInt8](Data(contentsOf: URL(fileURLWithPath: folder + "/expected.json"))))
            let tar = try #require(Products.tool("tar"))
            let unpacked = try Command.run([tar, "--zstd", "-xf", folder + "/directories.tar.zst", "-C", directory.path])
            #expect(unpacked.end == .exit(0), "\(unpacked)")
        }

        var data: String { directory.path + "/data" }
        var backup: String { directory.path + "/backup" }

        /// Checks that a daemon gives the answers of the release, except for the epoch of the copy.
        func expectSame(of daemon: Daemon, from first: Int64? = nil) throws {
            let client = try daemon.connect()
            let state = try client.state()
            #expect(expected["state"]?.record?.allSatisfy { $0.value == state[$0.name] } == true)
            let past = try client.call("org.todod.Store.GetState", ["at": ["sequence": .int(24)]])
            #expect(expected["stateAt24"]?.record?.allSatisfy { $0.value == past["state"]?[$0.name] } == true)
            let records = try client.log(from: first)
            #expect(records.last?["kind"]?.text == "epoch")
            let known = expected["records"]?.list ?? []
            #expect(known.count == 32 && records.dropLast().elementsEqual(known))
            #expect(try daemon.commands() == expected["commands"]?.list)
            let verified = try daemon.todoctl("verify")
            #expect(verified.end == .exit(0), "\(verified)")
            let again: Value = [["counter": ["increment": [:]]]]
            let answer = try client.call("org.todod.Store.Dispatch", ["key": "é", "actions": again])
            #expect(answer["duplicate"]?.bool == true)
        }
    }

    private func todod(_ arguments: String...) throws -> Command.Outcome {
        try Command.run([Products.todod] + arguments, environment: ["HOME": "/nonexistent"], seconds: 120)
    }

    @Test(arguments: releases) func `a data directory of a release keeps its meaning and continues`(name: String) throws {
        let release = try Release(name)
        let checked = try todod("--verify", "--data", release.data)
        #expect(checked.end == .exit(0) && checked.text.contains("Fine."), "\(checked)")
        let daemon = try Daemon(data: release.data)
        try daemon.start()
        try release.expectSame(of: daemon)
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": false])
        try daemon.state("stars") { "\($0)".contains("opensource") && !"\($0)".contains("staring\"") }
        #expect(try daemon.stop() == .exit(0))
        let after = try todod("--verify", "--data", release.data)
        #expect(after.end == .exit(0) && after.text.contains("Fine."), "\(after)")
    }

    @Test func `a range of its history exported as a test equals the test in the app's test folder`() throws {
        let release = try Release("0.1.0")
        let daemon = try Daemon(data: release.data)
        try daemon.start()
        let kept = Products.repository + "/Tests/FeatureAppTests/RecordedHistory21To40.swift"
        let exported = try daemon.todoctl("export", "--as-test", "21..40")
        #expect(exported.end == .exit(0), "\(exported)")
        let isSame = try exported.text == String(contentsOfFile: kept, encoding: .utf8)
        #expect(isSame, "If it is to differ: todoctl export --as-test 21..40 \(kept)")
        let file = daemon.directory.path + "/One.swift"
        #expect(try daemon.todoctl("export", "--as-test", "42", file).end == .exit(0))
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("@Suite struct RecordedHistory42To42 {"))
        for (range, status) in [("27-47", 64), ("27..", 64), ("1..2..3", 64), ("9000..9001", 1)] as [(String, Int32)] {
            let refused = try daemon.todoctl("export", "--as-test", range, file + "2")
            #expect(refused.end == .exit(status), "\(range): \(refused)")
            #expect(!FileManager.default.fileExists(atPath: file + "2"))
        }
        #expect(try daemon.todoctl("export", "--as-test", "21..40", "--from", "3").end == .exit(64))
    }

    @Test(arguments: releases) func `without its snapshots it is folded to the same state`(name: String) throws {
        let release = try Release(name)
        let daemon = try Daemon(data: release.data)
        for snapshot in try daemon.snapshots() { try FileManager.default.removeItem(atPath: snapshot) }
        try daemon.start()
        try release.expectSame(of: daemon)
    }

    @Test(arguments: releases) func `a backup of a release is restored completely`(name: String) throws {
        let release = try Release(name)
        let new = release.directory.path + "/new"
        let restored = try todod("--restore", release.backup, "--data", new)
        #expect(restored.end == .exit(0) && restored.text.contains("Fine."), "\(restored)")
        let daemon = try Daemon(data: new)
        try daemon.start()
        try release.expectSame(of: daemon)
    }

    @Test(arguments: releases) func `an export of a release is imported completely`(name: String) throws {
        let release = try Release(name)
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        // It continues the records that were archived before it.
        let archive = try #require(
            try FileManager.default.contentsOfDirectory(atPath: release.data).first { $0.hasPrefix("archive") })
        for file in [release.data + "/" + archive, release.history] {
            let imported = try daemon.todoctl("import", file)
            #expect(imported.end == .exit(0), "\(imported)")
        }
        let client = try daemon.connect()
        let state = try client.state()
        #expect(release.expected["state"]?.record?.allSatisfy { $0.value == state[$0.name] } == true)
        #expect(try client.log(from: 16) == release.expected["records"]?.list)
        let commands = try daemon.commands()
        #expect(commands.count == 2 && commands.allSatisfy { $0["held"]?.bool == true })
    }
}
