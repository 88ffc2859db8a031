import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct RestartTests {
    /// A list with all kinds of contents.
    private func fill(_ client: Client) throws {
        for number in 1...120 {
            try client.dispatch([
                [
                    "todos": [
                        "add": [
                            "items": [
                                [
                                    "title": .text("Äpfel kaufen \(number) 🍏"), "note": "two\nlines",
                                    "tags": ["home", "İstanbul"],
                                    "priority": .int(Int64(number % 4)), "due": "2030-02-28T14:30",
                                ]
                            ]
                        ]
                    ]
                ]
            ])
        }
        for id in stride(from: Int64(3), through: 120, by: 7) { try client.dispatch([Actions.complete(id), Actions.increment]) }
        for id in stride(from: Int64(5), through: 120, by: 11) { try client.dispatch([Actions.move(id, to: id % 9)]) }
        for id in stride(from: Int64(4), through: 120, by: 13) { try client.dispatch([Actions.remove(id)]) }
        try client.dispatch([["todos": ["clearCompleted": [:]]], Actions.text("ſtraße")])
    }

    @Test func `a stop writes a snapshot, and the state is the same with it and without it`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try fill(client)
        let (state, sequence) = (try client.state(), try client.sequence())
        #expect(try daemon.stop() == .exit(0))
        #expect(try !daemon.snapshots().isEmpty)

        try daemon.start()
        let second = try daemon.connect()
        #expect(try second.status()["snapshot"]?["sequence"]?.int == sequence)
        #expect(try second.state() == state)
        try second.dispatch([Actions.increment])
        try daemon.kill()

        for snapshot in try daemon.snapshots() { #expect(unlink(snapshot) == 0) }
        try daemon.start()
        let third = try daemon.connect()
        #expect(try third.sequence() == sequence + 1)
        #expect(try third.state("todos") == Value.record([.init("todos", state["todos"] ?? .null)]))
        #expect(try Model(log: third.log()) == Model(state: third.state()))
    }

    @Test(.enabled(if: FakeClock.library != nil && !Sanitizer.isOn, "libfaketime is missing, or a sanitizer runs"))
    func `a clock that lags behind the log is shown in the status and logged once`() throws {
        let daemon = try Daemon()
        daemon.environment = try FakeClock.environment(daemon)
        try FakeClock.turn(daemon, by: 86_400)
        try daemon.start()
        try daemon.connect().dispatch([Actions.increment])
        #expect(try daemon.connect().status()["clockBehind"] == nil && !daemon.output.contains("ahead of the clock"))
        try daemon.kill()
        try FakeClock.turn(daemon, by: 0)
        try daemon.start()
        try daemon.connect().dispatch([Actions.increment])
        let behind = try daemon.connect().status()["clockBehind"]?.int ?? 0
        #expect(80_000_000_000...86_400_000_000 ~= behind)
        #expect(try daemon.todoctl("status").text.contains("seconds behind the log"))
        #expect(daemon.output.components(separatedBy: "The log is ahead of the clock").count == 2, "\(daemon.output)")
    }

    @Test func `a daemon that is killed while a reminder's program runs can start again at once`() throws {
        let daemon = try Daemon()
        let running = daemon.directory.path + "/running"
        #expect(mkfifo(running, 0o600) == 0)
        let program = try daemon.directory.writeProgram("#!/bin/sh\necho $$ > '\(running)'\nexec sleep 60\n", to: "remind")
        daemon.environment["TODOD_REMIND_PROGRAM"] = program
        try daemon.start()
        try daemon.connect().dispatch([["todos": ["add": ["items": [["title": "Call Anna", "remind": "2020-01-01T09:00"]]]]]])
        // The pipe has no writer until the program runs.
        let reader = open(running, O_RDONLY | O_CLOEXEC)
        defer { close(reader) }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(reader, &bytes, bytes.count)
        let sleeper = try #require(pid_t(String(decoding: bytes.prefix(max(0, count - 1)), as: UTF8.self)))
        defer { Glibc.kill(sleeper, SIGKILL) }
        try daemon.kill()
        // It is still alive and holds no descriptor of the daemon.
        #expect(Glibc.kill(sleeper, 0) == 0)
        // Until the shell has executed sleep, it keeps its redirected output.
        let deadline = Deadline(seconds: 60)
        while try String(contentsOfFile: "/proc/\(sleeper)/comm", encoding: .utf8) != "sleep\n", deadline.milliseconds > 0 {}
        let table = "/proc/\(sleeper)/fd"
        let held = try FileManager.default.contentsOfDirectory(atPath: table).filter { Int($0) ?? 0 > 2 }
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(table)/\($0)") }
        #expect(held.filter { $0 != program } == [])
        daemon.environment["TODOD_REMIND_PROGRAM"] = "/bin/true"
        try daemon.start()
    }

    @Test func `a start waits briefly for a process that holds the log and is about to end`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.stop() == .exit(0))
        let channel = try Channel()
        let flock = try #require(Products.tool("flock"))
        // Like a killed process, which holds the lock until the kernel has removed it.
        let holder = try ChildProcess(
            [flock, daemon.data + "/lock", "/bin/sh", "-c", "echo held; exec sleep 1"], environment: Command.environment,
            output: channel.theirs, error: channel.theirs)
        close(channel.theirs)
        var byte: UInt8 = 0
        #expect(read(channel.ours, &byte, 1) == 1)
        try daemon.start()
        #expect(try holder.wait(seconds: 60) == .exit(0))
        close(channel.ours)
        let second = try Command.run([Products.todod, "--data", daemon.data, "--socket", daemon.socket + ".2"])
        #expect(second.end == .exit(75), "\(second)")
        #expect(second.error.contains("is in use by process \(daemon.pid), another todod"), "\(second)")
    }

    @Test func `a truncated snapshot is not used`() throws {
        let daemon = try Daemon.started()
        try fill(try daemon.connect())
        let state = try daemon.connect().state()
        #expect(try daemon.stop() == .exit(0))
        for snapshot in try daemon.snapshots() {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: snapshot))
            let size = try handle.seekToEnd()
            try handle.seek(toOffset: size / 2)
            try handle.write(contentsOf: Data([0xFF, 0xFF, 0xFF, 0xFF]))
            try handle.close()
        }
        try daemon.start()
        #expect(try daemon.connect().state() == state)
    }

    @Test func `the same log gives the same bytes in any process, time zone and language`() throws {
        let daemon = try Daemon.started()
        try fill(try daemon.connect())
        var replies: Set<[UInt8]> = []
        let surroundings: [[String: String]] = [
            [:], ["TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"],
            ["TZ": "America/St_Johns", "LC_ALL": "C", "SWIFT_DETERMINISTIC_HASHING": "1"],
        ]
        for surrounding in surroundings {
            daemon.environment = surrounding
            try daemon.kill()
            for snapshot in try daemon.snapshots() { unlink(snapshot) }
            try daemon.start()
            let client = try daemon.connect()
            try client.send("org.todod.Store.GetState")
            try client.send("org.todod.Store.View", ["feature": "todos"])
            replies.insert(try client.receiveFrame() + client.receiveFrame())
        }
        #expect(replies.count == 1)
        #expect((replies.first?.count ?? 0) > 5_000)
    }

    @Test func `a copied directory begins a new epoch, and the original does not`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        let epoch = try #require(try client.status()["epoch"]?.int)
        #expect(try daemon.stop() == .exit(0))
        let copy = try Daemon(environment: Daemon.ownLog)
        let copied = try Command.run([try #require(Products.tool("cp")), "-a", daemon.data, copy.data])
        #expect(copied.end == .exit(0))
        try copy.start()
        let other = try copy.connect()
        #expect(try other.state("todos.items").titles == ["Buy the milk"])
        let news = try #require(try other.status()["epoch"]?.int)
        #expect(news != epoch)
        let foreign = try other.ask("org.todod.Store.GetState", ["epoch": .int(epoch), "minimumSequence": 1])
        #expect(foreign.error == "org.todod.Store.EpochChanged")
        #expect(foreign.parameters["epoch"]?.int == news)
        try other.dispatch([Actions.increment])
        #expect(try copy.stop() == .exit(0))
        try copy.start()
        #expect(try copy.connect().status()["epoch"]?.int == news)

        try daemon.start()
        #expect(try daemon.connect().status()["epoch"]?.int == epoch)
    }

    @Test func `repeated starts add nothing to the log`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.increment])
        for round in 0..<6 {
            if round % 2 == 0 { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
            try daemon.start()
        }
        #expect(try daemon.connect().sequence() == 1)
        #expect(try daemon.connect().state("counter")["counter"]?["count"] == 1)
    }

    @Test func `a daemon that is killed at any moment of its start can start again`() throws {
        let daemon = try Daemon.started()
        try fill(try daemon.connect())
        let state = try daemon.connect().state()
        try daemon.kill()
        for milliseconds in stride(from: 0, through: 150, by: 10) {
            let process = try daemon.launch()
            _ = try process.wait(seconds: Double(milliseconds) / 1000)
            try daemon.kill()
        }
        try daemon.start()
        #expect(try daemon.connect().state() == state)
    }
}
