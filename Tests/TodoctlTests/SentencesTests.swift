import Chronicle
import Dates
import Testing
import TodoAPI
import Varlink

@testable import todoctl

/// The answers of all verbs that change something, in one table.
///
/// A changed message must be changed here as well.
@Suite struct SentencesTests {
    private static let plain = Paint(isTerminal: false) { _ in nil }
    private static let bank = TodoTests.todo(3, "Call the bank", due: "2026-11-26", tags: ["work"])
    private static let letter = TodoTests.todo(4, "Old letter", done: true)
    private static let both = TodoSentences([bank, letter])
    private static let unknown = TodoSentences(ids: [9])
    private static let many = TodoSentences(ids: Array(1...11))

    private static func edited(_ draft: TodoDraft) -> [String] { TodoSentences([bank]).changed(at: TodoTests.now) { _ in draft } }

    static let ofTodos: [(said: [String], expected: [String])] = [
        (both.done, ["Done 3: Call the bank", "4 was done already: Old letter"]),
        (both.open, ["3 was open already: Call the bank", "Reopened 4: Old letter"]),
        (both.removed, ["Removed 3: Call the bank", "Removed 4: Old letter"]),
        (both.moved(true), ["Moved 3: Call the bank", "Moved 4: Old letter"]),
        (both.moved(false), ["3 was there already: Call the bank", "4 was there already: Old letter"]),
        (unknown.done, ["Done 9."]), (unknown.open, ["Reopened 9."]), (unknown.removed, ["Removed 9."]),
        (unknown.moved(true), ["Moved 9."]), (unknown.changed(at: TodoTests.now) { _ in TodoDraft() }, ["Changed 9."]),
        (many.done, ["Done: 11 todos."]), (many.open, ["Reopened: 11 todos."]), (many.removed, ["Removed: 11 todos."]),
        (many.moved(true), ["Moved: 11 todos."]), (many.changed(at: TodoTests.now) { _ in TodoDraft() }, ["Changed 11 todos."]),
        (TodoSentences(ids: Array(1...12), before: [4: letter]).done, ["Done: 11 todos; 1 was done already."]),
        (TodoSentences(ids: Array(repeating: 4, count: 11), before: [4: letter]).done, ["1 todo was done already."]),
        (
            TodoSentences(ids: Array(1...12), before: [3: bank]).changed(at: TodoTests.now) { _ in TodoDraft(tags: ["work"]) },
            ["Changed 11 todos; 1 was so already."]
        ),
        ([TodoOutcome.done.heading(of: [bank, letter])], ["1 todo would be done; 1 is done already"]),
        ([TodoOutcome.moved(to: "the top").heading(of: [bank, letter])], ["2 todos would be moved to the top"]),
        (edited(TodoDraft()), ["3: it was so already"]),
        (edited(TodoDraft(title: "Call my bank")), ["3: Call the bank → Call my bank"]),
        (edited(TodoDraft(due: Due(text: "2026-11-27T09:00"))), ["3: due Thu 26 Nov 2026 → Fri 27 Nov 2026 09:00"]),
        (edited(TodoDraft(due: .some(nil))), ["3: due Thu 26 Nov 2026 → none"]),
        (edited(TodoDraft(wait: Due(text: "2026-11-25"))), ["3: waits until none → Wed 25 Nov 2026"]),
        (edited(TodoDraft(after: [12, 13])), ["3: after none → 12, 13"]),
        (edited(TodoDraft(priority: 3)), ["3: priority none → high"]),
        (edited(TodoDraft(tags: ["home"])), ["3: +home, -work"]),
        (edited(TodoDraft(note: "x")), ["3: note added"]),
        (edited(TodoDraft(title: "Call", priority: 1)), ["3: Call the bank → Call, priority none → low"]),
    ]

    @Test func `actions on todos`() {
        for (said, expected) in Self.ofTodos { #expect(said == expected) }
        var noted = Self.bank
        noted.note = "x"
        #expect(TodoSentences([noted]).changed(at: TodoTests.now) { _ in TodoDraft(note: "") } == ["3: note removed"])
    }

    /// The lines about a todo whose reminder is an hour before its due date.
    private static func reminded(_ draft: TodoDraft, done: Bool = false) -> [String] {
        var todo = bank
        todo.due = Due(text: "2026-11-26T14:30")
        (todo.remind, todo.remindBefore) = (Due(text: "2026-11-26T13:30"), 3_600_000_000)
        if done { todo.completed = 5 }
        return TodoSentences([todo]).changed(at: TodoTests.now) { _ in draft }
    }

    @Test func `a reminder relative to the due date is moved and removed with it, which is reported`() {
        #expect(
            Self.reminded(TodoDraft(due: .some(nil)))
                == ["3: due Thu 26 Nov 2026 14:30 → none, remind Thu 26 Nov 2026 13:30 → never"])
        #expect(
            Self.reminded(TodoDraft(due: Due(text: "2026-11-27")))
                == ["3: due Thu 26 Nov 2026 14:30 → Fri 27 Nov 2026, remind Thu 26 Nov 2026 13:30 → Thu 26 Nov 2026 23:00"])
        // It is Saturday 21 November, 10:00.
        let past = "3: due Thu 26 Nov 2026 14:30 → Sat 21 Nov 2026 11:00, remind Thu 26 Nov 2026 13:30 → Sat 21 Nov 2026 10:00"
        #expect(Self.reminded(TodoDraft(due: Due(text: "2026-11-21T11:00"))) == [past + " (past: given at once)"])
        #expect(Self.reminded(TodoDraft(due: Due(text: "2026-11-21T11:00")), done: true) == [past])
        #expect(
            Self.reminded(TodoDraft(due: Due(text: "2026-11-27T09:00"), remind: .some(nil)))
                == ["3: due Thu 26 Nov 2026 14:30 → Fri 27 Nov 2026 09:00, remind Thu 26 Nov 2026 13:30 → never"])
        #expect(Self.reminded(TodoDraft(priority: 1)) == ["3: priority none → low"])
        let timed = TodoDraft(due: .some(nil), remind: Due(text: "2026-11-26T13:30"))
        #expect(
            Self.reminded(timed) == ["3: due Thu 26 Nov 2026 14:30 → none, reminder stays when the due moves"])
    }

    @Test func `the preview of an edit uses the words of its result`() {
        let said = Self.both.wouldBeChanged(at: TodoTests.now) { _ in TodoDraft(priority: 3) }
        #expect(said == ["2 todos would be changed:", "3: priority none → high", "4: priority none → high"])
        let todos = (1...12).map { TodoTests.todo($0, "Todo") }
        let many = TodoSentences(todos).wouldBeChanged(at: TodoTests.now) { _ in TodoDraft(priority: 3) }
        #expect(many.count == 12 && many[10] == "10: priority none → high" && many[11] == "and 2 more")
    }

    private static let bankValue: Value = ["id": 3, "title": "Call the bank", "due": "2026-11-26"]
    private static let mondayValue: Value = ["id": 3, "title": "Call the bank", "due": "2026-11-30"]
    private static let renamedValue: Value = ["id": 3, "title": "Ring the bank", "due": "2026-11-26"]
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
        (ofTodo(.replace, old: bankValue, new: doneValue), "3: done", "Call the bank is done"),
        (ofTodo(.replace, old: doneValue, new: bankValue), "3: open again", "Call the bank is open again"),
        (
            ofTodo(.replace, old: bankValue, new: mondayValue), "3: due Thu 26 Nov 2026 → Mon 30 Nov 2026",
            "Call the bank: due Thu 26 Nov 2026 → Mon 30 Nov 2026"
        ),
        (
            ofTodo(.replace, old: bankValue, new: renamedValue), "3: Call the bank → Ring the bank",
            "3: Call the bank → Ring the bank"
        ),
        (ofTodo(.move, at: 0, from: 4), "3: place 5 → 1", "3: place 5 → 1"),
        (
            Change(path: "views.items", kind: .insert, id: 1, at: 0, new: viewValue), "+ view work", "the view work is back"
        ),
        (
            Change(path: "views.items", kind: .remove, id: 1, at: 0, old: viewValue), "- view work", "the view work is gone"
        ),
        (
            Change(path: "counter", kind: .set, old: ["count": 1], new: ["count": 2]), "counter: 1 → 2",
            "counter: 1 → 2"
        ),
        (
            Change(path: "posts.items", kind: .insert, id: 4, at: 0, new: ["id": 4, "title": "News"]), "+ post News",
            "the post News is back"
        ),
        (
            Change(path: "stars.items", kind: .set, old: ["swift": ["phase": "star", "starCount": 1]]), "swift has no star",
            "swift has no star"
        ),
        (
            Change(path: "repositories", kind: .set, old: ["language": "Java"], new: ["language": "C++"]), "language: Java → C++",
            "language: Java → C++"
        ),
        (Change(path: "posts", kind: .set, old: ["loading": true], new: ["loading": false]), nil, nil),
        (Change(path: "todos", kind: .set, old: ["nextID": 1], new: ["nextID": 2]), nil, nil),
        (Change(path: "alerts", kind: .set, old: ["nextID": 1], new: ["nextID": 2]), nil, nil),
    ]

    @Test func `a restored position is reported with the title, and also with the id if the title is ambiguous`() {
        let moved = Change(path: "todos.items", kind: .move, id: 3, at: 0, from: 4)
        let other = Change(path: "todos.items", kind: .move, id: 5, at: 1, from: 0)
        func lines(_ changes: [Change], _ titles: [Int64: String], isUndo: Bool = true) -> [String] {
            ChangeSummary(changes: changes, isUndo: isUndo, titles: titles, paint: Self.plain).lines
        }
        #expect(lines([moved], [3: "Call\tit"]) == [Visible.text("Call\tit") + ": place 5 → 1"])
        #expect(lines([moved, other], [3: "Milk", 5: "Milk"]) == ["3: Milk: place 5 → 1", "5: Milk: place 1 → 2"])
        #expect(lines([moved], [5: "Milk"]) == ["3: place 5 → 1"])
        // Three todos at 2, 3 and 4 go back to the end of ten. Each change is relative to the previous one.
        let back = (7...9 as ClosedRange<Int64>).map { Change(path: "todos.items", kind: .move, id: $0, at: 9, from: 1) }
        #expect(lines(back, [:]) == ["7: place 2 → 8", "8: place 3 → 9", "9: place 4 → 10"])
        let removed = Change(path: "todos.items", kind: .remove, id: 1, at: 0, old: ["id": 1, "title": "Go"])
        #expect(lines([removed, back[0]], [:]).last == "7: place 3 → 10")
        let added = Change(path: "todos.items", kind: .insert, id: 2, at: 0, new: ["id": 2, "title": "Come"])
        #expect(lines([back[0], added], [:]).first == "7: place 2 → 11")
        #expect(lines([moved], [3: "Milk"], isUndo: false) == ["3: place 5 → 1"])
    }

    @Test func `changes, and changes of an undo`() {
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

    private static func milk(_ id: Int64) -> Change {
        Change(path: "todos.items", kind: .insert, id: id, at: 0, new: ["id": .int(id), "title": .text("Milk \(id)")])
    }

    @Test func `undone steps`() {
        let load = CommandMessage(name: "todos.load", version: 1, presentational: false, arguments: [:])
        let back = Self.changes[0].change
        let counted = Change(path: "counter", kind: .set, old: ["count": 1], new: ["count": 2])
        let rows: [(UndoLines, [String])] = [
            (Self.undone([back]), ["Undone: remove 3 (Call the bank is back)"]),
            (Self.undone([]), ["Undone: remove 3"]),
            (Self.undone([back], duplicate: true), ["Undone: remove 3 (Call the bank is back), as asked before"]),
            (
                Self.undone([back, counted]),
                ["Undone: remove 3", "  Call the bank is back", "  counter: 1 → 2"]
            ),
            (Self.undone(nil), ["Undone: remove 3"]),
            (Self.undone([], commands: [load]), ["Undone: remove 3", "will load the todos"]),
            (
                Self.undone([back, Self.milk(4), Self.milk(5)]),
                ["Undone: remove 3 (Call the bank, Milk 4 and Milk 5 are back)"]
            ),
            (
                Self.undone([back] + (4...13).map(Self.milk)),
                ["Undone: remove 3 (Call the bank, Milk 4, Milk 5 and 8 more are back)"]
            ),
        ]
        for (lines, expected) in rows {
            #expect(lines.lines("Undone: remove 3", isDryRun: false, paint: Self.plain) == expected)
        }
        let tried = Self.undone(nil).lines("Would undo: remove 3", isDryRun: true, paint: Self.plain)
        #expect(tried == ["Would undo: remove 3 (more changes than can be shown)"])
    }

    private static func rent(_ id: Int64, isDone: Bool = false, recurs: Bool = false, series: Int64? = nil) -> Value {
        var fields: [Value.Field] = [.init("id", .int(id)), .init("title", "Pay the rent")]
        if isDone { fields.append(.init("completed", 5)) }
        if recurs { fields.append(.init("every", "3 days after done")) }
        if let series { fields.append(.init("series", .int(series))) }
        return .record(fields)
    }

    @Test func `recurring todos are reported with their next one, and those with equal titles with their ids`() {
        let (open, done) = (Self.rent(3, recurs: true), Self.rent(3, isDone: true))
        let next = Self.rent(45, recurs: true, series: 3)
        func turned(_ old: Value, _ new: Value) -> Change {
            Change(path: "todos.items", kind: .replace, id: 3, at: 1, old: old, new: new)
        }
        let gone = Change(path: "todos.items", kind: .remove, id: 45, at: 0, old: next)
        let back = Change(path: "todos.items", kind: .insert, id: 45, at: 0, new: next)
        func said(_ changes: [Change]) -> [String] {
            Self.undone(changes).lines("Undone: it", isDryRun: false, paint: Self.plain)
        }
        #expect(
            said([gone, turned(done, open)])
                == ["Undone: it (3: Pay the rent is open again; 45: Pay the rent (the next one) is gone)"])
        #expect(
            said([back, turned(open, done)]) == ["Undone: it (3: Pay the rent is done; 45: Pay the rent (the next one) is back)"])
        // A detached todo is reported with its rule.
        #expect(said([turned(done, open)]) == ["Undone: it (Pay the rent: open again, recurs never → 3 days after done)"])
        let other = Change(path: "todos.items", kind: .remove, id: 3, at: 1, old: open)
        #expect(said([gone, other]) == ["Undone: it (3: Pay the rent and 45: Pay the rent are gone)"])
    }

    @Test func `an undone star is reported once`() {
        let star = { (name: String) in CommandMessage(name: name, version: 1, presentational: false, arguments: ["id": "swift"]) }
        let change = Change(
            path: "stars.items", kind: .set, old: ["swift": ["phase": "star", "starCount": 1]],
            new: ["swift": ["phase": "unstaring", "starCount": 1]])
        func lines(isCertain: Bool, isDryRun: Bool) -> [String] {
            let answer = UndoMethod.Output(
                epoch: 1, step: 9, steps: [8], duplicate: false, changes: [change], commands: [star("stars.unstar")],
                effects: [EffectMessage(command: star("stars.star"), certain: isCertain)])
            return UndoLines(answer).lines("Undone: star press swift", isDryRun: isDryRun, paint: Self.plain)
        }
        #expect(
            lines(isCertain: true, isDryRun: false) == ["Undone: star press swift (the star of swift is being taken back)"])
        #expect(
            lines(isCertain: true, isDryRun: true) == ["Undone: star press swift", "would take back the star of swift"])
        #expect(lines(isCertain: false, isDryRun: false).count == 2)
    }

    @Test func `an undone step is named like its verb`() {
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
        for (action, expected) in rows { #expect(ActionSummary(action).text == expected) }
        let gone = Change(path: "views.items", kind: .remove, id: 1, at: 0, old: Self.viewValue)
        #expect(ActionSummary(SavedView.removing(1), [gone]).text == "view remove work")
    }

    @Test func `a step with the same action on several todos is reported with their ids, or their number if there are many`() {
        func deed(_ actions: [Value]) -> String {
            var deed = ActionSummary(actions[0])
            for action in actions.dropFirst() { deed.join(ActionSummary(action)) }
            return deed.text
        }
        let add = FeatureAction.make("todos", "add", ["items": [["title": "Milk"]]])
        #expect(deed([4, 5, 6].map(TodoAction.remove)) == "remove 4, 5, 6")
        #expect(deed((1...12).map(TodoAction.remove)) == "remove 12 todos")
        // Two moves of one todo are reported once.
        #expect(deed([TodoAction.move(3, to: 0), TodoAction.move(3, to: 4)]) == "move 3")
        // Its results are reported by the changes.
        #expect(deed([TodoAction.complete(3), add]) == "done 3")
        #expect(deed([add, add]) == "add 2 todos")
    }

    @Test func `going back is named by the changes that it undid if they are of one kind`() {
        func back(_ actions: Value...) -> String {
            var back = RestoreSummary(to: 57)
            for action in actions { back.take(action) }
            return back.text
        }
        let items: Value = [
            "items": [["todo": ["id": 5, "title": "Milk"], "index": 0], ["todo": ["id": 4, "title": "Dog"], "index": 1]]
        ]
        let several = FeatureAction.make("todos", "putBack", items)
        let rows: [(said: String, expected: String)] = [
            (back(TodoAction.edit(2, TodoDraft(title: "Milk"))), "put back 2 as it was at 57"),
            (back(several), "put back 4, 5 as they were at 57"),
            (back(several, TodoAction.remove(7), TodoAction.remove(8)), "put back 4 todos as they were at 57"),
            (back(TodoAction.counter("reset")), "put back the counter as it was at 57"),
            (back(FeatureAction.make("posts", "restore")), "put back the posts as they were at 57"),
            (back(several, TodoAction.counter("reset")), "revert --to 57"), (back(TodoAction.updateText("")), "revert --to 57"),
            (back(), "revert --to 57"),
        ]
        for (said, expected) in rows { #expect(said == expected) }
    }

    @Test func `several steps are each named, or the first few of many`() {
        #expect(StepSummary(named: ["remove 6", "done 3, 4"], count: 2).text == "remove 6; done 3, 4")
        let many = StepSummary(named: (1...12).map { "done \($0)" }, count: 12)
        #expect(many.text == "12 steps: done 1; done 2; done 3 and 9 more")
    }

    @Test func `requested commands and earlier effects are described in words`() {
        let remind: Value = ["id": 3, "time": "2026-11-27T14:30", "microseconds": 5]
        let rows: [(name: String, arguments: Value, asked: String, happened: String)] = [
            (
                "todos.remind", remind, "will remind you of Call the bank on Fri 27 Nov 2026 14:30",
                "you were reminded of Call the bank on Fri 27 Nov 2026 14:30 already"
            ),
            ("todos.forget", ["id": 4], "no reminder of todo 4 any more", "no reminder of todo 4 any more already"),
            ("stars.unstar", ["id": "swift"], "will take back the star of swift", "the star of swift was taken back already"),
            ("posts.fetch", ["page": 1, "into": "set"], "will fetch the posts", "the posts were fetched already"),
            ("errands.run", ["far": true], "asked for errands.run far yes", "errands.run far yes was done already"),
        ]
        for (name, arguments, asked, happened) in rows {
            let words = CommandWords(name, arguments, titles: [3: "Call the bank"])
            #expect(words.asked(isDryRun: false) == asked)
            #expect(words.happened(isCertain: true) == happened)
        }
        let star = CommandWords("stars.star", ["id": "swift"])
        #expect(star.asked(isDryRun: true) == "would star swift")
        #expect(star.happened(isCertain: false) == "to star swift had begun and was cancelled; it may have been done")
        let titles: [Int64: String] = [3: "Call the bank"]
        #expect(CommandWords.reminder("todos.remind", remind, titles: titles) == "3: Call the bank, Fri 27 Nov 2026 14:30")
        #expect(CommandWords.reminder("todos.load", [:], titles: titles) == nil)
    }

    @Test func `actions on views`() {
        let rows: [(isKnown: Bool, hasChanged: Bool, expected: String)] = [
            (false, true, "Saved the view work: +work"), (true, true, "Changed the view work: +work"),
            (true, false, "The view work is unchanged."),
        ]
        for (isKnown, hasChanged, expected) in rows {
            #expect(ViewVerb.Save.sentence("work", "+work", isKnown: isKnown, hasChanged: hasChanged) == expected)
        }
    }

    @Test func `refusals by a rule`() {
        func refused(_ name: String, _ message: String) -> String {
            let parameters: [Value.Field] = [.init("message", .text(message)), .init("action", .int(0))]
            return Failure(CallError("org.todod.feature." + name, parameters), socket: "/s").message
        }
        #expect(refused("Todos.TitleTooShort", "a title needs 3 characters or more") == "A title needs 3 characters or more.")
        #expect(refused("Todos.TagEmpty", "a tag needs at least one character") == "A tag needs at least one character.")
        #expect(refused("Todos.DependsOnItself", "todo 3 can't be done after itself") == "Todo 3 can't be done after itself.")
        #expect(
            refused("Todos.TooManyTodos", "there are too many")
                == "There are too many.\nTo remove those that are done: todoctl clear")
        #expect(
            refused("Todos.UnknownID", "there is no todo 9")
                == "There is no todo 9.\nTo see what there is: todoctl list --all")
        #expect(refused("Pump.UnknownID", "there is no pump 9") == "There is no pump 9.")
        #expect(refused("Counter.CounterAtLimit", "no count is beyond 9") == "No count is beyond 9.")
    }
}
