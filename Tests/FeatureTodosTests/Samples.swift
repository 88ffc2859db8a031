import Chronicle
import FeatureTodos
import TestSupport

let milk = Todo(id: 1, title: "Buy the milk", created: 10)
let dog = Todo(id: 2, title: "Take my dog", created: 20)
let car = Todo(id: 3, title: "Rent a car", created: 30)

extension Todos.State {
    var titles: [String] { items.elements.map(\.title) }

    mutating func dispatch(_ action: Todos.Action, _ context: Context = .test) throws(Refusal) {
        for logged in try Todos.prepare(action, self, context) { _ = Todos.reduce(&self, logged, context) }
    }

    mutating func reduce(_ action: Todos.Action, _ context: Context = .test) {
        _ = Todos.reduce(&self, action, context)
    }
}

func refusal(of action: Todos.Action, in state: Todos.State) -> String? { Todos.refusal(of: action, in: state) }

extension SeededGenerator {
    mutating func text() -> String {
        let words = ["", " ", "ab", "milk", "é", "e\u{301}", "🧑‍🧑‍🧒", "\u{202E}", "\n", "a\u{0}b", "buy some more of it"]
        return (0..<number(0..<5)).map { _ in words[number(0..<words.count)] }.joined()
    }

    mutating func id() -> UInt64 {
        switch number(0..<20) {
        case 0: 0
        case 1: .max
        case 2: ElementID.range.upperBound
        default: UInt64(number(1..<40))
        }
    }

    mutating func time() -> Int64 { [.min, -1, 0, 1, 1_795_176_000_000_000, .max][number(0..<6)] }

    mutating func due() -> Due? {
        [nil, Due("2026-12-01"), Due("2026-12-01T00:00"), Due("9999-12-31T23:59")][number(0..<4)]
    }

    mutating func tags() -> [String] { (0..<number(0..<4)).map { _ in text() } }

    mutating func after() -> [UInt64] { (0..<number(0..<3)).map { _ in UInt64(number(1..<40)) } }

    mutating func every() -> String { ["", "", "every monday", "every month on the 31st", "3 days after done"][number(0..<5)] }

    mutating func origin() -> TodoOrigin {
        guard number(0..<3) == 0 else { return TodoOrigin() }
        return TodoOrigin(
            source: text(), attributes: (0..<number(0..<3)).map { _ in OriginAttribute(text(), text()) },
            said: (0..<number(0..<3)).map { _ in text() })
    }

    mutating func before() -> Int64? { [nil, 0, 1, 3_600_000_000, .max][number(0..<5)] }

    mutating func todo(id: UInt64) -> Todo {
        Todo(
            id: id, title: text(), note: text(), tags: tags(), priority: Priority.allCases[number(0..<4)], due: due(),
            wait: due(), after: after(), every: every(), remind: due(), reminded: due(), origin: origin(),
            series: UInt64(number(0..<40)), remindBefore: before(), created: time(), completed: number(0..<2) == 0 ? nil : time())
    }

    mutating func changes() -> TodoChanges {
        var changes = TodoChanges()
        if number(0..<2) == 0 { changes.title = text() }
        if number(0..<2) == 0 { changes.note = text() }
        if number(0..<2) == 0 { changes.tags = tags() }
        if number(0..<2) == 0 { changes.priority = Priority.allCases[number(0..<4)] }
        if number(0..<2) == 0 { changes.due = due().map { .set($0) } ?? .clear }
        if number(0..<2) == 0 { changes.wait = due().map { .set($0) } ?? .clear }
        if number(0..<2) == 0 { changes.after = after() }
        if number(0..<2) == 0 { changes.every = every() }
        if number(0..<2) == 0 { changes.remind = due().map { .set($0) } ?? .clear }
        if number(0..<2) == 0 { changes.reminded = due().map { .set($0) } ?? .clear }
        if number(0..<2) == 0 { changes.origin = origin() }
        if number(0..<2) == 0 { changes.remindBefore = before().map { .set($0) } ?? .clear }
        return changes
    }

    /// Returns a random action, valid or not, in its dispatched or logged form.
    mutating func action() -> Todos.Action {
        let index = [0, 3, 39, .max][number(0..<4)]
        return switch number(0..<17) {
        case 0: .add((0..<number(0..<4)).map { _ in todo(id: id()) })
        case 1: .edit(id(), changes())
        case 2: .complete(id(), at: number(0..<2) == 0 ? nil : time(), day: due())
        case 3: .reopen(id())
        case 4: .remove(id())
        case 5: .removeAt(index: index)
        case 6: .putBack((0..<number(0..<3)).map { _ in PlacedTodo(todo(id: id()), at: index) })
        case 7: .move(id(), to: index)
        case 8: .clearCompleted((0..<number(0..<3)).map { _ in id() })
        case 9: .updateText(text())
        case 10: .submit
        case 11: .load
        case 12: .loaded((0..<number(0..<4)).map { _ in todo(id: id()) })
        case 13: .reminded(id(), of: due())
        case 14: .remindFailed(id(), of: due(), text())
        case 15: .remindCancelled(id(), of: due())
        default: .loadFailed(text())
        }
    }

    /// Returns the state after some random actions.
    mutating func state(_ steps: Int = 30) -> Todos.State {
        var state = Todos.State()
        for _ in 0..<number(0..<steps) { state.reduce(action()) }
        return state
    }
}
