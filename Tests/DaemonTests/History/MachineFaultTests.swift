import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing

/// Faults of the machine are reported as such, never as damage of the log.
@Suite(.ownThreads) struct MachineFaultTests {
    /// The directory of a stopped daemon with records, keys and a snapshot.
    private func made() throws -> Daemon {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let client = try daemon.connect()
        for number in 0..<30 { try client.dispatch([Actions.add("Todo \(number)")], key: "key \(number)") }
        #expect(try daemon.stop() == .exit(0))
        return daemon
    }

    private func verify(_ daemon: Daemon, around wrapper: [String] = [], data: String? = nil) throws -> Command.Outcome {
        try Command.run(
            wrapper + [Products.todod, "--verify", "--data", data ?? daemon.data], environment: ["HOME": daemon.directory.path],
            seconds: 120)
    }

    /// A command prefix that makes a system call on a file of the daemon fail.
    private func strace(
        _ options: String..., on name: String, of daemon: Daemon, _ call: String, _ fault: String
    ) throws -> [String] {
        let injection = ["-P", "\(daemon.data)/\(name)", "-e", "trace=\(call)", "-e", "inject=\(call):\(fault)"]
        return [try #require(Products.tool("strace"))] + options + ["-f", "-qq", "-o", "/dev/null"] + injection
    }

    @Test(
        .enabled(if: Tracer.isPossible, Tracer.reason), arguments: ["data.mdb", "lock.mdb", "head"], ["EIO", "EMFILE", "ENOMEM"])
    func `a file that can't be opened is a fault of the machine, not damage`(name: String, fault: String) throws {
        let daemon = try made()
        let outcome = try verify(daemon, around: strace(on: name, of: daemon, "openat", "error=\(fault)"))
        #expect(outcome.end == .exit(74), "\(outcome)")
        #expect(!outcome.text.contains("Impossible") && !outcome.error.contains("damaged"), "\(outcome)")
        #expect(try verify(daemon).end == .exit(0))
    }

    @Test(.enabled(if: Tracer.isPossible, Tracer.reason), arguments: ["data.mdb", "head"])
    func `a file with read errors is neither new nor damaged`(name: String) throws {
        let daemon = try made()
        let wrapper = try strace("-D", on: name, of: daemon, "read", "error=EIO")
        // LMDB maps its file and reads the beginning with pread.
        let status: Int32 = name == "head" ? 74 : 0
        let outcome = try verify(daemon, around: wrapper)
        #expect(outcome.end == .exit(status) && !outcome.error.contains("damaged"), "\(outcome)")
        try daemon.launch(around: wrapper)
        if name == "head" {
            #expect(try daemon.waitForEnd(seconds: 60) == .exit(74), "\(daemon.output)")
        } else {
            #expect(try daemon.notification("READY=1") != nil, "\(daemon.output)")
            try daemon.kill()
        }
        try daemon.start()
        #expect(try daemon.connect().state("todos.items").titles.count == 30)
    }

    @Test func `a check without free descriptors finds no damage and opens no other log`() throws {
        let daemon = try made()
        var ends: [ChildProcess.End] = []
        for limit in 3...32 {
            let outcome = try verify(daemon, around: ["/bin/sh", "-c", "ulimit -n \(limit) && exec \"$@\"", "sh"])
            #expect(outcome.end != .exit(65) && !outcome.text.contains("Impossible"), "\(limit): \(outcome)")
            ends.append(outcome.end)
        }
        #expect(ends.contains(.exit(74)) && ends.last == .exit(0), "\(ends)")
        #expect(!FileManager.default.fileExists(atPath: daemon.directory.path + "/.local"))
    }

    @Test(.enabled(if: StorageTests.canMount, StorageTests.reason), arguments: StorageTests.Disk.allCases)
    func `a check on a full disk finds no damage`(disk: StorageTests.Disk) throws {
        let daemon = try made()
        let mount = try SmallDisk(disk == .ext4 ? .ext4 : .tmpfs, mebibytes: 8)
        let data = mount.path + "/data"
        try #require(mkdir(data, 0o700) == 0)
        // The file of the readers is missing, as in a copied directory.
        try FileManager.default.copyItem(atPath: daemon.data + "/data.mdb", toPath: data + "/data.mdb")
        try mount.fill(leaving: 0)
        let full = try verify(daemon, data: data)
        #expect(full.end == .exit(74) && full.error.contains("full") && !full.text.contains("Impossible"), "\(full)")
        try mount.empty()
        #expect(try verify(daemon, data: data).end == .exit(0))
    }

    @Test(.enabled(if: Tracer.isPossible, Tracer.reason)) func `a check that is killed finds no damage`() throws {
        let daemon = try made()
        // The child that reads the log opens this file, and the waiting process does not.
        let outcome = try verify(daemon, around: strace(on: "head", of: daemon, "openat", "signal=KILL"))
        #expect(outcome.end == .exit(74) && !outcome.text.contains("Impossible"), "\(outcome)")
        #expect(outcome.error.contains("terminated by signal 9"), "\(outcome)")
    }

    @Test(.enabled(if: getuid() == 0, "hiding /proc needs root"))
    func `a daemon whose arguments can't be read exits`() throws {
        let home = TemporaryDirectory()
        let outcome = try Command.run(
            [
                "/bin/sh", "-c", "exec unshare -m sh -c 'mount -t tmpfs tmpfs /proc && exec \"$@\"' sh \"$@\"", "sh",
                Products.todod,
                "--data", home.path + "/data",
            ], environment: ["HOME": home.path, "XDG_RUNTIME_DIR": home.path], seconds: 10)
        #expect(outcome.end == .exit(64) && outcome.error.contains("arguments can't be read"), "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
    }
}
