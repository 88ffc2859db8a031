import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// A program of the user that records its arguments.
struct ReminderScript {
    let path: String
    private let output: String

    init(_ daemon: Daemon) throws {
        output = daemon.directory.path + "/reminded"
        let line = #"printf '%s|%s|%s|%s\n' "$TODO_ID" "$TODO_TITLE" "$TODO_DUE" "$TODO_REMINDER""#
        path = try daemon.directory.writeProgram("#!/bin/sh\n\(line) >> '\(output)'\n", to: "remind")
    }

    /// The arguments of each call: id, title, due, and the name of the reminder.
    func calls() -> [[String]] {
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        }
    }
}

@Suite(.ownThreads) struct ReminderTests {
    private func reminded(_ state: Value) -> Bool {
        let items = state["todos"]?["items"]?.list ?? []
        return !items.isEmpty && items.allSatisfy { $0["reminded"] != nil }
    }

    /// Adds a todo with a past reminder, as a client without a clock may do.
    private func addOverdue(_ daemon: Daemon, due: String = "") throws {
        var item: [Value.Field] = [.init("title", "Call Anna"), .init("remind", "2020-01-01T09:00")]
        if !due.isEmpty { item.append(.init("due", .text(due))) }
        try daemon.connect().dispatch([["todos": ["add": ["items": [.record(item)]]]]])
    }

    @Test func `a program gets the todo at its time, and the log records it`() throws {
        let daemon = try Daemon()
        let script = try ReminderScript(daemon)
        daemon.environment["TODOD_REMIND_PROGRAM"] = script.path
        try daemon.start()
        try addOverdue(daemon, due: "2020-01-01T10:00")
        try daemon.state("todos.items", until: reminded)
        let calls = script.calls()
        #expect(calls.map { Array($0.prefix(3)) } == [["1", "Call Anna", "2020-01-01T10:00"]])
        #expect(calls.first?.last?.isEmpty == false)
        #expect(try daemon.todoctl("show", "1").text.contains("(it was)"))
        try daemon.crash()
        #expect(try daemon.commands().isEmpty && script.calls().count == 1)
    }

    @Test func `a pending reminder is cancelled with its todo and restored by an undo`() throws {
        let daemon = try Daemon()
        let script = try ReminderScript(daemon)
        daemon.environment["TODOD_REMIND_PROGRAM"] = script.path
        try daemon.start()
        func open() throws -> [Value?] { try daemon.commands().map { $0["name"] } }
        #expect(try daemon.todoctl("add", "Call Anna", "--remind", "2999-01-01 9:00").end == .exit(0))
        #expect(try open() == ["todos.remind"])
        for verb in ["done", "remove"] {
            #expect(try daemon.todoctl(verb, "1").end == .exit(0))
            #expect(try open() == [])
            #expect(try daemon.todoctl("undo").end == .exit(0))
            #expect(try open() == ["todos.remind"], "\(verb)")
        }
        #expect(try daemon.todoctl("edit", "1", "--remind", "none").end == .exit(0))
        #expect(try open() == [] && script.calls().isEmpty)
        let refused = try daemon.todoctl("edit", "1", "--remind", "1h before")
        #expect(refused.end == .exit(64) && refused.error.contains("--due"), "\(refused)")
    }

    @Test func `going back to a moment before a reminder does not deliver it again`() throws {
        let daemon = try Daemon()
        let script = try ReminderScript(daemon)
        daemon.environment["TODOD_REMIND_PROGRAM"] = script.path
        try daemon.start()
        try addOverdue(daemon, due: "2020-01-01T10:00")
        try daemon.state("todos.items", until: reminded)
        #expect(try daemon.todoctl("edit", "1", "--title", "Call Ann").end == .exit(0))
        let back = try daemon.todoctl("revert", "--to", "1", "--yes")
        #expect(back.end == .exit(0), "\(back)")
        #expect(try daemon.todoctl("show", "1").text.contains("(it was)"))
        #expect(try daemon.commands().isEmpty && script.calls().count == 1)
        #expect(try daemon.connect().state("todos.items").titles == ["Call Anna"])
    }

    @Test func `the delivery of a reminder does not prevent undoing its todo, in a dry run or for real`() throws {
        let daemon = try Daemon()
        daemon.environment["TODOD_REMIND_PROGRAM"] = try ReminderScript(daemon).path
        try daemon.start()
        try addOverdue(daemon)
        try daemon.state("todos.items", until: reminded)
        #expect(try daemon.todoctl("edit", "1", "--title", "Call Ann").end == .exit(0))
        func undo(_ more: String) throws -> [String] { try daemon.todoctl("undo", "--path", "todos.items[1]", more).lines }
        #expect(try undo("--any").first == "Undone there: edit 1 (1: Call Ann → Call Anna)")
        #expect(try undo("--dry-run") == ["Would undo there: add Call Anna (Call Anna is gone)"])
        #expect(try undo("--any") == ["Undone there: add Call Anna (Call Anna is gone)"])
        #expect(try daemon.connect().state("todos.items").titles.isEmpty)
    }

    @Test func `a reminder is relative to the date of the todo and must be in the future`() throws {
        let daemon = try Daemon.started()
        let added = try daemon.todoctl("add", "Meet", "Anna", "2999-12-25", "14:30", "--remind", "1h", "before")
        #expect(
            added.lines == ["Added 1: Meet Anna (due Wednesday 25 December 2999 14:30, remind Wednesday 25 December 2999 13:30)"],
            "\(added)")
        #expect(try daemon.todoctl("add", "Call Bert", "-d", "2999-12-24").end == .exit(0))
        let edited = try daemon.todoctl("edit", "1", "2", "-r", "2", "days", "before")
        #expect(
            edited.lines == [
                "1: remind Wed 25 Dec 2999 13:30 → Mon 23 Dec 2999 14:30", "2: remind never → Sun 22 Dec 2999 09:00",
            ], "\(edited)")
        #expect(try daemon.todoctl("edit", "2", "-d", "2999-12-30").end == .exit(0))
        let shown = try daemon.todoctl("show", "2")
        #expect(shown.lines.contains("  remind     Saturday 28 December 2999 09:00 (moves with the due)"), "\(shown)")
        #expect(try daemon.todoctl("edit", "2", "-d", "2999-12-24").end == .exit(0))
        #expect(try daemon.todoctl("edit", "2", "--no-remind").lines == ["2: remind Sun 22 Dec 2999 09:00 → never"])
        let past = try daemon.todoctl("add", "Call Carl", "--remind", "2020-01-01")
        #expect(past.end == .exit(64), "\(past)")
        #expect(past.error.hasPrefix("todoctl: That is past: Wednesday 1 January 2020 09:00. Say when to remind"), "\(past)")
        let late = try daemon.todoctl("edit", "1", "-d", "2020-01-01", "-r", "1h before")
        #expect(late.end == .exit(64) && late.error.hasPrefix("todoctl: That is past: Tuesday 31 December 2019"), "\(late)")
        let waiting = try daemon.todoctl("add", "Call Carl", "-w", "2020-01-01")
        #expect(waiting.end == .exit(64) && waiting.error.contains("That is past: Wednesday 1 January 2020."), "\(waiting)")
        #expect(try daemon.connect().state("todos.items").titles.count == 2)
    }

    @Test func `a reminder that moves with the due date is reported, and reported once by an undo of several edits`() throws {
        let daemon = try Daemon()
        let script = try ReminderScript(daemon)
        daemon.environment["TODOD_REMIND_PROGRAM"] = script.path
        try daemon.start()
        #expect(try daemon.todoctl("add", "Meet Anna", "-d", "2999-12-25 14:30", "-r", "1h before").end == .exit(0))
        let none = "1: due Wed 25 Dec 2999 14:30 → none, remind Wed 25 Dec 2999 13:30 → never"
        #expect(try daemon.todoctl("edit", "1", "--due", "none", "--dry-run").lines == ["1 todo would be changed:", none])
        #expect(try daemon.todoctl("edit", "1", "--due", "none").lines == [none])
        #expect(try daemon.todoctl("undo").end == .exit(0))
        for day in ["26", "27"] { #expect(try daemon.todoctl("edit", "1", "-d", "2999-12-\(day) 10:00").end == .exit(0)) }
        let undone = [
            "Would undo: edit 1; edit 1 (Meet Anna: due Fri 27 Dec 2999 10:00 → Wed 25 Dec 2999 14:30, "
                + "remind Fri 27 Dec 2999 09:00 → Wed 25 Dec 2999 13:30)",
            "would remind you of Meet Anna on Wed 25 Dec 2999 13:30",
        ]
        #expect(try daemon.todoctl("undo", "--count", "2", "--dry-run").lines == undone)
        let told = try daemon.todoctl("undo", "--count", "2").lines
        #expect(told.count == 2 && told.last == "will remind you of Meet Anna on Wed 25 Dec 2999 13:30", "\(told)")
        let past = try daemon.todoctl("edit", "1", "-d", "2020-01-01 10:00")
        #expect(
            past.lines == [
                "1: due Wed 25 Dec 2999 14:30 → Wed 1 Jan 2020 10:00, "
                    + "remind Wed 25 Dec 2999 13:30 → Wed 1 Jan 2020 09:00 (past: given at once)"
            ], "\(past)")
        try daemon.state("todos.items", until: reminded)
        #expect(script.calls().map { Array($0.prefix(2)) } == [["1", "Meet Anna"]])
    }

    @Test func `reminders of the far future do not prevent redactions and imports`() throws {
        let daemon = try Daemon.started()
        for year in ["2037", "2400", "9999"] {
            #expect(try daemon.todoctl("add", "Mister Miller \(year)", "--remind", "\(year)-01-01 9:00").end == .exit(0))
        }
        let redacted = try daemon.todoctl("redact", "--text", "Miller", "--yes")
        #expect(redacted.end == .exit(0), "\(redacted)")
        #expect(try !"\(daemon.connect().state("todos"))".contains("Miller"))
        let file = daemon.directory.path + "/exported"
        #expect(try daemon.todoctl("export", file).end == .exit(0))
        let other = try Daemon.started(environment: Daemon.ownLog)
        let imported = try other.todoctl("import", file)
        #expect(imported.end == .exit(0), "\(imported)")
        #expect(try other.connect().state("todos") == daemon.connect().state("todos"))
    }

    @Test func `a program inherits no connection and no file of the daemon`() throws {
        let daemon = try Daemon()
        let list = daemon.directory.path + "/open"
        let path = try daemon.directory.writeProgram("#!/bin/sh\nls -l /proc/$$/fd > '\(list)'\n", to: "remind")
        daemon.environment["TODOD_REMIND_PROGRAM"] = path
        try daemon.start()
        let client = try daemon.connect()
        _ = try client.state("todos")
        try addOverdue(daemon)
        try daemon.state("todos.items", until: reminded)
        let open = try String(contentsOfFile: list, encoding: .utf8)
        #expect(!open.isEmpty && !open.contains("socket:") && !open.contains("eventpoll") && !open.contains(".mdb"), "\(open)")
    }

    @Test func `a missing program becomes an alert`() throws {
        let daemon = try Daemon.started(environment: ["TODOD_REMIND_PROGRAM": "/nowhere/remind"])
        try addOverdue(daemon)
        try daemon.state("todos.items", until: reminded)
        let alerts = try daemon.todoctl("alerts")
        #expect(alerts.text.contains("/nowhere/remind can't be run"), "\(alerts)")
    }
}
