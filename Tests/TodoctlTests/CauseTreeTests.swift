import Chronicle
import Dates
import TestSupport
import Testing
import TodoAPI

@testable import todoctl

@Suite struct CauseTreeTests {
    private func record(_ sequence: UInt64, cause: CommandID? = nil, commands: [CommandMessage] = []) -> RecordMessage {
        RecordMessage(
            sequence: sequence, time: 0, kind: "action", origin: 7, step: 1, cause: cause, build: 1,
            action: .record([.init("todos", .record([.init("step\(sequence)", [:])]))]), commands: commands)
    }

    private func command(_ sequence: UInt64, _ index: Int, _ name: String, _ arguments: Value = [:]) -> CommandMessage {
        CommandMessage(
            id: CommandID(sequence: sequence, index: index), name: name, version: 1, presentational: false, arguments: arguments)
    }

    private func lines(
        of sequence: UInt64, roots: [UInt64], _ records: [RecordMessage], fates: [CommandFateMessage] = [], cut: Bool = false,
        archive: String? = nil
    ) -> [String] {
        let answer = WhyMethod.Output(
            sequence: sequence, roots: roots, records: records, fates: fates, cut: cut, archive: archive)
        return CauseTree(answer, RecordLines(zone: Zone { _ in 0 })).lines
    }

    @Test func `records are below the commands that caused them`() {
        let load = CommandID(sequence: 1, index: 0), show = CommandID(sequence: 1, index: 1),
            again = CommandID(sequence: 3, index: 0)
        let records = [
            record(1, commands: [command(1, 0, "todos.load", ["page": 2]), command(1, 1, "alerts.show")]), record(2),
            record(3, cause: load, commands: [command(3, 0, "todos.again")]), record(4, cause: load), record(5, cause: again),
        ]
        let fates = [
            CommandFateMessage(id: load, fate: "ended"), CommandFateMessage(id: show, fate: "shown"),
            CommandFateMessage(id: again, fate: "open", stage: "parked", attempts: 2, reason: "no\u{1B}net", held: false),
        ]
        let date = "1970-01-01 00:00:00  uid 7"
        #expect(
            lines(of: 3, roots: [1, 2], records, fates: fates, cut: true) == [
                "1  \(date)  todos.step1",
                "├─ asked for todos.load page 2 (1.0): ended",
                "│  ├─ 3  \(date)  todos.step3  ←",
                "│  │  └─ asked for todos.again (3.0): parked, 2 attempts: no\\u{1b}net",
                "│  │     └─ 5  \(date)  todos.step5",
                "│  └─ 4  \(date)  todos.step4",
                "└─ asked for alerts.show (1.1): shown to the client",
                "2  \(date)  todos.step2",
                "… and more",
            ])
    }

    @Test func `unknown values of a newer daemon are shown unchanged`() {
        let records = [record(1, commands: [command(1, 0, "x")])]
        let fate = CommandFateMessage(id: CommandID(sequence: 1, index: 0), fate: "postponed")
        #expect(lines(of: 1, roots: [1], records, fates: [fate]).last == "└─ asked for x (1.0): postponed")
        #expect(lines(of: 1, roots: [1], records).last?.hasSuffix("unknown") == true)
    }

    @Test func `the tree of a compacted log says that earlier records are in its archive`() {
        let end = record(9, cause: CommandID(sequence: 4, index: 0))
        #expect(
            lines(of: 9, roots: [9], [end], archive: "archive-1-5.jsonl.zst") == [
                "4  is in archive-1-5.jsonl.zst, or in an earlier archive",
                "└─ 9  1970-01-01 00:00:00  uid 7  todos.step9  ←",
            ])
    }

    @Test func `a run of typing is one line, with its changes below`() {
        let table = RecordLines(zone: Zone { _ in 0 })
        let change = Change(path: "todos", kind: .set, old: ["draft": ""], new: ["draft": "Buy"])
        #expect(
            table.lines(record(9), LogDetailMessage(first: 7, changes: [change])) == [
                "7–9  1970-01-01 00:00:00  uid 7  todos.step9  (3 records)", "      todos.draft: \"\" → Buy",
            ])
        #expect(table.lines(record(9), LogDetailMessage(first: 9)) == ["9  1970-01-01 00:00:00  uid 7  todos.step9"])
        #expect(table.lines(record(9), nil) == ["9  1970-01-01 00:00:00  uid 7  todos.step9"])
        var bookmark = RecordMessage(
            sequence: 3, time: 0, kind: "bookmark", origin: 7, step: 3, build: 1, bookmark: "before", commands: [])
        #expect(RecordLines.what(bookmark) == "bookmark before removed")
        (bookmark.bookmark, bookmark.at) = ("before the move\n", 12)
        #expect(RecordLines.what(bookmark) == "bookmark before the move\\n at 12")
    }
}
