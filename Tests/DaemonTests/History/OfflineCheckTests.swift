import ChronicleLog
import DiskLog
import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct OfflineCheckTests {
    func verify(_ directory: String) throws -> Command.Outcome {
        try Command.run([Products.todod, "--verify", "--data", directory], seconds: 120)
    }

    /// The directory of a stopped daemon with records, keys, an open command, rows such as a bookmark's, and a snapshot.
    func made() throws -> Daemon {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        #expect(try daemon.todoctl("load").end == .exit(0))
        for number in 0..<30 { try client.dispatch([Actions.add("Todo \(number)"), Actions.increment], key: "key \(number)") }
        #expect(try daemon.stop() == .exit(0))
        return daemon
    }

    @Test func `a log without a daemon is checked, and nothing is changed`() throws {
        let daemon = try made()
        let before = try FileManager.default.contentsOfDirectory(atPath: daemon.data).sorted()
        let data = try Data(contentsOf: URL(fileURLWithPath: daemon.data + "/data.mdb"))
        let outcome = try verify(daemon.data)
        #expect(outcome.end == .exit(0), "\(outcome)")
        let counts = "Fine. Records: 62, snapshots: 1, keys: 31, open commands: 1, bookmarks: 0."
        #expect(outcome.text.contains(counts), "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.data).sorted() == before)
        #expect(try Data(contentsOf: URL(fileURLWithPath: daemon.data + "/data.mdb")) == data)
        try FileManager.default.removeItem(atPath: daemon.data + "/data.mdb")
        #expect(try verify(daemon.data).end == .exit(78))
    }

    @Test func `a check reads only the configuration that is named`() throws {
        let daemon = try made()
        let home = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: home.path + "/.config/todod", withIntermediateDirectories: true)
        try home.write("TODOD_NOPE=1\n", to: ".config/todod/todod.env")
        let named = try home.write("TODOD_DATA=\(daemon.data)\n", to: "named.env")
        let words = [Products.todod, "--verify", "--config", named]
        let outcome = try Command.run(words, environment: ["HOME": home.path], seconds: 120)
        #expect(outcome.end == .exit(0), "\(outcome)")
        #expect(outcome.text.contains("Fine. Records: 62"), "\(outcome)")
    }

    @Test func `a check works with a configuration that can be read only once`() throws {
        let daemon = try made()
        let outcome = try Command.run(
            ["/bin/sh", "-c", "echo 'TODOD_DATA=\(daemon.data)' | \(Products.todod) --verify --config /dev/stdin"], seconds: 120)
        #expect(outcome.end == .exit(0) && outcome.text.contains("Fine. Records: 62"), "\(outcome)")
    }

    @Test(arguments: ["--verify", "--inspect"]) func `a missing log is reported`(option: String) throws {
        let directory = TemporaryDirectory()
        let file = try directory.write("", to: "file")
        for data in [directory.path, directory.path + "/nothing", file] {
            let words = [Products.todod, option, "--data", data, "--socket", directory.path + "/socket"]
            let outcome = try Command.run(words, environment: ["HOME": directory.path], seconds: 120)
            #expect(outcome.end == .exit(78), "\(outcome)")
            #expect(outcome.error.contains("There is no log in \(data)."), "\(outcome)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
    }

    @Test func `a flipped bit anywhere in the file is reported or affects no data`() throws {
        let daemon = try made()
        let path = daemon.data + "/data.mdb"
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let reference = try Command.run([Products.todod, "--verify", "--data", daemon.data])
        var dice = SeededGenerator(20)
        let file = open(path, O_RDWR)
        defer { close(file) }
        var found = 0
        for _ in 0..<60 {
            let (place, bit) = (Int.random(in: 0..<whole.count, using: &dice), UInt8.random(in: 0..<8, using: &dice))
            #expect(pwrite(file, [whole[place] ^ 1 << bit], 1, off_t(place)) == 1)
            let outcome = try verify(daemon.data)
            #expect(pwrite(file, [whole[place]], 1, off_t(place)) == 1)
            if outcome.end == .exit(0) {
                #expect(outcome.text == reference.text, "byte \(place), bit \(bit)")
            } else {
                #expect(outcome.end == .exit(65), "byte \(place), bit \(bit): \(outcome)")
                #expect(outcome.text.contains("Impossible.") || outcome.error.contains("damaged"), "\(outcome)")
                found += 1
            }
        }
        #expect(found > 0)
        #expect(try verify(daemon.data).end == .exit(0))
    }

    @Test func `a snapshot with wrong contents is reported as a risk`() throws {
        let daemon = try made()
        let snapshot = try #require(try daemon.snapshots().first)
        let file = open(snapshot, O_RDWR)
        defer { close(file) }
        var byte: [UInt8] = [0]
        _ = pread(file, &byte, 1, 200)
        _ = pwrite(file, [byte[0] ^ 4], 1, 200)
        let outcome = try verify(daemon.data)
        #expect(outcome.end == .exit(65) && outcome.text.contains("Risky."), "\(outcome)")
        #expect(outcome.text.contains("snapshot 62:"), "\(outcome)")
    }

    @Test func `a check before an update names the first state that the new build folds differently`() throws {
        let daemon = try made()
        try daemon.start()
        #expect(try verify(daemon.data).end == .exit(0))
        #expect(try daemon.stop() == .exit(0))
        let log = try LMDBActionLog.openReadOnly(directory: daemon.data)
        // Snapshots as another build would have written them if it folded these records to an empty state.
        for sequence in [20, 40] as [UInt64] {
            let snapshot = Snapshot(
                sequence: sequence, checksum: try #require(try log.checksum(of: sequence)), epoch: log.head.epoch, time: 1,
                fingerprint: "another build", state: [])
            try SnapshotStore(directory: daemon.data).history.write(snapshot, budgetBytes: .max)
        }
        let outcome = try verify(daemon.data)
        #expect(outcome.end == .exit(65) && outcome.text.hasPrefix("Risky. Records: 62, snapshots: "), "\(outcome)")
        #expect(outcome.error.contains("The first difference is at 20 (fold): "), "\(outcome)")
        #expect(outcome.error.contains("keep that build, or export the data with it before you update"), "\(outcome)")
    }
}
