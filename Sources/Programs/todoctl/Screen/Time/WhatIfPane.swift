import Chronicle
import TodoAPI

/// A what-if history without one record: the resulting present todos with marked differences.
///
/// Writes nothing.
struct WhatIfPane {
    let record: UInt64
    let sentence: String
    private(set) var todos: TodoList
    private(set) var marks: [Int64: TodoMark] = [:]
    private(set) var isKnown = false
    private(set) var reached: UInt64?
    private var changes: [Change] = []
    private var head: [String] = []

    init(record: UInt64, sentence: String, _ todos: TodoList) {
        (self.record, self.sentence, self.todos) = (record, sentence, todos)
    }

    var call: ScreenCall {
        ScreenCall(WhatIfMethod.self, .init(alterations: [AlterationMessage(skip: record)]), over: .own, more: true)
    }

    var restarted: WhatIfPane { WhatIfPane(record: record, sentence: sentence, todos) }

    mutating func take(_ answer: WhatIfMethod.Output, isLast: Bool) {
        if answer.to != nil {
            head = AlternativeLines(paint: .none).head(answer)
        } else if answer.changes == nil {
            reached = answer.reached
        }
        changes += answer.changes ?? []
        guard isLast else { return }
        isKnown = true
        (todos, marks) = Self.marked(todos, changes)
    }

    /// The todos after the changes, with marks; removed todos stay in place.
    static func marked(_ todos: TodoList, _ changes: [Change]) -> (TodoList, [Int64: TodoMark]) {
        var (list, marks) = (todos, [Int64: TodoMark]())
        var gone: [(id: Int64, element: Value, place: Int)] = []
        for change in changes where change.path == "todos.items" {
            guard let id = change.id else { continue }
            switch change.kind {
            case .insert: marks[id] = .added
            case .remove:
                marks[id] = .removed
                // Its position before any change.
                if let element = change.old { gone.append((id, element, todos.index(of: id) ?? change.at ?? 0)) }
            case .replace, .move: if marks[id] == nil { marks[id] = .changed }
            case .set: break
            }
            list.apply(change)
        }
        for (id, element, place) in gone.sorted(by: { $0.place < $1.place }) {
            guard list[id] == nil else {
                marks[id] = .changed
                continue
            }
            // After its old predecessor, because others may have been inserted before it.
            let before = place > 0 ? list.index(of: todos.ids[place - 1]) : nil
            list.apply(Change(path: "todos.items", kind: .insert, id: id, at: before.map { $0 + 1 } ?? place, new: element))
        }
        return (list, marks)
    }

    func lines(width: Int) -> PaneLines {
        var pane = PaneLines(width: width)
        pane.append(line: [StyledText("What if @\(record) had not come?", .bold)])
        pane.append(sentence, .dim)
        guard isKnown else {
            pane.append(reached.map { "Read as far as @\($0) …" } ?? "…", .dim)
            return pane
        }
        let told = ChangeSummary(changes: changes, isUndo: true, comesBack: true, paint: .none).lines
        pane.heading("THE PRESENT WOULD DIFFER")
        pane.append(told.isEmpty ? ["Nothing."] : told)
        if !head.isEmpty {
            pane.heading("OF THE LOG")
            for line in head {
                pane.append(line, line.hasPrefix("- ") ? .removed : line.hasPrefix("+ ") ? .added : .dim)
            }
        }
        pane.heading("Nothing is written.")
        pane.append("Enter applies this, after a preview; Esc closes it.", .dim)
        return pane
    }

    func mark(of id: Int64) -> TodoMark? { marks[id] }

    mutating func replace(_ todos: TodoList) { self.todos = todos }
}
