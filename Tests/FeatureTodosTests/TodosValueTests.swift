import Chronicle
import FeatureTodos
import TestSupport
import Testing

@Suite struct TodosValueTests {
    private func mismatch(_ value: Value) -> String? {
        do {
            _ = try Todos.Action(value)
            return nil
        } catch { return error.path }
    }

    @Test func `actions are encoded by name`() throws {
        let due = try #require(Due("2026-12-01T14:30"))
        let pairs: [(Todos.Action, Value)] = [
            (
                .add([Todo(title: "abc", tags: ["x"], priority: .low, due: due)]),
                ["add": ["items": [["title": "abc", "tags": ["x"], "priority": 1, "due": "2026-12-01T14:30"]]]]
            ),
            (
                .edit(1, TodoChanges(title: "abc", note: "", priority: Priority.none, due: .clear)),
                ["edit": ["id": 1, "title": "abc", "note": "", "priority": 0, "due": ""]]
            ),
            (.add([Todo(title: "abc", wait: due)]), ["add": ["items": [["title": "abc", "wait": "2026-12-01T14:30"]]]]),
            (.edit(1, TodoChanges(wait: .set(due))), ["edit": ["id": 1, "wait": "2026-12-01T14:30"]]),
            (.edit(1, TodoChanges(wait: .clear)), ["edit": ["id": 1, "wait": ""]]),
            (.add([Todo(title: "abc", after: [2, 1])]), ["add": ["items": [["title": "abc", "after": [2, 1]]]]]),
            (.edit(1, TodoChanges(after: [])), ["edit": ["id": 1, "after": []]]),
            (.add([Todo(title: "abc", every: "every day")]), ["add": ["items": [["title": "abc", "every": "every day"]]]]),
            (.edit(1, TodoChanges(every: "")), ["edit": ["id": 1, "every": ""]]),
            (
                .add([
                    Todo(
                        title: "abc",
                        origin: TodoOrigin(source: "a:b", attributes: [OriginAttribute("rec", "1w")], said: ["due"]))
                ]),
                [
                    "add": [
                        "items": [
                            [
                                "title": "abc",
                                "origin": [
                                    "source": "a:b", "attributes": [["name": "rec", "text": "1w"]], "said": ["due"],
                                ],
                            ]
                        ]
                    ]
                ]
            ),
            (.edit(1, TodoChanges(origin: TodoOrigin())), ["edit": ["id": 1, "origin": [:]]]),
            (.complete(1), ["complete": ["id": 1]]),
            (.complete(1, day: Due("2026-12-01")), ["complete": ["id": 1, "day": "2026-12-01"]]),
            (.complete(1, at: 5), ["complete": ["id": 1, "completed": 5]]),
            (.reopen(1), ["reopen": ["id": 1]]),
            (.remove(1), ["remove": ["id": 1]]),
            (.removeAt(index: 0), ["remove": ["index": 0]]),
            (
                .putBack([PlacedTodo(milk, at: 2)]),
                ["putBack": ["items": [["todo": ["id": 1, "title": "Buy the milk", "created": 10], "index": 2]]]]
            ),
            (.move(1, to: 3), ["move": ["id": 1, "index": 3]]),
            (.clearCompleted(), ["clearCompleted": [:]]),
            (.clearCompleted([1, 2]), ["clearCompleted": ["ids": [1, 2]]]),
            (.updateText(""), ["updateText": ["text": ""]]),
            (.submit, ["submit": [:]]),
            (.load, ["load": [:]]),
            (.loaded([Todo(title: "a")]), ["loaded": ["items": [["title": "a"]]]]),
            (.add([Todo(title: "abc", remind: due)]), ["add": ["items": [["title": "abc", "remind": "2026-12-01T14:30"]]]]),
            (.edit(1, TodoChanges(remind: .clear)), ["edit": ["id": 1, "remind": ""]]),
            (.add([Todo(title: "abc", remindBefore: 60)]), ["add": ["items": [["title": "abc", "remindBefore": 60]]]]),
            (.edit(1, TodoChanges(remindBefore: .clear)), ["edit": ["id": 1, "remindBefore": -1]]),
            (.reminded(1, of: due), ["reminded": ["id": 1, "time": "2026-12-01T14:30"]]),
            (.remindFailed(1, of: due, "gone"), ["remindFailed": ["id": 1, "time": "2026-12-01T14:30", "reason": "gone"]]),
            (.remindCancelled(1, of: due), ["remindCancelled": ["id": 1, "time": "2026-12-01T14:30"]]),
            (.loadFailed("gone"), ["loadFailed": ["reason": "gone"]]),
        ]
        for (action, value) in pairs {
            #expect(action.value == value)
            #expect(try Todos.Action(value) == action)
        }
    }

    @Test func `an unknown or mismatched value is refused with its path`() {
        #expect(mismatch(["fly": [:]]) == "fly")
        #expect(mismatch(["submit": ["now": true]]) == "submit.now")
        #expect(mismatch(["load": ["from": "there"]]) == "load.from")
        #expect(mismatch(["loaded": [:]]) == "loaded.items")
        #expect(mismatch(["add": ["items": [["title": "abc"], ["titel": "abc"]]]]) == "add.items[1].title")
        #expect(mismatch(["add": ["items": [["title": "abc", "colour": "red"]]]]) == "add.items[0].colour")
        #expect(mismatch(["add": ["items": [["title": "abc", "priority": 4]]]]) == "add.items[0].priority")
        #expect(mismatch(["add": ["items": [["title": "abc", "due": "2026-02-30"]]]]) == "add.items[0].due")
        #expect(mismatch(["add": ["items": [["title": "abc", "due": ""]]]]) == "add.items[0].due")
        #expect(mismatch(["add": ["items": [["title": "abc", "wait": "tomorrow"]]]]) == "add.items[0].wait")
        #expect(mismatch(["edit": ["id": 1, "wait": "2026-12-01T24:00"]]) == "edit.wait")
        #expect(mismatch(["edit": ["id": 1, "after": [2, 0]]]) == "edit.after[1]")
        #expect(mismatch(["complete": ["id": 1, "day": "today"]]) == "complete.day")
        #expect(mismatch(["edit": ["id": 1, "every": 7]]) == "edit.every")
        #expect(mismatch(["edit": ["id": 1, "origin": ["from": "x"]]]) == "edit.origin.from")
        #expect(mismatch(["remove": ["id": 0]]) == "remove.id")
        #expect(mismatch(["remove": ["id": "1"]]) == "remove.id")
        #expect(mismatch(["remove": ["id": 1, "index": 0]]) == "remove.id")
        #expect(mismatch(["remove": [:]]) == "remove.id")
        #expect(mismatch(["complete": ["id": 1], "reopen": ["id": 1]]) == "")
        #expect(mismatch("submit") == "")
    }

    @Test func `a state may omit default values`() throws {
        #expect(try Todos.State([:]) == Todos.State())
        #expect(try Todos.State(["items": [milk.value, car.value]]) == Todos.State(items: [milk, car]))
        #expect(throws: ValueMismatch("items[1].id", "the id 1 is taken")) {
            try Todos.State(["items": [milk.value, milk.value]])
        }
        #expect(throws: ValueMismatch.self) { try Todos.State(["items": [milk.value], "nextID": 1]) }
        #expect(throws: ValueMismatch("colour", "there is no such field")) { try Todos.State(["colour": 1]) }
    }

    @Test func `the list elements are the values of the todos`() throws {
        var random = SeededGenerator(7)
        var todos = (1...60).map { random.todo(id: UInt64($0)) }
        todos.append(Todo(id: 61, title: "Buy the milk"))
        let list = try #require(Todos.lists(of: Todos.State(items: todos)).first)
        for names in [try #require(list.elements(0..<1)[0].record).map(\.name), ["tags", "note", "due"], ["completed"], []] {
            let columns = list.columns(names)
            let values = list.elements(0..<61).flatMap { todo in columns.names.map { todo[$0] ?? .null } }
            let collector = ColumnCollector(columns: columns.names.count)
            columns.show(0..<61, [0x55, ~0x55], collector)
            #expect(collector.values == values && values.count == 61 * columns.names.count)
        }
    }
}
