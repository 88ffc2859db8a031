import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct ServiceTests {
    static let activator = Products.tool("systemd-socket-activate")
    static let reason: Comment = "systemd-socket-activate is not installed"

    @Test(.enabled(if: activator != nil, reason))
    func `a daemon that its first client activates answers it and leaves the socket to the service manager`() throws {
        let daemon = try Daemon()
        let process = try launchActivated(daemon)
        let client = try connectActivated(daemon, process)
        #expect(try client.dispatch([Actions.increment]).sequences == [1])
        #expect(try daemon.notification("READY=1") != nil)
        #expect(try daemon.stop() == .exit(0))
        #expect(FileManager.default.fileExists(atPath: daemon.socket))
    }

    @Test(.enabled(if: activator != nil, reason))
    func `a connected socket from the service manager is served`() throws {
        let daemon = try Daemon()
        let process = try launchActivated(daemon, "--accept")
        let client = try connectActivated(daemon, process)
        #expect(try client.dispatch([Actions.increment]).sequences == [1])
        process.signal(SIGTERM)
    }

    private func launchActivated(_ daemon: Daemon, _ flags: String...) throws -> ChildProcess {
        let variables = daemon.variables.flatMap { ["-E", "\($0.key)=\($0.value)"] }
        let wrapper = [try #require(Self.activator), "-l", daemon.socket, "--fdname=varlink"] + flags + variables
        return try daemon.launch(
            around: wrapper,
            command: [
                Products.todod, "--data", daemon.data, "--socket", daemon.socket, "--config",
                daemon.directory.path + "/todod.env",
            ])
    }

    /// Connects as soon as the activator listens, which only the directory shows.
    private func connectActivated(_ daemon: Daemon, _ process: ChildProcess) throws -> Client {
        let watch = inotify_init1(Int32(IN_CLOEXEC))
        defer { close(watch) }
        guard inotify_add_watch(watch, daemon.directory.path, UInt32(IN_CREATE | IN_ATTRIB)) >= 0 else {
            throw SystemFailure(what: "inotify")
        }
        let deadline = Deadline(seconds: 30)
        while true {
            do {
                return try daemon.connect()
            } catch VarlinkClientError.unreachable(let number) where [ENOENT, ECONNREFUSED].contains(number) {
                guard process.isRunning, deadline.milliseconds > 0 else { throw VarlinkClientError.unreachable(number) }
                // There is no event between bind and listen, so this polls briefly.
                if number == ENOENT { _ = try Deadline(seconds: 1).awaitReadable(watch, process.ended) }
            }
        }
    }

    @Test
    func `the service manager is notified of readiness, status, liveness and stop`() throws {
        let daemon = try Daemon(environment: ["WATCHDOG_USEC": "400000"])
        try daemon.launch()
        var heard: Set<String> = []
        var alive = 0
        while alive < 3, let message = try daemon.notification("") {
            let names = message.map { String($0.prefix { $0 != "=" }) }
            // READY comes when the socket answers, not before.
            if names.contains("READY") { #expect(try daemon.connect().sequence() == 0) }
            heard.formUnion(names)
            alive += names.contains("WATCHDOG") ? 1 : 0
        }
        #expect(heard.isSuperset(of: ["READY", "STATUS", "WATCHDOG"]), "\(heard)")
        daemon.signal(SIGTERM)
        #expect(try daemon.notification("STOPPING=1") != nil)
        #expect(try daemon.waitForEnd(seconds: 30) == .exit(0))
    }

    @Test func `a stop completes accepted calls, ends the streams, and removes the socket`() throws {
        let daemon = try Daemon.started()
        let (writer, reader, idle) = (try daemon.connect(), try daemon.connect(), try daemon.connect())
        try idle.dispatch([Actions.increment])
        try reader.send("org.todod.Store.Subscribe", ["kind": "records", "from": ["sequence": 1]], more: true)
        _ = try reader.receive()
        for number in 0..<60 { try writer.send("org.todod.Store.Dispatch", Client.dispatch([Actions.text("\(number)")])) }
        var acknowledged = try Client.Answer(Client.result(writer.receive())).sequences
        daemon.signal(SIGTERM)
        for reply in try writer.repliesUntilClosed() {
            if reply.error == nil {
                acknowledged += try Client.Answer(Client.result(reply)).sequences
            } else {
                #expect(reply.error == "org.todod.Store.Stopping")
            }
        }
        #expect(try daemon.waitForEnd(seconds: 30) == .exit(0))
        #expect(!FileManager.default.fileExists(atPath: daemon.socket))
        let last = try reader.repliesUntilClosed().last
        #expect(last?.continues == false, "\(String(describing: last))")
        #expect(try idle.isClosed(seconds: 10))

        try daemon.start()
        let log = try daemon.connect().log()
        #expect(log.count >= acknowledged.count + 1)
        let logged = Set(log.compactMap { $0["sequence"]?.int })
        #expect(logged.isSuperset(of: acknowledged))
    }

    @Test func `a second daemon on the same directory is refused with the pid of the first`() throws {
        let first = try Daemon.started()
        try first.connect().dispatch([Actions.increment])
        let second = try Daemon(data: first.data)
        #expect(try second.startRefused() == .exit(75))
        #expect(second.output.contains("\(first.pid)"), "\(second.output)")
        // Nor does it touch the socket of the first, even if it is configured to listen there.
        let outcome = try Command.run(
            [Products.todod, "--data", first.data, "--socket", first.socket, "--config", first.directory.path + "/todod.env"])
        #expect(outcome.end == .exit(75), "\(outcome)")
        #expect(try first.connect().sequence() == 1)
    }

    @Test func `the socket of a dead daemon is replaced, and that of a live one is not`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.increment])
        try daemon.kill()
        #expect(FileManager.default.fileExists(atPath: daemon.socket))
        try daemon.start()
        #expect(try daemon.connect().sequence() == 1)

        // Another directory, so the lock is free, but the socket is in use.
        let outcome = try Command.run(
            [
                Products.todod, "--data", daemon.directory.path + "/other", "--socket", daemon.socket, "--config",
                daemon.directory.path + "/todod.env",
            ])
        #expect(outcome.end != .exit(0), "\(outcome)")
        #expect(try daemon.connect().sequence() == 1)
    }

    @Test func `in the foreground the daemon prints its socket and examples, which work`() throws {
        let daemon = try Daemon()
        var variables = daemon.variables
        variables["NOTIFY_SOCKET"] = nil
        let channel = try Channel()
        defer { close(channel.ours) }
        let process = try ChildProcess(
            [Products.todod, "--data", daemon.data, "--socket", daemon.socket, "--config", daemon.directory.path + "/todod.env"],
            environment: variables, output: channel.theirs, error: channel.theirs)
        close(channel.theirs)
        defer { process.signal(SIGKILL) }
        var said = ""
        var commands: [Substring] = []
        let deadline = Deadline(seconds: 30)
        while commands.count < 3, try deadline.awaitReadable(channel.ours, process.ended) {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(channel.ours, &buffer, buffer.count)
            guard count > 0 else { break }
            said += String(decoding: buffer[..<count], as: UTF8.self)
            commands = said.split(separator: "\n").filter { $0.contains("todoctl ") }
        }
        #expect(said.contains(daemon.socket), "\(said)")
        #expect(commands.count == 3, "\(said)")
        for command in commands.prefix(2) {
            let outcome = try Command.run(["/bin/sh", "-c", String(command)])
            #expect(outcome.end == .exit(0), "\(command): \(outcome)")
        }
        var status = stat()
        #expect(stat(daemon.socket, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        process.signal(SIGTERM)
        #expect(try process.wait(seconds: 30) == .exit(0))
    }

    @Test func `the journal has no text of users and no line per dispatch`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for number in 0..<50 { try client.dispatch([Actions.add("A secret wish \(number)")]) }
        _ = try client.refusal([Actions.add("ab")])
        #expect(try daemon.stop() == .exit(0))
        #expect(!daemon.output.contains("secret"), "\(daemon.output)")
        #expect(daemon.output.split(separator: "\n").count < 25, "\(daemon.output)")
    }
}
