import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct ReloadTests {
    /// Reloads the daemon's configuration and waits until it is done.
    private func reload(_ daemon: Daemon, _ file: String) throws {
        try daemon.directory.write(file, to: "todod.env")
        daemon.signal(SIGHUP)
        #expect(try daemon.notification("RELOADING=1") != nil)
        #expect(try daemon.notification("READY=1") != nil)
    }

    @Test func `a reload changes permissions and log level, and an invalid file changes nothing`() throws {
        let daemon = try Daemon(environment: ["TODOD_ALLOW": "1:r", "TODOD_LOG_LEVEL": "error"])
        // systemd also passes the settings of the file in the environment.
        try daemon.directory.write("TODOD_ALLOW=1:r\nTODOD_LOG_LEVEL=error\n", to: "todod.env")
        try daemon.start()
        let client = try daemon.connect()
        try client.dispatch([Actions.increment])

        try reload(daemon, "TODOD_ALLOW=1:rw,2:rwa\nTODOD_LOG_LEVEL=debug\nTODOD_STOP_SECONDS=32\n")
        try client.dispatch([Actions.increment])

        try reload(daemon, "TODOD_ALLOW=nobody at all\n")
        #expect(try client.dispatch([Actions.increment]).sequences == [3])
        #expect(try daemon.stop() == .exit(0))
        let output = daemon.output
        #expect(
            output.contains("Read the configuration again allow=1:rw,2:rwa at-next-start=TODOD_STOP_SECONDS level=debug"),
            "\(output)")
        // Messages of the start, below the log level, and of the stop.
        #expect(!output.contains("Serving socket=") && output.contains("Stopped sequence=3"), "\(output)")
        #expect(output.contains("todod.env:1: TODOD_ALLOW") && output.contains("the previous one stays in effect"), "\(output)")
    }

    @Test func `a reload without its file keeps the permissions and everything else`() throws {
        let daemon = try Daemon()
        try daemon.directory.write("TODOD_ALLOW=1:r\n", to: "todod.env")
        try daemon.start()
        try FileManager.default.removeItem(atPath: daemon.directory.path + "/todod.env")
        daemon.signal(SIGHUP)
        #expect(try daemon.notification("RELOADING=1") != nil)
        #expect(try daemon.notification("READY=1") != nil)
        #expect(try daemon.stop() == .exit(0))
        #expect(!daemon.output.contains("Read the configuration again"), "\(daemon.output)")
    }

    @Test(arguments: [nil, "# Nothing is set.\n"])
    func `a reload after a file that appeared later was removed keeps the permissions`(first: String?) throws {
        let daemon = try Daemon()
        let place = ".config/todod/todod.env"
        let file = "\(daemon.directory.path)/\(place)"
        try FileManager.default.createDirectory(
            atPath: daemon.directory.path + "/.config/todod", withIntermediateDirectories: true)
        if let first { try daemon.directory.write(first, to: place) }
        let process = try daemon.launch(command: [Products.todod, "--data", daemon.data, "--socket", daemon.socket])
        #expect(try daemon.notifications.await("READY=1", from: process) != nil)
        func reload() throws {
            daemon.signal(SIGHUP)
            #expect(try daemon.notification("RELOADING=1") != nil)
            #expect(try daemon.notification("READY=1") != nil)
        }
        try daemon.directory.write("TODOD_ALLOW=1:r\n", to: place)
        try reload()
        try FileManager.default.removeItem(atPath: file)
        try reload()
        #expect(try daemon.stop() == .exit(0))
        #expect(daemon.output.contains("Read the configuration again allow=1:r"), "\(daemon.output)")
        #expect(!daemon.output.contains("allow=\"\""), "\(daemon.output)")
        #expect(daemon.output.contains("no longer exists"), "\(daemon.output)")
    }

    @Test func `a file that can be read only once is not read again, and everything stays as it was`() throws {
        let daemon = try Daemon()
        try daemon.directory.write("TODOD_ALLOW=1:r\n", to: "todod.env")
        try daemon.start()
        let file = daemon.directory.path + "/todod.env"
        try FileManager.default.removeItem(atPath: file)
        #expect(mkfifo(file, 0o600) == 0)
        daemon.signal(SIGHUP)
        #expect(try daemon.notification("RELOADING=1") != nil)
        #expect(try daemon.notification("READY=1") != nil)
        #expect(try daemon.stop() == .exit(0))
        #expect(daemon.output.contains("can't be read a second time"), "\(daemon.output)")
        #expect(!daemon.output.contains("Read the configuration again"), "\(daemon.output)")
    }

    @Test(.enabled(if: PeerTests.canChange, PeerTests.reason))
    func `a reload disconnects users without access and admits new ones`() throws {
        let daemon = try Daemon()
        try daemon.directory.write("TODOD_ALLOW=1:rw\n", to: "todod.env")
        try daemon.start()
        chmod(daemon.directory.path, 0o755)
        chmod(daemon.socket, 0o666)
        func isDenied(_ uid: Int) throws -> Bool {
            var bytes: [UInt8] = []
            Call("org.todod.Admin.Ping", []).write(into: &bytes)
            let outcome = try Command.run(
                [
                    try #require(Products.tool("setpriv")), "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups",
                    try #require(Products.tool("socat")), "-t", "20", "-", "UNIX-CONNECT:\(daemon.socket)",
                ], input: bytes)
            return String(decoding: outcome.output, as: UTF8.self).contains("PermissionDenied")
        }
        #expect(try !isDenied(1) && isDenied(2))
        // A subscriber as the first user.
        let channel = try Channel()
        defer { close(channel.ours) }
        let watcher = try ChildProcess(
            [
                try #require(Products.tool("setpriv")), "--reuid=1", "--regid=1", "--clear-groups",
                try #require(Products.tool("socat")), "-u", "UNIX-CONNECT:\(daemon.socket)", "-",
            ], environment: Command.environment, output: channel.theirs, error: channel.theirs)
        close(channel.theirs)
        defer { watcher.signal(SIGKILL) }
        let client = try daemon.connect()
        while try client.call("org.todod.Admin.Status")["clients"]?.int != 2 { #expect(watcher.isRunning) }

        try reload(daemon, "TODOD_ALLOW=2:r\n")
        #expect(try watcher.wait(seconds: 60) != nil)
        #expect(try isDenied(1) && !isDenied(2))
    }

    @Test func `an unread journal blocks neither a change nor a stop`() throws {
        let daemon = try Daemon()
        var pipes: [Int32] = [0, 0]
        guard pipe(&pipes) == 0 else { throw SystemFailure(what: "pipe") }
        defer { for number in pipes { close(number) } }
        let process = try ChildProcess(
            [Products.todod, "--data", daemon.data, "--socket", daemon.socket, "--config", daemon.directory.path + "/todod.env"],
            environment: daemon.variables, output: pipes[1], error: pipes[1])
        defer { process.signal(SIGKILL) }
        #expect(try daemon.notifications.await("READY=1", from: process) != nil)
        let client = try daemon.connect()
        // Each leaves a line. Together they exceed the capacity of the pipe.
        for number in 0..<2000 {
            _ = try client.call("org.todod.Admin.Debug", ["feature": "counter", "on": .bool(number % 2 == 0)])
        }
        #expect(try client.dispatch([Actions.increment]).sequences == [1])
        process.signal(SIGTERM)
        #expect(try process.wait(seconds: 60) == .exit(0))
    }

    @Test func `a failed reload names the command that checks the file`() throws {
        let daemon = try Daemon()
        try daemon.start()
        try reload(daemon, "TODOD_ALLOW=nobody at all\n")
        #expect(try daemon.stop() == .exit(0))
        #expect(
            daemon.output.contains("to check it: todod --check-config --config \(daemon.directory.path)/todod.env\n"),
            "\(daemon.output)")
    }
}
