import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct ConfigurationTests {
    private func check(_ text: String, environment: [String: String] = [:]) throws -> Command.Outcome {
        let directory = TemporaryDirectory()
        let file = try directory.write(text, to: "todod.env")
        return try Command.run(
            [Products.todod, "--check-config", "--config", file],
            environment: ["HOME": directory.path].merging(environment) { $1 })
    }

    @Test func `the shipped configuration file is valid, with every key set to its default`() throws {
        let file = try String(contentsOfFile: Products.repository + "/config/todod.env", encoding: .utf8)
        #expect(try check(file).end == .exit(0))
        let uncommented = file.replacingOccurrences(of: "# TODOD_", with: "TODOD_")
        #expect(uncommented != file)
        let outcome = try check(uncommented)
        #expect(outcome.end == .exit(0), "\(outcome)")
    }

    @Test(
        arguments: [
            "TODOD_COLOUR=red", "TODOD_MAP_SIZE=large", "TODOD_LOG_LEVEL=loud", "TODOD_ALLOW=daemon:x", "TODOD_STOP_SECONDS=-1",
        ]) func `a wrong line is reported with its key and number`(line: String) throws
    {
        let outcome = try check("# one\n\nTODOD_CONNECTIONS_MAX=1024\n\(line)\n")
        #expect(outcome.end == .exit(78), "\(outcome)")
        let key = line.split(separator: "=")[0]
        #expect(outcome.error.contains(key) || outcome.text.contains(key), "\(outcome)")
        #expect(outcome.error.contains("4") || outcome.text.contains("4"), "\(outcome)")
    }

    @Test(arguments: [["--verify"], ["--restore", "/backup", "--data", "/new"], ["--ephemeral", "--state", "/state.json"]])
    func `a check of the settings refuses options for other tasks`(words: [String]) throws {
        let outcome = try Command.run([Products.todod, "--check-config"] + words)
        #expect(outcome.end == .exit(64), "\(outcome)")
        #expect(outcome.error.contains("--check-config and --\(words[0].dropFirst(2)) exclude each other"), "\(outcome)")
    }

    @Test func `a wrong value in the environment is reported, and nothing starts`() throws {
        let daemon = try Daemon(environment: ["TODOD_CONNECTIONS_MAX": "many"])
        #expect(try daemon.startRefused() == .exit(78))
        #expect(daemon.output.contains("TODOD_CONNECTIONS_MAX"), "\(daemon.output)")
        #expect(!FileManager.default.fileExists(atPath: daemon.data))
        daemon.environment = [:]
        daemon.flags = ["--dance"]
        #expect(try daemon.startRefused() == .exit(64))
    }

    @Test func `a flag wins over the environment, and the environment over the file`() throws {
        let daemon = try Daemon(environment: ["TODOD_CONNECTIONS_PER_USER_MAX": "3", "TODOD_SOCKET": "/nowhere/at/all"])
        try daemon.directory.write("TODOD_CONNECTIONS_PER_USER_MAX=1\n", to: "todod.env")
        try daemon.start()
        let clients = try (0..<3).map { _ in try daemon.connect() }
        for client in clients { _ = try client.sequence() }
        let fourth = try daemon.connect()
        do {
            #expect(try fourth.ask("org.todod.Admin.Ping").error == "org.todod.Store.TooManyConnections")
        } catch VarlinkClientError.closed {}
        #expect(try fourth.isClosed(seconds: 10))
        _ = try clients[0].sequence()
    }
}
