import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing

/// A data file has one daemon, one hard link and one user with write access.
@Suite(.ownThreads) struct DataFileTests {
    enum SecondName: CaseIterable, Sendable {
        case hardLink, symbolicLink

        func make(of path: String, at other: String) throws {
            let code = self == .hardLink ? link(path, other) : symlink(path, other)
            guard code == 0 else { throw SystemFailure(what: other) }
        }
    }

    private func second(to daemon: Daemon) throws -> Daemon {
        let other = try Daemon(environment: Daemon.ownLog, data: daemon.directory.path + "/other")
        try #require(mkdir(other.data, 0o700) == 0)
        return other
    }

    private func count(_ daemon: Daemon) throws -> Int { try daemon.connect().state("todos.items").titles.count }

    private func add(_ range: ClosedRange<Int>, to daemon: Daemon) throws {
        let client = try daemon.connect()
        for number in range { try client.dispatch([Actions.add("Todo \(number)")]) }
    }

    @Test(arguments: SecondName.allCases, [[], ["--inspect"], ["--verify"]])
    func `a log with a second hard link or a symbolic link is not opened, and nothing is lost`(name: SecondName, flags: [String])
        throws
    {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        try add(1...20, to: daemon)
        let other = try second(to: daemon)
        other.flags = flags
        try name.make(of: daemon.data + "/data.mdb", at: other.data + "/data.mdb")
        #expect(try other.startRefused() == .exit(77), "\(other.output)")
        let word = name == .hardLink ? "has 2 hard links: remove the others" : "is a symbolic link: replace it with the file"
        #expect(other.output.contains("\(other.data)/data.mdb \(word)"), "\(other.output)")
        try add(21...40, to: daemon)
        if name == .hardLink {
            try daemon.kill()
            #expect(try daemon.startRefused() == .exit(77), "\(daemon.output)")
            #expect(unlink(other.data + "/data.mdb") == 0)
            try daemon.start()
        } else {
            try daemon.crash()
        }
        #expect(try count(daemon) == 40)
    }

    @Test(arguments: [false, true])
    func `a file moved away from a running daemon is not opened until the daemon ends`(isCompacted: Bool) throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        try add(1...20, to: daemon)
        if isCompacted { #expect(try daemon.todoctl("compact", "--before", "10", "--yes").end == .exit(0)) }
        let other = try second(to: daemon)
        #expect(rename(daemon.data + "/data.mdb", other.data + "/data.mdb") == 0)
        #expect(try other.startRefused() == .exit(75), "\(other.output)")
        #expect(other.output.contains("in use by another process"), "\(other.output)")
        try add(21...40, to: daemon)
        try daemon.kill()
        try other.start()
        #expect(try count(other) == 40)
    }

    @Test(arguments: [[], ["--inspect"], ["--verify"]], ["", "/data.mdb"])
    func `a log that other users may write to is not opened`(flags: [String], name: String) throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        try add(1...1, to: daemon)
        #expect(try daemon.stop() == .exit(0))
        let path = daemon.data + name
        for mode in [0o777, 0o770, 0o722, 0o720, 0o1777] as [mode_t] {
            #expect(chmod(path, mode) == 0)
            daemon.flags = flags
            #expect(try daemon.startRefused() == .exit(77), "\(mode): \(daemon.output)")
            #expect(daemon.output.contains("chmod go-w \(path)"), "\(daemon.output)")
        }
        for mode in [0o755, 0o700] as [mode_t] {
            #expect(chmod(path, mode) == 0)
            daemon.flags = []
            try daemon.start()
            #expect(try count(daemon) == 1)
            #expect(try daemon.stop() == .exit(0))
        }
    }

    @Test(arguments: [0, 4_096, 12_288, 16_384])
    func `a file of zeros, as left by a power failure during creation, is a new log`(bytes: Int) throws {
        let daemon = try Daemon(environment: Daemon.ownLog)
        try #require(mkdir(daemon.data, 0o700) == 0)
        try Data(count: bytes).write(to: URL(fileURLWithPath: daemon.data + "/data.mdb"))
        for flag in ["--inspect", "--verify"] {
            daemon.flags = [flag]
            #expect(try daemon.startRefused() == .exit(78), "\(daemon.output)")
        }
        daemon.flags = []
        try daemon.start()
        try add(1...3, to: daemon)
        try daemon.crash()
        #expect(try count(daemon) == 3)
    }

    @Test func `a file of zeros that is larger than a new log is damaged`() throws {
        let daemon = try Daemon(environment: Daemon.ownLog)
        try #require(mkdir(daemon.data, 0o700) == 0)
        try Data(count: 1 << 20).write(to: URL(fileURLWithPath: daemon.data + "/data.mdb"))
        #expect(try daemon.startRefused() == .exit(65), "\(daemon.output)")
    }

    @Test(.enabled(if: Tracer.isPossible, Tracer.reason))
    func `a new log gets its name when its content is durable, and the daemon is ready when the name is durable`() throws {
        let daemon = try Daemon(environment: Daemon.ownLog)
        let trace = daemon.directory.path + "/trace"
        let strace = try #require(Products.tool("strace"))
        try daemon.launch(
            around: [
                strace, "-D", "-f", "-y", "-o", trace, "-e",
                "trace=openat,rename,renameat,renameat2,fsync,fdatasync,connect,sendto,sendmsg",
            ])
        #expect(try daemon.notification("READY=1") != nil, "\(daemon.output)")
        #expect(try daemon.stop() == .exit(0))
        let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
        let path = "\"\(daemon.data)/data.mdb\""
        let named = try #require(
            calls.firstIndex { $0.contains(path) && ($0.contains(" rename") || $0.contains("O_CREAT") && !$0.contains("= -1")) })
        #expect(calls[named].contains("rename"), "\(calls[named])")
        #expect(calls[..<named].contains { $0.contains("fdatasync(") && $0.contains("/data.mdb>") }, "\(calls[..<named])")
        let ready = try #require(calls.firstIndex { $0.contains("READY=1") })
        #expect(calls[named..<ready].contains { $0.contains("fsync(") && $0.contains("\(daemon.data)>") })
    }
}
