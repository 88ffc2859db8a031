import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct FollowingTests {
    private func follow(_ daemon: Daemon, _ arguments: String..., withErrors: Bool = false) throws -> LiveProgram {
        try LiveProgram(
            [Products.todoctl] + arguments, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket],
            withErrors: withErrors)
    }

    @Test(arguments: [false, true]) func `watch continues after a restart with the changes since`(crash: Bool) throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("Buy the milk")])
        let watch = try follow(daemon, "watch", "todos.items")
        #expect(try watch.lines(through: "Buy the milk").last?.contains("title Buy the milk") == true)
        try daemon.connect().dispatch([Actions.add("Take my dog")])
        #expect(try watch.line()?.hasSuffix("+ todos.items 2: Take my dog") == true)
        if crash { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
        try daemon.start()
        try daemon.connect().dispatch([Actions.add("Water the plants")])
        #expect(try watch.line()?.hasSuffix("+ todos.items 3: Water the plants") == true)
        // Nothing is shown twice, and later changes are shown as before.
        try daemon.connect().dispatch([Actions.complete(1)])
        #expect(try watch.line()?.contains("~ todos.items 1: completed none") == true)
    }

    @Test(arguments: [false, true]) func `view --follow continues across a restart`(crash: Bool) throws {
        let daemon = try Daemon.started()
        let view = try follow(daemon, "view", "counter", "--follow")
        let json = try follow(daemon, "view", "counter", "--follow", "--json")
        #expect(try view.line() == "count: 0")
        #expect(try view.line() == "sign: zero")
        let first = try #require(try json.line())
        #expect(try Value(parsing: first)["view"] == ["count": 0, "sign": "zero"])
        try daemon.connect().dispatch([Actions.increment])
        #expect(try view.line()?.hasSuffix("count: 0 → 1") == true)
        #expect(try view.line()?.hasSuffix("sign: zero → positive") == true)
        let second = try #require(try json.line())
        #expect(try Value(parsing: second)["changes"]?.list?.count == 2)
        if crash { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
        try daemon.start()
        try daemon.connect().dispatch([Actions.increment])
        // The whole view or a change, depending on whether the client reconnects after or before the dispatch.
        #expect(try view.lines(through: "count: ").last?.hasSuffix("2") == true)
        try daemon.connect().dispatch([Actions.increment])
        #expect(try view.lines(through: "count: ").last?.hasSuffix("count: 2 → 3") == true)
    }

    @Test(arguments: [false, true]) func `watch continues from the past into the present, across a restart`(crash: Bool) throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for title in ["Buy the milk", "Take my dog", "Water the plants"] { try client.dispatch([Actions.add(title)]) }
        let watch = try follow(daemon, "watch", "todos.items", "--from", "1", "--gap-max", "0")
        let json = try follow(daemon, "watch", "counter", "--from", "1", "--gap-max", "0", "--json")
        #expect(try watch.lines(through: "Buy the milk").last?.contains("title Buy the milk") == true)
        #expect(try watch.line()?.hasSuffix("+ todos.items 2: Take my dog") == true)
        #expect(try watch.line()?.hasSuffix("+ todos.items 3: Water the plants") == true)
        try client.dispatch([Actions.complete(1), Actions.increment])
        #expect(try watch.line()?.contains("~ todos.items 1: completed none") == true)
        var told: [Int64] = []
        func read(through last: Int64) throws {
            while (told.last ?? 0) < last, let line = try json.line() {
                let reply = try Value(parsing: line)
                // The state is sent once.
                if reply["state"] != nil { #expect(told.isEmpty && reply["sequence"] == 1) }
                // The reply at the end of the past has no changes.
                if reply["changes"]?.list?.isEmpty == false { told.append(try #require(reply["sequence"]?.int)) }
            }
        }
        try read(through: 5)
        if crash { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
        try daemon.start()
        try daemon.connect().dispatch([Actions.add("Call Ada"), Actions.increment])
        #expect(try watch.line()?.hasSuffix("+ todos.items 4: Call Ada") == true)
        try read(through: 7)
        try daemon.connect().dispatch([Actions.increment])
        try read(through: 8)
        #expect(told == [5, 7, 8])
    }

    @Test func `a replay with long pauses does not prevent the daemon from stopping`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<50 { try client.dispatch([Actions.increment]) }
        let reader = try daemon.connect()
        let slowly: Value = ["from": ["sequence": 1], "speed": 1, "scope": "counter"]
        try reader.send("org.todod.Store.Subscribe", slowly, more: true)
        #expect(try Client.result(reader.receive())["past"] == true)
        #expect(try daemon.stop() == .exit(0))
        try daemon.start()
        for wrong in [["speed": 1], ["from": ["sequence": 0], "speed": 0], ["from": ["sequence": 0], "gapMax": 1]] as [Value] {
            let refused = try daemon.connect().ask("org.todod.Store.Subscribe", wrong, more: true)
            #expect(refused.error == "org.varlink.service.InvalidParameter")
        }
    }

    @Test func `log --follow shows every record once across restarts`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.increment])
        let log = try follow(daemon, "log", "--follow", "--feature", "counter")
        #expect(try log.line()?.hasPrefix("1 ") == true)
        for sequence in stride(from: 2, through: 6, by: 2) {
            if sequence == 4 { try daemon.crash() } else { #expect(try daemon.stop() == .exit(0)) }
            if sequence != 4 { try daemon.start() }
            let client = try daemon.connect()
            try client.dispatch([Actions.increment])
            #expect(try log.line()?.hasPrefix("\(sequence) ") == true)
            try client.dispatch([Actions.increment])
            #expect(try log.line()?.hasPrefix("\(sequence + 1) ") == true)
        }
    }

    @Test(arguments: [false, true])
    func `debug tail reports after a restart that nothing is debugged, and continues once a feature is`(crash: Bool) throws {
        let daemon = try Daemon.started()
        let tail = try follow(daemon, "debug", "tail", withErrors: true)
        #expect(try tail.lines(through: "No feature is debugged now").count == 1)
        for _ in 0..<2 {
            #expect(try daemon.todoctl("debug", "on", "counter").end == .exit(0))
            #expect(try daemon.connect().status()["debugged"] == ["counter"])
            // Only its output shows that it follows.
            let client = try daemon.connect()
            var line: String?
            for _ in 0..<300 where line?.contains("counter.increment") != true {
                try client.dispatch([Actions.increment])
                line = try tail.line(seconds: 0.2)
            }
            #expect(line?.contains("counter.increment") == true)
            if crash { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
            try daemon.start()
            #expect(try daemon.connect().status()["debugged"] == [])
            #expect(try tail.lines(through: "No feature is debugged now").last?.contains("todoctl debug on") == true)
        }
    }

    @Test func `debug tail reports that nothing is debugged even if it had no output before`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("debug", "on", "counter").end == .exit(0))
        let tail = try follow(daemon, "debug", "tail", withErrors: true)
        // Wait until it has queried the debugged features and follows.
        let client = try daemon.connect()
        func isFollowing() throws -> Bool {
            let clients = try client.call("org.todod.Admin.Clients")["clients"]?.list ?? []
            // It has one connection for queries and one to follow. A query in progress counts as a stream as well.
            return clients.count == 3 && clients.contains { $0["streams"] != 0 }
        }
        while try !isFollowing() {}
        #expect(try daemon.stop() == .exit(0))
        try daemon.start()
        // If the start is slow, it first reports that it waits.
        #expect(try tail.lines(through: "No feature is debugged now").last?.contains("todoctl debug on") == true)
    }

    @Test func `debug tail prints no notice if an older daemon does not report the debugged features`() throws {
        let daemon = try Daemon.started()
        var status = try daemon.connect().status().record ?? []
        status.removeAll { $0.name == "debugged" }
        var reply: [UInt8] = []
        JSON.write([.init("parameters", .record(status))], into: &reply)
        let record = #"{"sequence":1,"time":1,"feature":"counter","action":{"counter":{"increment":{}}},"lines":["+ count: 1"]}"#
        let path = daemon.directory.path + "/older"
        let older = try OlderDaemon(
            path,
            answering: [
                ("org.todod.Admin.Status", String(decoding: reply, as: UTF8.self)),
                ("org.todod.Admin.DebugTail", #"{"parameters":\#(record),"continues":true}"#),
            ])
        try withExtendedLifetime(older) {
            let tail = try LiveProgram(
                [Products.todoctl, "debug", "tail"], environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": path],
                withErrors: true)
            #expect(try tail.line()?.contains("counter.increment") == true)
        }
    }

    @Test func `log --follow --diff continues after a record with more changes than one answer can contain`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for batch in 0..<12 {
            try client.dispatch((0..<1_000).map { Actions.add("A todo with a title that is somewhat longer, \(batch), \($0)") })
            try client.dispatch((0..<1_000).map { Actions.complete(Int64(batch * 1_000 + $0 + 1)) })
        }
        let log = try follow(daemon, "log", "--follow", "--diff", "--action", "clearCompleted")
        #expect(try daemon.todoctl("clear", "-y").end == .exit(0))
        #expect(try log.line()?.contains("todos.clearCompleted") == true)
        #expect(try log.lines(through: "- todos.items 12000").count <= 12_000)
        #expect(try daemon.todoctl("add", "Buy", "the", "milk").end == .exit(0))
        #expect(try daemon.todoctl("done", "12001").end == .exit(0))
        #expect(try daemon.todoctl("clear", "-y").end == .exit(0))
        #expect(try log.lines(through: "- todos.items 12001").last?.contains("Buy the milk") == true)
    }

    @Test func `log --follow --json prints the matching records, each in a separate reply`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk"), Actions.increment])
        let condition = "new.counter.count != old.counter.count"
        let log = try follow(daemon, "log", "--follow", "--json", "--where", condition, "--diff")
        func next() throws -> Value { try Value(parsing: Array(try #require(try log.line()).utf8)) }
        let first = try next()
        #expect(first["records"]?.list?.compactMap { $0["sequence"]?.int } == [2], "\(first)")
        try client.dispatch([Actions.add("Take my dog")])
        try client.dispatch([Actions.increment])
        let second = try next()
        #expect(second["records"]?.list?.compactMap { $0["sequence"]?.int } == [4], "\(second)")
        #expect(second["details"]?.list?.first?["changes"]?.list?.first?["path"] == "counter", "\(second)")
        // It continues with the next daemon.
        #expect(try daemon.stop() == .exit(0))
        try daemon.start()
        try daemon.connect().dispatch([Actions.increment])
        #expect(try next()["records"]?.list?.first?["sequence"] == 5)
    }

    @Test func `a change of the epoch is reported, and the log is followed from the beginning of the new epoch`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.increment, Actions.increment])
        let log = try follow(daemon, "log", "--follow", "--json")
        let watch = try follow(daemon, "watch", "counter", withErrors: true)
        #expect(try log.line()?.contains(#""sequence":1"#) == true)
        #expect(try watch.lines(through: "count: 2").last == "  count: 2")
        let epoch = try daemon.connect().status()["epoch"]?.int
        let backup = daemon.directory.path + "/backup"
        #expect(try daemon.todoctl("backup", backup).end == .exit(0))
        #expect(try daemon.stop() == .exit(0))
        let (original, copy) = (daemon.data, daemon.directory.path + "/copy")
        daemon.data = copy
        let restored = try Command.run([Products.todod, "--restore", backup, "--data", copy])
        #expect(restored.end == .exit(0), "\(restored)")
        try daemon.start()
        #expect(try daemon.connect().status()["epoch"]?.int != epoch)
        #expect(FileManager.default.fileExists(atPath: original))
        try daemon.connect().dispatch([Actions.increment])
        var kinds: [String] = []
        while kinds.count < 2, let line = try log.line() {
            let records = try Value(parsing: line)["records"]?.list ?? []
            kinds += records.filter { ($0["sequence"]?.int ?? 0) > 2 }.compactMap { $0["kind"]?.text }
        }
        #expect(kinds == ["epoch", "action"])
        #expect(try watch.lines(through: "epoch").last?.contains("restored or copied") == true)
        #expect(try watch.lines(through: "count: ").last?.hasPrefix("  count: ") == true)
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `on a terminal watch reports that the daemon is away and that it is back`() throws {
        let daemon = try Daemon.started()
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press("'\(Products.todoctl)' watch counter --socket '\(daemon.socket)'", "Enter")
        #expect(try terminal.shows("count: 0"))
        try daemon.kill()
        #expect(try terminal.shows("The daemon went away."))
        try daemon.start()
        #expect(try terminal.shows("The daemon is back."))
        try daemon.connect().dispatch([Actions.increment])
        #expect(try terminal.shows("counter.count: 0 → 1"))
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `a replay continues with records that are appended during it`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("Buy the milk")])
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press("'\(Products.todoctl)' replay --speed 1000 --socket '\(daemon.socket)'", "Enter")
        #expect(try terminal.shows("1 of 1"))
        try daemon.connect().dispatch([Actions.add("Take my dog"), Actions.increment])
        #expect(try terminal.shows("3 of 3") && terminal.shows("Take my dog"))
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"), arguments: ["TERM", "HUP"])
    func `a replay that is ended by a signal restores the terminal`(signal: String) throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("Buy the milk"), Actions.increment])
        let terminal = try Terminal(daemon.directory.path)
        let place = daemon.directory.path + "/pid"
        let film = "'\(Products.todoctl)' replay --step --socket '\(daemon.socket)'"
        try terminal.press("stty -g > '\(place).before'; sh -c 'echo $$ > \(place); exec \(film)'; echo ended by $?", "Enter")
        #expect(try terminal.shows("before the first record"))
        let pid = try String(contentsOfFile: place, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try Command.run([try #require(Products.tool("kill")), "-\(signal)", pid]).end == .exit(0))
        let number = signal == "TERM" ? 143 : 129
        #expect(try terminal.shows("ended by \(number)") && terminal.hides("before the first record"))
        try terminal.press("stty -g | cmp - '\(place).before' && echo as it was", "Enter")
        #expect(try terminal.shows("\nas it was"))
    }

    @Test func `add fails with the number of added todos if the reader of its output disconnects`() throws {
        let daemon = try Daemon.started()
        let titles = (1...60_000).map { "Todo number \($0)\n" }.joined()
        let outcome = try Command.run(
            ["/bin/bash", "-o", "pipefail", "-c", "'\(Products.todoctl)' add --stdin --plain --json | head -n 1"],
            environment: ["TODOD_SOCKET": daemon.socket, "HOME": daemon.directory.path], input: Array(titles.utf8))
        #expect(outcome.end == .exit(74), "\(outcome)")
        let count = try daemon.connect().state("todos.items").titles.count
        #expect(count < 60_000)
        let grouped = count < 1000 ? "\(count)" : "\(count / 1000),\(String("\(count)".suffix(3)))"
        #expect(outcome.error.contains("\(grouped) todos were added"), "\(count): \(outcome.error)")
        #expect(outcome.error.contains("Nothing after line \(grouped) was sent"), "\(count): \(outcome.error)")
    }
}
