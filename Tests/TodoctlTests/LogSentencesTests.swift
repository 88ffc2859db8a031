import Chronicle
import Dates
import Testing
import TodoAPI

@testable import todoctl

@Suite struct LogSentencesTests {
    private static let plain = Paint(isTerminal: false) { _ in nil }
    private static let noon: Int64 = 43_200_000_000

    private func record(
        _ sequence: UInt64, _ action: Value?, kind: String = "action", step: UInt64? = nil, cause: UInt64? = nil,
        origin: UInt32 = 7, minutes: Int64 = 0, outcome: String? = nil, undoes: UInt64? = nil
    ) -> RecordMessage {
        RecordMessage(
            sequence: sequence, time: Self.noon + minutes * 60_000_000, kind: kind, origin: origin, step: step ?? sequence,
            cause: cause.map { CommandID(sequence: $0, index: 0) }, outcome: outcome, undoes: undoes, build: 1, action: action,
            commands: [])
    }

    private func sentence(_ action: Value?, _ changes: [Change] = [], undoes: UInt64? = nil) -> String {
        RecordSentence(record(9, action, undoes: undoes), changes).text
    }

    private func todo(_ id: Int64, _ title: String, due: String? = nil) -> Value {
        var fields: [Value.Field] = [.init("id", .int(id)), .init("title", .text(title))]
        if let due { fields.append(.init("due", .text(due))) }
        return .record(fields)
    }

    private func lines(
        _ records: [RecordMessage], undone: Set<UInt64> = [], paint: Paint = LogSentencesTests.plain
    ) -> [String] {
        var log = LogSentences(zone: Zone { _ in 0 }, paint: paint, uid: 7)
        log.undone = undone
        return log.lines(records.map { LogSentences.Entry($0, nil) })
    }

    @Test func `a change of a todo is described with its title, from the action or from its changes`() {
        let gone = Change(path: "todos.items", kind: .remove, id: 6, at: 0, old: todo(6, "Send the\u{1B} invoice"))
        #expect(sentence(TodoAction.remove(6), [gone]) == "removed 6: Send the\\u{1b} invoice")
        #expect(sentence(TodoAction.remove(6)) == "removed 6")
        #expect(sentence(TodoAction.remove(5), [gone]) == "removed 5")
        let added = FeatureAction.make("todos", "add", ["items": [todo(6, "Milk")]])
        #expect(sentence(added) == "added 6: Milk")
        let many = FeatureAction.make("todos", "loaded", ["items": .list((1...1_003).map { todo($0, "N\($0)") })])
        #expect(sentence(many) == "loaded 1,003 todos: N1, N2, N3 and 1,000 more")
        let back = FeatureAction.make("todos", "putBack", ["items": [["todo": todo(6, "Milk"), "index": 0]]])
        #expect(sentence(["add": ["amount": -2]]) == "add amount -2")
        #expect(sentence(back, undoes: 3) == "put back 6: Milk (undoes record 3)")
        let cleared = FeatureAction.make("todos", "clearCompleted", ["ids": [6]])
        #expect(sentence(cleared, [gone]) == "cleared 6: Send the\\u{1b} invoice")
        #expect(sentence(cleared) == "cleared 1 todo")
        #expect(sentence(TodoAction.updateText("Buy")) == "typed: Buy")
        #expect(sentence(TodoAction.updateText("")) == "emptied the draft")
    }

    @Test func `imported todos are described as imported, with the kind of file`() {
        func imported(_ id: Int64, _ source: String) -> Value {
            ["id": .int(id), "title": .text("N\(id)"), "origin": ["source": .text(source)]]
        }
        func added(_ items: Value...) -> Value { FeatureAction.make("todos", "add", ["items": .list(items)]) }
        #expect(sentence(added(imported(6, "ics:a@b"))) == "imported 6: N6 (from ics)")
        #expect(sentence(added(imported(6, "csv:1"), imported(7, "csv:2"))) == "imported 2 todos: N6, N7 (from csv)")
        #expect(sentence(added(imported(6, "csv:1"), todo(7, "Milk"))) == "added 2 todos: N6, Milk")
        #expect(sentence(added(imported(6, "elsewhere:1"))) == "added 6: N6")
        #expect(ActionSummary(added(imported(6, "csv:1"), imported(7, "csv:2"))).text == "import 2 todos")
    }

    @Test func `a change of a view is described with its name`() {
        let view: Value = ["id": 3, "name": "work", "filter": "+work"]
        let gone = Change(path: "views.items", kind: .remove, id: 3, at: 0, old: view)
        #expect(sentence(SavedView.saving("work", "+work", sort: .due)) == "saved the view work: +work")
        #expect(sentence(SavedView.removing(3), [gone]) == "removed the view work")
        #expect(sentence(SavedView.removing(3)) == "removed the view 3")
        #expect(ActionSummary(SavedView.saving("work", "+work", sort: nil)).text == "view save work")
        #expect(ActionSummary(SavedView.removing(3)).text == "view remove 3")
        #expect(ChangeSentence.of(gone, isUndo: true, paint: Self.plain) == "the view work is gone")
    }

    @Test func `an edit and a move are described with the old and new value`() {
        let dated = Change(
            path: "todos.items", kind: .replace, id: 4, at: 0, old: todo(4, "Call", due: "2026-11-26"), new: todo(4, "Call"))
        #expect(sentence(TodoAction.edit(4, TodoDraft()), [dated]) == "changed 4: Call (due Thu 26 Nov 2026 → none)")
        let renamed = Change(path: "todos.items", kind: .replace, id: 4, at: 0, old: todo(4, "Call"), new: todo(4, "Ring"))
        #expect(sentence(TodoAction.edit(4, TodoDraft()), [renamed]) == "changed 4: Call → Ring")
        #expect(sentence(TodoAction.edit(4, TodoDraft())) == "changed 4")
        let moved = Change(path: "todos.items", kind: .move, id: 4, at: 0, from: 2)
        #expect(sentence(TodoAction.move(4, to: 0), [moved]) == "moved 4 (place 3 → 1)")
        let records = [record(9, TodoAction.move(4, to: 0)), record(10, TodoAction.remove(5))]
        #expect(RecordSentence.moved(by: records) == [4])
        #expect(RecordSentence(records[0], [moved], titles: [4: "Buy it"]).text == "moved 4: Buy it (place 3 → 1)")
    }

    // Moves of a step in the form of the log.
    private func moves(_ moves: [(id: Int64, from: Int, at: Int)], undoes: UInt64? = nil, gap: UInt64 = 0) -> [String] {
        let titles: [Int64: String] = [3: "Send it", 4: "Plants"]
        let entries = moves.enumerated().map { index, move in
            let sequence = 8 + UInt64(index) * (1 + gap)
            return LogSentences.Entry(
                record(sequence, TodoAction.move(move.id, to: move.at), step: 8, undoes: undoes),
                LogDetailMessage(
                    first: sequence,
                    changes: [Change(path: "todos.items", kind: .move, id: move.id, at: move.at, from: move.from)]),
                titles: titles)
        }
        var log = LogSentences(zone: Zone { _ in 0 }, paint: Self.plain, uid: 7)
        return Array(log.lines(entries).dropFirst())
    }

    @Test func `several todos that one step moved are one sentence with their final places`() {
        #expect(
            moves([(3, 2, 0), (4, 2, 0), (4, 0, 4), (3, 0, 4)])
                == ["12:00  you  moved 4: Plants and 3: Send it to places 4–5  (records 8–11)"])
        #expect(moves([(3, 4, 0), (4, 2, 0)]) == ["12:00  you  moved 4: Plants and 3: Send it to the top  (records 8–9)"])
        // A todo that was already at the top is not moved there first.
        #expect(
            moves([(4, 1, 0), (4, 0, 4), (3, 0, 4)]) == [
                "12:00  you  moved 4: Plants and 3: Send it to places 4–5  (records 8–10)"
            ])
        #expect(
            moves([(3, 0, 2), (4, 0, 4)], undoes: 5)
                == ["12:00  you  moved 3: Send it (to place 2) and 4: Plants (to place 5) (undoes record 5)  (records 8–9)"])
        #expect(moves([(3, 2, 0), (3, 0, 4)]) == ["12:00  you  moved 3: Send it (place 3 → 5)  (records 8–9)"])
        #expect(
            moves([(6, 9, 0), (5, 9, 0), (4, 9, 0), (3, 9, 0)])
                == ["12:00  you  moved 3: Send it, 4: Plants, 5 and 1 more to the top  (records 8–11)"])
    }

    @Test func `moves with other records in between are described individually`() {
        #expect(
            moves([(3, 4, 0), (4, 2, 0)], gap: 1) == [
                "12:00  you  moved 3: Send it (place 5 → 1)  (record 8)",
                "            moved 4: Plants (place 3 → 1)  (record 10)",
            ])
    }

    @Test func `other features have sentences, other apps are described by names, and records of the log in words`() {
        #expect(sentence(TodoAction.counter("increment")) == "counted up")
        let counted = Change(path: "counter", kind: .set, old: ["count": 4], new: ["count": 5])
        #expect(sentence(TodoAction.counter("increment"), [counted]) == "counted up to 5")
        #expect(sentence(FeatureAction.make("stars", "staring", ["id": "swift"])) == "starred swift")
        #expect(sentence(FeatureAction.make("repositories", "setLanguage", ["language": "C++"])) == "chose C++")
        #expect(sentence(FeatureAction.make("posts", "fetch")) == "asked for the posts")
        #expect(sentence(FeatureAction.make("posts", "set", ["items": [[:]], "nextPage": 2])) == "1 post arrived")
        let alert = Change(path: "alerts.items", kind: .remove, id: 2, at: 0, old: ["id": 2, "text": "no net"])
        #expect(sentence(FeatureAction.make("alerts", "dismiss", ["id": 2]), [alert]) == "dismissed the alert no net")
        let post = Change(path: "posts.items", kind: .insert, id: 2, at: 0, new: ["id": 2, "title": "News"])
        #expect(sentence(FeatureAction.make("posts", "restore", [:]), [post]) == "put back 1 post")
        #expect(sentence(FeatureAction.make("errands", "run", ["id": 1, "text": "C"])) == "errands run id 1, text C")
        #expect(RecordSentence(record(3, nil, kind: "hold")).text == "held all commands")
        let end = record(3, nil, kind: "end", cause: 1, outcome: "superseded")
        #expect(RecordSentence(end).text == "a later one took its place")
        #expect(RecordSentence(record(3, nil, kind: "end", cause: 1, outcome: "skipped")).text == "it was skipped")
    }

    @Test func `each step has its time and user, and its results below`() {
        let load = FeatureAction.make("todos", "load")
        let loaded = FeatureAction.make("todos", "loaded", ["items": [todo(1, "Milk")]])
        let records = [
            record(1, load), record(2, TodoAction.counter("reset"), origin: 1001),
            record(3, loaded, kind: "end", step: 1, cause: 1, minutes: 2, outcome: "result"),
            record(4, TodoAction.complete(1), minutes: 3), record(5, TodoAction.complete(2), step: 4, minutes: 3),
            record(9, loaded, kind: "end", step: 8, cause: 8, minutes: 24 * 60, outcome: "result"),
        ]
        #expect(
            lines(records) == [
                "Thursday 1 January 1970",
                "12:00  you       asked for todos to be loaded  (record 1)",
                "12:02            └ loaded 1: Milk",
                "12:00  uid 1001  set the counter to 0  (record 2)",
                "12:03  you       completed 1  (record 4)",
                "                 completed 2  (record 5)",
                "Friday 2 January 1970",
                "12:00  you       loaded 1: Milk (for 8)  (record 9)",
            ])
    }

    @Test func `an undone step is struck through, or marked if there are no colours`() {
        let records = [record(1, TodoAction.complete(1)), record(2, TodoAction.complete(2), step: 1)]
        #expect(
            lines(records, undone: [1]) == [
                "Thursday 1 January 1970", "12:00  you  completed 1 (undone)  (record 1)", "            completed 2  (record 2)",
            ])
        let paint = Paint(isTerminal: true) { $0 == "TERM" ? "xterm" : nil }
        #expect(lines(records, undone: [1], paint: paint)[1].hasPrefix("12:00  you  \u{1B}[9mcompleted 1\u{1B}[0m"))
    }

    @Test func `a run of typing names its records, and the day is printed once for several pages`() {
        var log = LogSentences(zone: Zone { _ in 0 }, paint: Self.plain, uid: 7)
        let typed = LogSentences.Entry(record(7, TodoAction.updateText("Buy")), LogDetailMessage(first: 5))
        #expect(log.lines([typed]) == ["Thursday 1 January 1970", "12:00  you  typed: Buy  (records 5–7)"])
        let below = LogSentences.Entry(record(8, TodoAction.complete(1)), nil, below: ["    ~ x"])
        #expect(log.lines([below]) == ["12:00  you  completed 1  (record 8)", "                ~ x"])
    }

    @Test func `the pager is the user's, otherwise less, and none if the terminal has no pages`() {
        let command = { (variables: [String: String]) in Pager.command(at: .beginning) { variables[$0] } }
        #expect(command([:]) == nil)
        #expect(command(["TERM": "dumb", "PAGER": "more"]) == nil)
        #expect(command(["TERM": "xterm"]) == ["less", "-FRX"])
        #expect(command(["TERM": "xterm", "PAGER": "most -w"]) == ["/bin/sh", "-c", "most -w"])
        #expect(command(["TERM": "xterm", "PAGER": " "]) == nil)
        #expect(command(["TERM": "xterm", "PAGER": "cat"]) == nil)
        let atEnd = { (pager: String?) in Pager.command(at: .end) { $0 == "PAGER" ? pager : "xterm" } }
        #expect(atEnd(nil) == ["less", "-FRX", "+G"])
        #expect(atEnd("/usr/bin/less -S") == ["/bin/sh", "-c", "/usr/bin/less -S +G"])
        for other in ["most -w", "less | head", "lesser", "less; true"] { #expect(atEnd(other) == ["/bin/sh", "-c", other]) }
        #expect(atEnd("cat") == nil)
    }
}
