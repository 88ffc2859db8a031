import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Files of other programs, imported and exported.
@Suite(.ownThreads) struct ForeignFileTests {
    private func items(_ daemon: Daemon) throws -> [Value] {
        try daemon.connect().state("todos.items")["todos"]?["items"]?.list ?? []
    }

    private func calendar(_ count: Int) -> String {
        let todos = (1...count).map { "BEGIN:VTODO\r\nUID:u\($0)\r\nSUMMARY:Todo \($0)\r\nX-A:b\($0)\r\nEND:VTODO\r\n" }
        return "BEGIN:VCALENDAR\r\n\(todos.joined())END:VCALENDAR\r\n"
    }

    @Test func `an import is one step for undo, however large it is, and imports nothing twice`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("Mine")])
        try daemon.directory.write(calendar(10_000), to: "tasks.ics")
        let file = daemon.directory.path + "/tasks.ics"
        let before = try daemon.connect().sequence()
        let tried = try daemon.todoctl("import", file, "--dry-run")
        #expect(tried.lines.first?.hasSuffix("would be: 10,000 added.") == true && tried.lines.count == 12, "\(tried)")
        #expect(try daemon.connect().sequence() == before)
        let imported = try daemon.todoctl("import", file)
        #expect(imported.end == .exit(0) && imported.lines == ["Imported \(file): 10,000 added."], "\(imported)")
        let list = try items(daemon)
        #expect(list.count == 10_001 && list.first?["title"] == "Todo 1" && list[9_999]["title"] == "Todo 10000")
        #expect(list.first?["origin"]?["source"] == "ics:u1")
        let after = try daemon.connect().sequence()
        #expect(try daemon.todoctl("import", file).lines == ["Imported \(file): 10,000 unchanged."])
        #expect(try daemon.connect().sequence() == after)
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try items(daemon).map { $0["title"] } == ["Mine"])
    }

    @Test func `a dry run predicts that an import exceeds the limit of pending reminders, and nothing is imported`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Call Anna", "--remind", "2999-01-01 9:00").end == .exit(0))
        let alarm = "BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT1H\r\nEND:VALARM\r\n"
        func file(_ count: Int) throws -> String {
            let todos = (1...count).map { number in
                "BEGIN:VTODO\r\nUID:u\(number)\r\nSUMMARY:Todo \(number)\r\nDUE:29991224T100000\r\n\(alarm)END:VTODO\r\n"
            }
            return try daemon.directory.write("BEGIN:VCALENDAR\r\n\(todos.joined())END:VCALENDAR\r\n", to: "tasks.ics")
        }
        let (path, before) = (try file(32_768), try daemon.connect().sequence())
        for dryRun in [["--dry-run"], []] {
            let told = try Command.run(
                [Products.todoctl, "import", path] + dryRun, environment: ["TODOD_SOCKET": daemon.socket], seconds: 300)
            #expect(told.end == .exit(1) && told.lines.isEmpty == dryRun.isEmpty, "\(told)")
            #expect(
                told.error.hasPrefix(
                    "todoctl: Nothing was imported. \(path) brings 32,768 reminders, and there is room for 32,767: "
                        + "32,768 may wait at once, and 1 does."), "\(told)")
        }
        #expect(try daemon.connect().sequence() == before)
        #expect(try daemon.todoctl("remove", "1").end == .exit(0))
        let tried = try Command.run(
            [Products.todoctl, "import", path, "--dry-run"], environment: ["TODOD_SOCKET": daemon.socket], seconds: 300)
        #expect(tried.end == .exit(0), "\(tried)")
    }

    @Test func `changed todos are updated, and unknown attributes are written back`() throws {
        let daemon = try Daemon.started()
        func imported(_ text: String, _ format: String) throws -> Command.Outcome {
            try daemon.todoctl("import", "--format", format, "-", "--json", input: Array(text.utf8))
        }
        let first = try imported("Go\n(A) Pay the rent due:2026-12-01 rec:1m\n", "todotxt")
        #expect(first.text.hasPrefix(#"{"added":2,"changed":0,"unchanged":0,"leftOut":0,"step":"#), "\(first)")
        #expect(try daemon.todoctl("edit", "2", "--note", "by hand").end == .exit(0))
        let second = try imported("Go\nx 2026-11-02 2026-11-01 Pay the rent due:2026-12-02 rec:1m\n", "todotxt")
        #expect(second.text.hasPrefix(#"{"added":0,"changed":1,"unchanged":1,"#), "\(second)")
        let todo = try #require(try items(daemon).first { $0["title"] == "Pay the rent" })
        #expect(todo["note"] == "by hand" && todo["due"] == "2026-12-02" && todo["priority"] == nil)
        #expect(todo["completed"] == 1_793_577_600_000_000)
        let exported = try daemon.todoctl("export", "--format", "todotxt", "rent")
        #expect(exported.lines.count == 1 && exported.text.contains("Pay the rent due:2026-12-02 rec:1m"), "\(exported)")
        let damaged = try imported("BEGIN:VCALENDAR\nBEGIN:VTODO\nDUE:soon\nEND:VTODO\nEND:VCALENDAR\n", "ics")
        #expect(damaged.end == .exit(65) && damaged.error.contains("Line 3: DUE is not a date"), "\(damaged)")
        #expect(try daemon.todoctl("import", "--format", "foo", "-").end == .exit(64))
    }

    @Test func `an import names its changes and leaves fields alone that its file does not contain`() throws {
        let daemon = try Daemon.started()
        func imported(_ task: String) throws -> Command.Outcome {
            try daemon.todoctl("import", "--format", "taskwarrior", "-", input: Array("[{\"uuid\":\"a\",\(task)}]".utf8))
        }
        let pay = #""description":"Pay the rent","due":"20991201T080000Z""#
        #expect(try imported(pay + #","priority":"H""#).lines.first == "Imported standard input: 1 added.")
        #expect(try daemon.todoctl("edit", "1", "--note", "by hand", "--tag", "home").end == .exit(0))
        #expect(try daemon.todoctl("done", "1").end == .exit(0))
        #expect(try imported(pay + #","priority":"H""#).text == "Imported standard input: 1 unchanged.\n")
        let changed = try imported(pay)
        #expect(
            changed.lines.prefix(2) == [
                "Imported standard input: 1 changed.", "  ~ 1: priority high → none, other details from its file",
            ], "\(changed)")
        let todo = try #require(try items(daemon).first)
        #expect(todo["note"] == "by hand" && todo["tags"] == ["home"] && todo["completed"] != nil && todo["priority"] == nil)
    }

    @Test func `an import with a dependency cycle changes nothing, and one that reverses dependencies is complete`() throws {
        let daemon = try Daemon.started()
        func imported(_ text: String) throws -> Command.Outcome {
            try daemon.todoctl("import", "--format", "taskwarrior", "-", input: Array(text.utf8))
        }
        let ring = """
            [{"uuid":"a","description":"Paint","depends":["c"]},
            {"uuid":"b","description":"Buy","depends":["a"]},
            {"uuid":"c","description":"Measure","depends":["b"]}]
            """
        let before = try daemon.connect().sequence()
        let tried = try daemon.todoctl("import", "--format", "taskwarrior", "-", "--dry-run", input: Array(ring.utf8))
        for outcome in [tried, try imported(ring)] {
            #expect(outcome.end == .exit(1), "\(outcome)")
            #expect(outcome.error.contains("wait for each other: line 1 after line 3 after line 2 after line 1."), "\(outcome)")
        }
        #expect(try daemon.connect().sequence() == before && items(daemon).isEmpty)
        let there = #"[{"uuid":"a","description":"Paint","depends":["b"]},{"uuid":"b","description":"Buy"}]"#
        let back = #"[{"uuid":"b","description":"Buy","depends":["a"]},{"uuid":"a","description":"Paint"}]"#
        #expect(try imported(there).end == .exit(0))
        #expect(try imported(back).end == .exit(0))
        let list = try items(daemon)
        let paint = try #require(list.first { $0["title"] == "Paint" })
        let buy = try #require(list.first { $0["title"] == "Buy" })
        let id = try #require(paint["id"])
        #expect(paint["after"]?.list?.isEmpty != false && buy["after"]?.list == [id], "\(list)")
    }

    @Test func `dependencies use the names in the file`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("Mine")])
        let text = #"[{"uuid":"a","description":"One","depends":["b"]},{"uuid":"b","description":"Two"}]"#
        try daemon.directory.write(text, to: "tasks.json")
        let file = daemon.directory.path + "/tasks.json"
        #expect(try daemon.todoctl("import", file).end == .exit(0))
        let list = try items(daemon)
        let second = try #require(list[1]["id"])
        #expect(list[0]["title"] == "One" && list[0]["after"]?.list == [second])
        #expect(try daemon.todoctl("import", file).lines == ["Imported \(file): 2 unchanged."])
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try items(daemon).count == 1)
    }

    @Test(arguments: ["taskwarrior", "todotxt", "ics", "markdown", "csv", "json"])
    func `exported todos are unchanged when imported, and no file is overwritten without a request`(format: String) throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk"), Actions.add("Take my dog"), Actions.complete(2)])
        let file = daemon.directory.path + "/todos.out"
        #expect(try daemon.todoctl("export", "--format", format, file).end == .exit(0))
        let refused = try daemon.todoctl("export", "--format", format, file)
        #expect(refused.end == .exit(1) && refused.error.contains("--force"), "\(refused)")
        #expect(try daemon.todoctl("export", "--format", format, "--force", file).end == .exit(0))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(try daemon.todoctl("export", "--format", format).text == text)
        #expect(text.contains("Buy the milk") && text.contains("Take my dog"))
        #expect(try !daemon.todoctl("export", "--format", format, "is:open", "-").text.contains("Take my dog"))
        let sequence = try client.sequence()
        #expect(try daemon.todoctl("import", "--format", format, file).text.contains(": 2 unchanged."))
        #expect(try client.sequence() == sequence)
    }

    @Test func `the format follows the file extension, and a history is distinguished from todos`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        try daemon.connect().dispatch([Actions.add("Buy the milk")])
        #expect(try daemon.todoctl("export", "md").lines == ["- [ ] Buy the milk"])
        #expect(try daemon.todoctl("export", "--format", "txt").text.contains("Buy the milk"))
        let history = try daemon.todoctl("export")
        #expect(history.lines.first?.hasPrefix("{\"todod\":\"export\"") == true)
        let list = Array("- [ ] Take my dog\n".utf8)
        let refused = try daemon.todoctl("import", "-", input: list)
        #expect(refused.end == .exit(65), "\(refused)")
        #expect(
            refused.error
                == "todoctl: Nothing was imported. If it contains todos, name their format: todoctl import --format markdown -\n")
        #expect(try daemon.todoctl("import", "--format", "md", "-", input: list).end == .exit(0))
        let first = try #require(history.lines.first)
        let other = try Daemon.started(environment: Daemon.ownLog)
        let damaged = try other.todoctl("import", "-", input: Array("\(first)\nnothing\n".utf8))
        #expect(damaged.error == "todoctl: Nothing was imported. Export the history again from its daemon.\n", "\(damaged)")
    }

    @Test func `an export to standard output can't be followed`() throws {
        let daemon = try Daemon.started()
        let refused = try daemon.todoctl("export", "csv", "--follow", "-")
        #expect(refused.end == .exit(64) && refused.output.isEmpty, "\(refused)")
        #expect(
            refused.error.contains(
                "--follow needs a file, not standard output. To write to standard output once: todoctl export csv -"))
    }

    @Test(arguments: [false, true]) func `a followed export is written after each change, across a restart`(crash: Bool) throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("Buy the milk")])
        let file = daemon.directory.path + "/todos.ics"
        let follower = try LiveProgram(
            [Products.todoctl, "export", "ics", "--follow", file],
            environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket], withErrors: true)
        func expectWritten(_ told: String, _ titles: [String]) throws {
            #expect(try follower.lines(through: told).last?.hasSuffix(told) == true)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let found = text.split(separator: "\r\n").filter { $0.hasPrefix("SUMMARY:") }.map { String($0.dropFirst(8)) }
            #expect(found == titles)
        }
        try expectWritten("1 todo as of record 1", ["Buy the milk"])
        try daemon.connect().dispatch([Actions.add("Take my dog")])
        try expectWritten("2 todos as of record 2", ["Take my dog", "Buy the milk"])
        if crash { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
        try daemon.start()
        try daemon.connect().dispatch([Actions.add("Water the plants")])
        try expectWritten("3 todos as of record 3", ["Water the plants", "Take my dog", "Buy the milk"])
        let names = try FileManager.default.contentsOfDirectory(atPath: daemon.directory.path)
        #expect(!names.contains { $0.hasSuffix(".new") })
    }

    @Test func `a followed file keeps its mode and its symbolic link, and is written once its directory is back`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("Buy the milk")])
        let (files, place) = (FileManager.default, daemon.directory.path)
        try files.createDirectory(atPath: place + "/shared", withIntermediateDirectories: false)
        try "".write(toFile: place + "/shared/todos.ics", atomically: false, encoding: .utf8)
        try #require(chmod(place + "/shared/todos.ics", 0o644) == 0)
        try files.createSymbolicLink(atPath: place + "/todos.ics", withDestinationPath: place + "/shared/todos.ics")
        let follower = try LiveProgram(
            [Products.todoctl, "export", "ics", "--follow", place + "/todos.ics"],
            environment: ["HOME": place, "TODOD_SOCKET": daemon.socket], withErrors: true)
        #expect(try follower.lines(through: "1 todo as of record 1").last?.hasSuffix("1 todo as of record 1") == true)
        func rights() throws -> Any? { try files.attributesOfItem(atPath: place + "/shared/todos.ics")[.posixPermissions] }
        #expect(try rights() as? Int == 0o644)
        #expect(try files.destinationOfSymbolicLink(atPath: place + "/todos.ics") == place + "/shared/todos.ics")
        try files.moveItem(atPath: place + "/shared", toPath: place + "/away")
        try daemon.connect().dispatch([Actions.add("Take my dog")])
        #expect(try follower.lines(through: "when that is possible again.").last?.contains("No such file") == true)
        try files.moveItem(atPath: place + "/away", toPath: place + "/shared")
        #expect(try follower.lines(through: "2 todos as of record 2").last?.hasSuffix("2 todos as of record 2") == true)
        #expect(try String(contentsOfFile: place + "/shared/todos.ics", encoding: .utf8).contains("Take my dog"))
        #expect(try rights() as? Int == 0o644)
    }

    @Test func `the name of a format is not a file, and the numbers of written and lost values are reported`() throws {
        let daemon = try Daemon.started()
        let added = try daemon.todoctl("add", "Water the plants", "--every", "3 days after done")
        #expect(added.end == .exit(0), "\(added)")
        let shown = try daemon.todoctl("export", "ics")
        #expect(shown.text.hasPrefix("BEGIN:VCALENDAR") && shown.text.contains("SUMMARY:Water the plants"), "\(shown)")
        #expect(shown.error == "1 todo recurs in a way that ics can't say.\n", "\(shown)")
        #expect(try daemon.todoctl("add", "Fill the can", "--note", "with rain").end == .exit(0))
        #expect(try daemon.todoctl("edit", "1", "--after", "2").end == .exit(0))
        let plants = try daemon.todoctl("export", "todotxt", "plants")
        #expect(plants.error == "1 todo comes after others, which todotxt can't say.\n")
        #expect(
            try daemon.todoctl("export", "markdown").error
                == """
                1 todo recurs in a way that markdown can't say.
                1 todo has a note, which markdown can't say.
                1 todo is due at a time, which markdown can't say.
                1 todo comes after others, which markdown can't say.

                """)
        let file = daemon.directory.path + "/out.csv"
        #expect(try daemon.todoctl("export", "csv", "plants", file).lines == ["Wrote 1 todo to \(file)."])
        #expect(try daemon.todoctl("import", file).lines == ["Imported \(file): 1 unchanged."])
        let refused = try daemon.todoctl("export", "ics", "--from", "1")
        #expect(refused.end == .exit(64) && refused.error.contains("choose another file name, such as ./ics"), "\(refused)")
    }

    @Test func `importing the native JSON list removes nothing`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk"), Actions.add("Take my dog")])
        let edited = try daemon.todoctl(
            "edit", "1", "--after", "2", "--due", "2099-12-01", "--every", "monday", "--remind", "1h before")
        #expect(edited.end == .exit(0), "\(edited)")
        let (before, sequence) = (try items(daemon), try client.sequence())
        for (filter, count) in [("is:open", 2), ("milk", 1)] {
            let list = try daemon.todoctl("list", "--json", filter)
            let imported = try daemon.todoctl("import", "--format", "json", "-", input: list.output)
            #expect(imported.text.hasSuffix(": \(count) unchanged.\n"), "\(imported)")
        }
        #expect(try items(daemon) == before)
        #expect(try client.sequence() == sequence)
    }
}
