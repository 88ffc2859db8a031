import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct DamageTests {
    /// Flips a bit in each occurrence of a text in the log's file, including unused pages.
    private func damage(_ daemon: Daemon, _ text: String) throws {
        let file = daemon.data + "/data.mdb"
        let descriptor = open(file, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure(what: file) }
        defer { close(descriptor) }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        let needle = Array(text.utf8)
        var found = 0
        for place in bytes.indices.dropLast(needle.count) where bytes[place] == needle[0] {
            guard bytes[place..<place + needle.count].elementsEqual(needle) else { continue }
            var byte = bytes[place + 3] ^ 0x04
            guard pwrite(descriptor, &byte, 1, place + 3) == 1 else { throw SystemFailure(what: file) }
            found += 1
        }
        #expect(found > 0)
    }

    private func filled() throws -> Daemon {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for number in 1...20 { try client.dispatch([Actions.add("Unmistakable title \(number).")]) }
        return daemon
    }

    @Test func `a damaged record stops the start with its sequence, and earlier records can be read`()
        throws
    {
        let daemon = try filled()
        try daemon.kill()
        try damage(daemon, "Unmistakable title 13.")
        #expect(try daemon.startRefused() == .exit(65))
        #expect(daemon.output.contains("13"), "\(daemon.output)")
        #expect(daemon.output.contains("--inspect"), "\(daemon.output)")

        let before = try fingerprint(daemon)
        daemon.flags = ["--inspect"]
        try daemon.start()
        let client = try daemon.connect()
        #expect(try client.log().compactMap { $0["sequence"]?.int } == Array(1...12))
        #expect(try client.state("todos.items").titles == (1...12).reversed().map { "Unmistakable title \($0)." })
        #expect(try client.refusal([Actions.increment]) == "ReadOnly")
        #expect(try client.status()["mode"] == "inspect")
        #expect(try client.status()["capabilities"] == ["durable", "keys.lasting", "conditions.contains"])
        #expect(try daemon.todoctl("list").lines.first == "12 todos")
        #expect(try daemon.stop() == .exit(0))
        #expect(try fingerprint(daemon) == before)

        daemon.flags = []
        #expect(try daemon.startRefused() == .exit(65))
    }

    @Test func `a start from a snapshot says that only --verify checks the records before it`() throws {
        let daemon = try filled()
        #expect(try daemon.stop() == .exit(0))
        try damage(daemon, "Unmistakable title 13.")
        try daemon.start()
        #expect(daemon.output.contains("only --verify checks the records before it"), "\(daemon.output)")
        #expect(try daemon.stop() == .exit(0))
        let verified = try Command.run([Products.todod, "--verify", "--data", daemon.data], seconds: 120)
        #expect(verified.end != .exit(0) && (verified.text + verified.error).contains("13"), "\(verified)")
    }

    @Test func `a log that can't be opened even for reading is replaced by a backup`() throws {
        let daemon = try filled()
        #expect(try daemon.stop() == .exit(0))
        try Data(repeating: 7, count: 65_536).write(to: URL(fileURLWithPath: daemon.data + "/data.mdb"))
        for flags in [[], ["--inspect"]] {
            daemon.flags = flags
            #expect(try daemon.startRefused() == .exit(65), "\(flags)")
            #expect(daemon.output.contains("todod --restore BACKUP --data NEW"), "\(daemon.output)")
            #expect(!daemon.output.contains("--inspect --data"), "\(daemon.output)")
        }
    }

    /// Every file in the data directory except the locks.
    ///
    /// On a slow machine the directory for time travel may not exist yet.
    private func fingerprint(_ daemon: Daemon) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: daemon.data) where path != "lock.mdb" && path != "lock" {
            files[path] = FileManager.default.contents(atPath: "\(daemon.data)/\(path)")
        }
        return files
    }

    @Test func `damage that is found at runtime is reported with its sequence, and the daemon continues`() throws {
        let daemon = try filled()
        // The stop writes a snapshot, so the next start does not read the records.
        #expect(try daemon.stop() == .exit(0))
        try damage(daemon, "Unmistakable title 13.")
        try daemon.start()
        let client = try daemon.connect()
        #expect(try client.state("todos.items").titles.count == 20)
        try client.send("org.todod.History.Log", more: true)
        var last = try client.receive()
        while last.continues { last = try client.receive() }
        #expect(last.error == "org.todod.Store.DamagedRecord", "\(last)")
        #expect(last.parameters["sequence"] == 13)
        // The next record can't be verified against the damaged one, and later ones can.
        #expect(try client.log(from: 15).compactMap { $0["sequence"]?.int } == Array(15...20))
        #expect(try client.dispatch([Actions.increment]).sequences == [21])
        #expect(try daemon.todoctl("log").end == .exit(65))
    }

    @Test func `a truncated log is reported as damaged`() throws {
        let daemon = try filled()
        #expect(try daemon.stop() == .exit(0))
        let old = daemon.directory.path + "/old.mdb"
        try FileManager.default.copyItem(atPath: daemon.data + "/data.mdb", toPath: old)
        try daemon.start()
        try daemon.connect().dispatch([Actions.increment])
        #expect(try daemon.stop() == .exit(0))
        // The old bytes in the same file, as after a disk lost writes, and not as after a restore.
        let descriptor = open(daemon.data + "/data.mdb", O_WRONLY | O_CLOEXEC)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: old)))
        #expect(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
        close(descriptor)
        #expect(try daemon.startRefused() == .exit(65), "\(daemon.output)")
    }
}
