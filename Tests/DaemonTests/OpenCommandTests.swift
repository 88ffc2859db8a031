import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct OpenCommandTests {
    @Test func `a copied log is independent and runs nothing until it is released`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        #expect(try daemon.todoctl("load").end == .exit(0))
        let epoch = try daemon.connect().status()["epoch"]?.int
        try daemon.kill()
        let copied = try Daemon(environment: Daemon.ownLog, data: daemon.directory.path + "/copy")
        let copy = try Command.run(["/bin/cp", "-a", daemon.data, copied.data])
        #expect(copy.end == .exit(0), "\(copy)")
        try copied.start()
        let client = try copied.connect()
        let status = try client.status()
        #expect(status["epoch"]?.int != epoch && status["outbox"]?["held"]?.int == 1, "\(status)")
        let before = try client.log().count
        // A command that is requested after the copy is not held. Its end shows that the other one waits.
        try client.dispatch([["stars": ["press": ["id": "swift"]]]])
        try copied.state("stars.items") { $0["stars"]?["items"]?["swift"]?["phase"]?.text == "star" }
        #expect(try copied.commands().compactMap { $0["held"]?.bool } == [true])
        #expect(try client.log().dropFirst(before).allSatisfy { $0["action"]?["todos"] == nil })

        #expect(try copied.todoctl("commands").text.contains("held"))
        #expect(try copied.todoctl("commands", "release").end == .exit(0))
        try copied.state("todos") { $0.titles.count == 3 && $0["todos"]?["loading"]?.bool == false }
        #expect(try copied.commands().isEmpty)
    }

    @Test func `a hold of all commands is reported without open commands and after each answer that requested one`() throws {
        let daemon = try Daemon.started()
        let held = "Commands are held: todoctl commands release\n"
        let before = try daemon.todoctl("commands")
        #expect(before.text.isEmpty && before.error.isEmpty, "\(before)")
        #expect(try daemon.todoctl("commands", "hold").end == .exit(0))
        #expect(try daemon.todoctl("status").lines.contains { $0.hasPrefix("commands    held, 0 open; ") })
        let none = try daemon.todoctl("commands")
        #expect(none.text.isEmpty && none.error == held, "\(none)")
        #expect(try daemon.todoctl("commands", "--json").error.isEmpty)

        let added = try daemon.todoctl("add", "Call the bank", "--remind", "2999-12-24 9:00", "--plain")
        #expect(added.text == "Added 1: Call the bank (remind Tuesday 24 December 2999 09:00)\n", "\(added)")
        #expect(added.error == held, "\(added)")
        let fetching = try daemon.todoctl("posts", "fetch")
        #expect(fetching.text.hasPrefix("Fetching. ") && fetching.error == held, "\(fetching)")
        let lines = try daemon.todoctl("add", "--stdin", "--remind", "2999-12-24 9:00", input: Array("Rent a car\n".utf8))
        #expect(lines.text == "Added 1 todo: 2.\n" && lines.error == held, "\(lines)")
        let removed = try daemon.todoctl("remove", "1")
        #expect(removed.end == .exit(0) && removed.error.isEmpty, "\(removed)")
        let undone = try daemon.todoctl("undo")
        #expect(undone.text.hasPrefix("Undone: remove 1") && undone.error == held, "\(undone)")
        let told = try daemon.todoctl("load", "--json")
        #expect(told.error.isEmpty && told.text.contains(#""commandsHeld":true"#), "\(told)")
        let plain = try daemon.todoctl("add", "Buy the milk", "--plain")
        #expect(plain.text == "Added 3: Buy the milk\n" && plain.error.isEmpty, "\(plain)")
        #expect(try daemon.todoctl("status").lines.contains { $0.hasPrefix("commands    held, 4 open; ") })

        #expect(try daemon.todoctl("commands", "release").end == .exit(0))
        #expect(try daemon.todoctl("status").lines.contains { $0.hasPrefix("commands    ") && $0.hasSuffix(" 0 held") })
        #expect(try daemon.todoctl("load").error.isEmpty)
    }

    @Test func `followers of the open commands get all their changes`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let follower = try daemon.connect()
        #expect(try Client.short(client.ask("org.todod.Admin.FollowCommands")) == "ExpectedMore")
        try follower.send("org.todod.Admin.FollowCommands", more: true)
        func awaitList(_ isMeant: ([Value]) -> Bool) throws {
            while true {
                let reply = try follower.receive()
                try #require(reply.continues && reply.error == nil, "\(reply)")
                if isMeant(Value.record(reply.parameters)["commands"]?.list ?? []) { return }
            }
        }
        try awaitList(\.isEmpty)
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        let sequence = try client.dispatch([["todos": ["load": [:]]]]).sequences[0]
        try awaitList { $0.count == 1 && $0[0]["id"]?["sequence"]?.int == sequence && $0[0]["held"]?.bool == true }
        _ = try client.call(
            "org.todod.Admin.ChangeCommand", ["id": ["sequence": .int(sequence), "index": 0], "operation": "cancel"])
        try awaitList(\.isEmpty)
    }

    @Test func `many followers of the open commands do not block other queries`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let followers = try (0..<40).map { _ in try daemon.connect() }
        for follower in followers { try follower.send("org.todod.Admin.FollowCommands", more: true) }
        for follower in followers { #expect(try follower.receive().error == nil) }
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        for number in 1...20 {
            try client.dispatch([["todos": ["load": [:]]]])
            let past = try client.ask("org.todod.Store.GetState", ["at": ["sequence": .int(Int64(number))], "scope": "counter"])
            #expect(past.error == nil, "\(past)")
        }
    }

    @Test func `commands are held, skipped and cancelled, each once`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("commands", "hold").end == .exit(0))
        #expect(try daemon.todoctl("load").end == .exit(0))
        #expect(try daemon.todoctl("star", "press", "swift").end == .exit(0))
        let commands = try daemon.commands()
        #expect(commands.compactMap { $0["name"]?.text } == ["todos.load", "stars.star"])
        #expect(commands.allSatisfy { $0["held"]?.bool == true && $0["stage"]?.text == "waiting" }, "\(commands)")
        #expect(commands.last?["arguments"]?["id"]?.text == "swift")
        let ids = commands.compactMap { $0["id"]?["sequence"]?.int }
        #expect(try daemon.connect().status()["outbox"]?["held"]?.int == 2)

        let load = "\(ids[0]).0"
        #expect(try daemon.todoctl("commands", "skip", load).end == .exit(0))
        let again = try daemon.todoctl("commands", "skip", load)
        #expect(again.end == .exit(1) && again.error.contains("has ended"), "\(again)")
        #expect(try daemon.todoctl("commands", "retry", "999.0").error.contains("No command 999.0."))
        #expect(try daemon.todoctl("commands", "retry", "x").end == .exit(64))
        #expect(try daemon.connect().state("todos.loading")["todos"]?["loading"]?.bool == false)
        #expect(try daemon.todoctl("commands", "cancel", "\(ids[1])").end == .exit(0))
        #expect(try daemon.commands().isEmpty)
        #expect(try daemon.todoctl("star", "show", "swift").text.contains("unstar  0"))
        let client = try daemon.connect()
        func refusal(_ operation: Value, _ sequence: Int64, _ index: Value = 0, arguments: Value? = nil) throws -> Reply {
            let call: [Value.Field] = [.init("id", ["sequence": .int(sequence), "index": index]), .init("operation", operation)]
            return try client.ask(
                "org.todod.Admin.ChangeCommand", .record(call + (arguments.map { [.init("arguments", $0)] } ?? [])))
        }
        #expect(try Client.short(refusal("cancel", ids[0])) == "CommandClosed")
        #expect(try Client.short(refusal("retry", 1, 7)) == "UnknownCommand")
        // Only an edit has arguments.
        for refused in [
            try refusal("edit", ids[0]), try refusal("skip", ids[0], arguments: [:]), try refusal("postpone", ids[0]),
        ] {
            #expect(refused.error == "org.varlink.service.InvalidParameter")
        }
        #expect(try daemon.todoctl("commands", "release").end == .exit(0))
        #expect(try daemon.todoctl("compact", "--before", "now", "--yes").end == .exit(0))
        let archived = try daemon.todoctl("commands", "cancel", load)
        #expect(archived.end == .exit(1) && archived.error.contains("archive-1-"), "\(archived)")
        #expect(try Client.short(refusal("skip", ids[0])) == "PrunedSequence")
        #expect(try daemon.todoctl("commands", "retry", "0").error.contains("No command 0.0."))
    }

    @Test func `a debugged feature prints its actions and their changes`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("debug", "on", "music").end == .exit(64))
        #expect(try daemon.todoctl("debug", "on", "counter").text.contains("counter"))
        let (client, tail) = (try daemon.connect(), try daemon.connect())
        try tail.send("org.todod.Admin.DebugTail", more: true)
        // The stream has no message for its begin, so the test waits for its first item.
        for _ in 0..<100 {
            try client.dispatch([Actions.increment, Actions.text("unseen")])
            if try Deadline(seconds: 0.2).awaitReadable(tail.descriptor) { break }
        }
        let told = try Client.result(tail.receive())
        let count = try #require(told["sequence"]?.int)
        let before = (count - 1) / 2
        #expect(told["feature"]?.text == "counter" && told["action"] == Actions.increment)
        #expect(told["lines"]?.list == [.text("- counter.count: \(before)"), .text("+ counter.count: \(before + 1)")])
        #expect(try daemon.todoctl("debug", "on", "todos").text.contains("counter, todos"))
        try client.dispatch([Actions.add("Buy the milk"), Actions.increment])
        let both = try (0..<2).map { _ in try Client.result(tail.receive())["feature"]?.text }
        #expect(both.contains("todos"), "\(both)")
        for feature in ["todos", "counter"] { #expect(try daemon.todoctl("debug", "off", feature).end == .exit(0)) }
        try client.dispatch([Actions.add("Keep this to yourself")])
        #expect(try daemon.stop() == .exit(0))
        #expect(daemon.output.contains("+ counter.count: \(before + 1)"), "\(daemon.output)")
        #expect(!daemon.output.contains("unseen") && !daemon.output.contains("Keep this to yourself"))
    }

    @Test func `an edited command is shown by the log and found by verify, why, what-if, exports and compactions`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("commands", "hold").end == .exit(0))
        #expect(try daemon.todoctl("star", "press", "swift").end == .exit(0))
        let press = try #require(try daemon.commands().first?["id"]?["sequence"]?.int)
        let edited = try daemon.todoctl("commands", "edit", "\(press).0", #"{"id": "swift-nio"}"#)
        #expect(edited.text == "Edited.\n", "\(edited)")
        #expect(
            try daemon.todoctl("commands").text.contains("stars.star id swift-nio  waiting, held, edited by record \(press + 1)"))
        let wrong = try daemon.todoctl("commands", "edit", "\(press).0", #"{"id": 1}"#)
        #expect(wrong.end == .exit(64) && wrong.error.contains("id: ") && wrong.error.contains("--json"), "\(wrong)")
        #expect(try daemon.todoctl("commands", "edit", "\(press).0", "x").end == .exit(64))
        let line = "edit \(press).0: id swift → swift-nio"
        #expect(try daemon.todoctl("log", "--raw").text.contains(line))
        let why = try daemon.todoctl("why", "\(press)").text
        #expect(why.contains("asked for stars.star id swift (\(press).0): held") && why.contains(line), "\(why)")
        #expect(try daemon.todoctl("why", "\(press + 1)").text.contains("stars.staring id swift"))
        let otherwise = try daemon.connect().call(
            "org.todod.History.WhatIf", ["alterations": [["skip": .int(press + 1)]]])
        #expect(otherwise["wouldRun"]?.list?.first?["command"]?["arguments"]?["id"]?.text == "swift", "\(otherwise)")
        #expect(try daemon.todoctl("verify").end == .exit(0))
        let path = daemon.directory.path + "/history.jsonl"
        #expect(try daemon.todoctl("export", path).end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        #expect(try other.todoctl("import", path).end == .exit(0))
        #expect(try other.commands().first?["arguments"]?["id"]?.text == "swift-nio")
        #expect(try other.todoctl("verify").end == .exit(0))

        #expect(try daemon.todoctl("compact", "--before", "\(press)", "--yes").end == .exit(0))
        #expect(try daemon.todoctl("verify").end == .exit(0))
        #expect(try daemon.todoctl("compact", "--before", "now", "--yes").end == .exit(0))
        let verified = try daemon.todoctl("verify")
        #expect(verified.end == .exit(0), "\(verified)")
        #expect(try daemon.todoctl("commands", "skip", "\(press).0").end == .exit(0))
        #expect(try daemon.todoctl("verify").end == .exit(0))
    }
}
