import PersistentCollections
public import Reducing

extension Todos {
    /// The list, and what stands beside it.
    public static let shape: Shape = [
        "items": .list([
            "id": .int, "title": .text, "note": .text, "tags": .list(.text), "priority": .int, "due": .text, "created": .int,
            "completed": .int,
        ]), "draft": .text, "loading": .bool, "nextID": .int,
    ]

    /// The state by name, without the todos.
    public static func outline(of state: State) -> Value {
        [
            "items": [], "draft": .text(state.draft), "loading": .bool(state.loading),
            "nextID": .int(Int64(clamping: state.nextID)),
        ]
    }

    /// The todos.
    public static func lists(of state: State) -> [ListView] {
        let items = state.items
        return [
            ListView(
                path: "items", count: items.count,
                elements: { range in
                    var values: [Value] = []
                    values.reserveCapacity(range.count)
                    guard !range.isEmpty else { return values }
                    items.forEach(from: range.lowerBound) { _, todo in
                        values.append(todo.value)
                        return values.count < range.count
                    }
                    return values
                },
                find: { id in UInt64(exactly: id).flatMap { items.read($0, \.value) } })
        ]
    }

    /// What changed: of the list by row, each other field as a whole.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        guard let rows = new.items.changes(from: old.items, limit: limit) else { return nil }
        var changes = rows.map(Self.change)
        if !old.draft.hasSameBytes(as: new.draft) {
            changes.append(Change(path: "", kind: .set, old: ["draft": .text(old.draft)], new: ["draft": .text(new.draft)]))
        }
        if old.loading != new.loading {
            changes.append(
                Change(path: "", kind: .set, old: ["loading": .bool(old.loading)], new: ["loading": .bool(new.loading)]))
        }
        if old.nextID != new.nextID {
            let ids = [old.nextID, new.nextID].map { Value.int(Int64(clamping: $0)) }
            changes.append(Change(path: "", kind: .set, old: ["nextID": ids[0]], new: ["nextID": ids[1]]))
        }
        return changes.count <= limit ? changes : nil
    }

    private static func change(_ change: OrderedChange<Todo>) -> Change {
        switch change {
        case .insert(let id, let index, let todo):
            Change(path: "items", kind: .insert, id: Int64(clamping: id), at: index, new: todo.value)
        case .remove(let id, let index, let todo):
            Change(path: "items", kind: .remove, id: Int64(clamping: id), at: index, old: todo.value)
        case .move(let id, let from, let to):
            Change(path: "items", kind: .move, id: Int64(clamping: id), at: to, from: from)
        case .replace(let id, let index, let old, let new):
            Change(path: "items", kind: .replace, id: Int64(clamping: id), at: index, old: old.value, new: new.value)
        }
    }

    /// What a screen shows: a title, an input section with one row, and a section with a row for each todo.
    ///
    /// `selections` has for each section the action that selecting a row of it dispatches with that row's id; of the input section none.
    public static func view(of state: State) -> Value {
        var rows: [Value] = []
        rows.reserveCapacity(state.items.count)
        state.items.forEach { id, todo in
            rows.append(["id": .int(Int64(clamping: id)), "text": .text(todo.title), "done": .bool(todo.isCompleted)])
            return true
        }
        return [
            "title": .text("TODO - (\(state.items.count))"),
            "addEnabled": .bool(TitleRule.isLongEnough(TitleRule.trimmed(state.draft))),
            "draft": .text(state.draft),
            "sections": [1, .int(Int64(state.items.count))],
            "selections": ["", "remove"],
            "rows": .list(rows),
        ]
    }
}
