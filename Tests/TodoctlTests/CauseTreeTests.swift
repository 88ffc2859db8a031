import Testing
import Varlink

@testable import todoctl

@Suite struct CauseTreeTests {
    private func record(_ sequence: Int64, cause: JSON? = nil, commands: JSON = []) -> JSON {
        var members: [JSON.Member] = [
            .init(name: "sequence", value: .int(sequence)), .init(name: "time", value: 0), .init(name: "origin", value: 7),
            .init(name: "action", value: ["todos": ["step\(sequence)": [:]]]), .init(name: "commands", value: commands),
        ]
        if let cause { members.append(.init(name: "cause", value: cause)) }
        return .object(members)
    }

    private func lines(_ answer: JSON) -> [String] {
        CauseTree(answer.object ?? [], RecordLines(zone: Zone { _ in 0 })).lines
    }

    @Test func `records hang below the commands that brought them about`() {
        let load: JSON = ["id": ["sequence": 1, "index": 0], "name": "todos.load", "arguments": ["page": 2]]
        let more: JSON = ["id": ["sequence": 1, "index": 1], "name": "alerts.show", "arguments": [:]]
        let again: JSON = ["id": ["sequence": 3, "index": 0], "name": "todos.again", "arguments": [:]]
        let answer: JSON = [
            "sequence": 3, "roots": [1, 2], "cut": true,
            "records": [
                record(1, commands: [load, more]), record(2),
                record(3, cause: ["sequence": 1, "index": 0], commands: [again]), record(4, cause: ["sequence": 1, "index": 0]),
                record(5, cause: ["sequence": 3, "index": 0]),
            ],
            "fates": [
                ["id": ["sequence": 1, "index": 0], "fate": "ended"], ["id": ["sequence": 1, "index": 1], "fate": "shown"],
                [
                    "id": ["sequence": 3, "index": 0], "fate": "open", "stage": "parked", "attempts": 2, "reason": "no\u{1B}net",
                    "held": false,
                ],
            ],
        ]
        let date = "1970-01-01 00:00:00  uid 7"
        #expect(
            lines(answer) == [
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

    @Test func `what a newer daemon says is shown as it is`() {
        let command: JSON = ["id": ["sequence": 1, "index": 0], "name": "x", "arguments": [:]]
        let answer: JSON = [
            "sequence": 1, "roots": [1], "records": [record(1, commands: [command])],
            "fates": [["id": ["sequence": 1, "index": 0], "fate": "postponed"]],
        ]
        #expect(lines(answer).last == "└─ asked for x (1.0): postponed")
        #expect(
            lines(["sequence": 1, "roots": [1], "records": [record(1, commands: [command])]]).last?.hasSuffix("unknown") == true)
        #expect(lines([:]).isEmpty)
    }

    @Test func `what came before a compacted log is said to be in its archive`() {
        let end = record(9, cause: ["sequence": 4, "index": 0])
        #expect(
            lines(["sequence": 9, "roots": [9], "records": [end], "archive": "archive-1-5.jsonl.zst"]) == [
                "4  is in archive-1-5.jsonl.zst, or in an archive before it",
                "└─ 9  1970-01-01 00:00:00  uid 7  todos.step9  ←",
            ])
    }

    @Test func `a run of typing is one line, with what it changed below`() {
        let table = RecordLines(zone: Zone { _ in 0 })
        let change: JSON = ["path": "todos", "kind": "set", "old": ["draft": ""], "new": ["draft": "Buy"]]
        #expect(
            table.lines(record(9), ["first": 7, "changes": [change]]) == [
                "7–9  1970-01-01 00:00:00  uid 7  todos.step9  (3 records)", "      todos.draft: \"\" → Buy",
            ])
        #expect(table.lines(record(9), ["first": 9]) == ["9  1970-01-01 00:00:00  uid 7  todos.step9"])
        #expect(RecordLines.path(record(9)) == ["todos", "step9"])
        #expect(RecordLines.path(["kind": "bookmark"]).isEmpty)
        #expect(RecordLines.what(["kind": "bookmark", "bookmark": "before"]) == "bookmark before removed")
        #expect(
            RecordLines.what(["kind": "bookmark", "bookmark": "before the move\n", "at": 12])
                == "bookmark before the move\\n at 12")
    }
}
