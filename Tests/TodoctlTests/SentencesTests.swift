import Dates
import Reducing
import Testing
import TodoAPI
import Varlink

@testable import todoctl

/// Every sentence that a verb which changes something answers with, in one table: a word that is changed is changed here, too.
@Suite struct SentencesTests {
    private static let plain = Paint(isTerminal: false) { _ in nil }
    private static let bank = TodoTests.todo(3, "Call the bank", due: "2026-11-26", tags: ["work"])
    private static let letter = TodoTests.todo(4, "Old letter", done: true)
    private static let both = TodoSentences([bank, letter])
    private static let unknown = TodoSentences(ids: [9])
    private static let many = TodoSentences(ids: Array(1...11))

    private static func edited(_ draft: TodoDraft) -> [String] { TodoSentences([bank]).changed { _ in draft } }

    static let ofTodos: [(said: [String], expected: [String])] = [
        (both.done, ["Done 3: Call the bank", "4 was done already: Old letter"]),
        (both.open, ["3 was open already: Call the bank", "Open again 4: Old letter"]),
        (both.removed, ["Removed 3: Call the bank", "Removed 4: Old letter"]),
        (both.moved(true), ["Moved 3: Call the bank", "Moved 4: Old letter"]),
        (both.moved(false), ["3 stood there already: Call the bank", "4 stood there already: Old letter"]),
        (unknown.done, ["Done 9."]), (unknown.open, ["Open again 9."]), (unknown.removed, ["Removed 9."]),
        (unknown.moved(true), ["Moved 9."]), (unknown.changed { _ in TodoDraft() }, ["Changed 9."]),
        (many.done, ["Done: 11 todos."]), (many.open, ["Open again: 11 todos."]), (many.removed, ["Removed: 11 todos."]),
        (many.moved(true), ["Moved: 11 todos."]), (many.changed { _ in TodoDraft() }, ["Changed 11 todos."]),
        (edited(TodoDraft()), ["3: it was so already"]),
        (edited(TodoDraft(title: "Call my bank")), ["3: Call the bank → Call my bank"]),
        (edited(TodoDraft(due: Due(text: "2026-11-27T09:00"))), ["3: due Thu 26 Nov 2026 → Fri 27 Nov 2026 09:00"]),
        (edited(TodoDraft(due: .some(nil))), ["3: due Thu 26 Nov 2026 → none"]),
        (edited(TodoDraft(wait: Due(text: "2026-11-25"))), ["3: waits until none → Wed 25 Nov 2026"]),
        (edited(TodoDraft(after: [12, 13])), ["3: after none → 12, 13"]),
        (edited(TodoDraft(priority: 3)), ["3: priority none → high"]),
        (edited(TodoDraft(tags: ["home"])), ["3: +home, -work"]),
        (edited(TodoDraft(note: "x")), ["3: note changed"]),
        (edited(TodoDraft(title: "Call", priority: 1)), ["3: Call the bank → Call, priority none → low"]),
    ]

    @Test func `what was done to todos`() {
        for (said, expected) in Self.ofTodos { #expect(said == expected) }
        var noted = Self.bank
        noted.note = "x"
        #expect(TodoSentences([noted]).changed { _ in TodoDraft(note: "") } == ["3: note removed"])
    }

    @Test func `what an edit would do to todos is said in the words of when it is done`() {
        let said = Self.both.wouldBeChanged { _ in TodoDraft(priority: 3) }
        #expect(said == ["Would be changed:", "3: priority none → high", "4: priority none → high"])
        let many = TodoSentences((1...12).map { TodoTests.todo($0, "Todo") }).wouldBeChanged { _ in TodoDraft(priority: 3) }
        #expect(many.count == 12 && many[10] == "10: priority none → high" && many[11] == "and 2 more")
    }

    private static let bankValue: Value = ["id": 3, "title": "Call the bank", "due": "2026-11-26"]
    private static let doneValue: Value = ["id": 3, "title": "Call the bank", "due": "2026-11-26", "completed": 5]
    private static let viewValue: Value = ["id": 1, "name": "work", "filter": "+work"]

    private static func ofTodo(
        _ kind: Change.Kind, at: Int? = 0, from: Int? = nil, old: Value? = nil, new: Value? = nil
    ) -> Change {
        Change(path: "todos.items", kind: kind, id: 3, at: at, from: from, old: old, new: new)
    }

    static let changes: [(change: Change, plain: String?, undone: String?)] = [
        (ofTodo(.insert, new: bankValue), "+ 3: Call the bank", "Call the bank is back"),
        (ofTodo(.remove, old: bankValue), "- 3: Call the bank", "Call the bank is gone"),
        (ofTodo(.replace, old: bankValue, new: doneValue), "3: done", "3: done"),
        (ofTodo(.replace, old: doneValue, new: bankValue), "3: open again", "3: open again"),
        (ofTodo(.move, at: 0, from: 4), "3: place 5 → 1", "3: place 5 → 1"),
        (
            Change(path: "views.items", kind: .insert, id: 1, at: 0, new: viewValue), "+ view work", "the view work is back"
        ),
        (
            Change(path: "views.items", kind: .remove, id: 1, at: 0, old: viewValue), "- view work", "the view work is gone"
        ),
        (
            Change(path: "counter", kind: .set, old: ["count": 1], new: ["count": 2]), "counter.count: 1 → 2",
            "counter.count: 1 → 2"
        ),
        (Change(path: "todos", kind: .set, old: ["nextID": 1], new: ["nextID": 2]), nil, nil),
        (Change(path: "alerts", kind: .set, old: ["nextID": 1], new: ["nextID": 2]), nil, nil),
    ]

    @Test func `what changed, and what an undo changed`() {
        for (change, plain, undone) in Self.changes {
            #expect(ChangeSentence.of(change, isUndo: false, paint: Self.plain) == plain)
            #expect(ChangeSentence.of(change, isUndo: true, paint: Self.plain) == undone)
        }
    }

    private static func undone(_ changes: [Change]?, duplicate: Bool = false, commands: [CommandMessage] = []) -> UndoLines {
        UndoLines(
            UndoMethod.Output(
                epoch: 1, step: 9, steps: [8], duplicate: duplicate, changes: changes, commands: commands, effects: []))
    }

    @Test func `what was taken back`() {
        let load = CommandMessage(name: "todos.load", version: 1, presentational: false, arguments: [:])
        let back = Self.changes[0].change
        let rows: [(UndoLines, [String])] = [
            (Self.undone([back]), ["Undone: remove 3 (Call the bank is back)"]),
            (Self.undone([]), ["Undone: remove 3."]),
            (Self.undone([back], duplicate: true), ["Undone: remove 3 (Call the bank is back) This key was known."]),
            (
                Self.undone([back, Self.changes[7].change]),
                ["Undone: remove 3.", "  Call the bank is back", "  counter.count: 1 → 2"]
            ),
            (Self.undone(nil), ["Undone: remove 3 (more changes than can be shown)"]),
            (Self.undone([], commands: [load]), ["Undone: remove 3.", "asked for todos.load"]),
        ]
        for (lines, expected) in rows {
            #expect(lines.lines("Undone: remove 3", isDryRun: false, paint: Self.plain) == expected)
        }
    }

    @Test func `what is undone is called as the verb that did it`() {
        let todo: Value = ["title": "Call the bank"]
        let rows: [(Value, String)] = [
            (TodoAction.remove(3), "remove 3"), (TodoAction.complete(3), "done 3"), (TodoAction.reopen(3), "reopen 3"),
            (TodoAction.edit(3, TodoDraft(title: "Call")), "edit 3"), (TodoAction.move(3, to: 0), "move 3"),
            (TodoAction.clearCompleted(), "clear"), (TodoAction.updateText("Buy"), "draft"), (TodoAction.submit(), "submit"),
            (FeatureAction.make("todos", "add", ["items": [todo]]), "add Call the bank"),
            (FeatureAction.make("todos", "add", ["items": [todo, todo]]), "add 2 todos"),
            (FeatureAction.make("todos", "loaded", ["items": []]), "load 0 todos"),
            (TodoAction.counter("increment"), "counter increment"),
            (SavedView.saving("work", "+work", sort: nil), "view save work"), (SavedView.removing(1), "view remove 1"),
            (FeatureAction.make("views", "change", ["id": 1, "filter": "+work"]), "view save 1"),
        ]
        for (action, expected) in rows { #expect(RecordLines.deed(action) == expected) }
    }

    @Test func `what was done to views`() {
        let rows: [(isKnown: Bool, hasChanged: Bool, expected: String)] = [
            (false, true, "Saved the view work: +work"), (true, true, "Changed the view work: +work"),
            (true, false, "The view work was so already."),
        ]
        for (isKnown, hasChanged, expected) in rows {
            #expect(ViewVerb.Save.sentence("work", "+work", isKnown: isKnown, hasChanged: hasChanged) == expected)
        }
    }

    @Test func `what a rule refuses`() {
        func refused(_ name: String, _ message: String) -> String {
            let parameters: [Value.Field] = [.init("message", .text(message)), .init("action", .int(0))]
            return Failure(CallError("org.todod.Store." + name, parameters), socket: "/s").message
        }
        #expect(refused("TitleTooShort", "a title needs 3 characters or more") == "A title needs 3 characters or more.")
        #expect(refused("TagEmpty", "a tag needs at least one character") == "A tag needs at least one character.")
        #expect(refused("DependsOnItself", "todo 3 can't be done after itself") == "Todo 3 can't be done after itself.")
        #expect(
            refused("TooManyTodos", "there are too many") == "There are too many.\nTo remove those that are done: todoctl clear")
        #expect(
            refused("UnknownID", "there is no todo 9")
                == "There is no todo 9.\nTo see what there is: todoctl alerts, todoctl list --all, todoctl posts, todoctl repos, todoctl view list"
        )
    }
}
