import PersistentCollections
public import Reducing

extension Flows {
    /// The list, and the next id.
    public static let shape: Shape = [
        "items": .list(["id": .int, "kind": .text, "parent": .int, "options": .list(.text), "input": .text]), "nextID": .int,
    ]

    /// The state by name, without the flows.
    public static func outline(of state: State) -> Value { ["items": [], "nextID": .int(Int64(clamping: state.nextID))] }

    /// The flows.
    public static func lists(of state: State) -> [ListView] {
        let items = state.items
        return [
            ListView(path: "items", count: items.count) { range in
                var values: [Value] = []
                guard !range.isEmpty else { return values }
                items.forEach(from: range.lowerBound) { _, flow in
                    values.append(flow.value)
                    return values.count < range.count
                }
                return values
            }
        ]
    }

    /// What changed: of the list by row, the next id as a whole.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        guard let rows = new.items.changes(from: old.items, limit: limit) else { return nil }
        var changes = rows.map(Self.change)
        if old.nextID != new.nextID {
            let ids = [old.nextID, new.nextID].map { Value.int(Int64(clamping: $0)) }
            changes.append(Change(path: "", kind: .set, old: ["nextID": ids[0]], new: ["nextID": ids[1]]))
        }
        return changes.count <= limit ? changes : nil
    }

    private static func change(_ change: OrderedChange<Flow>) -> Change {
        switch change {
        case .insert(let id, let index, let flow):
            Change(path: "items", kind: .insert, id: Int64(clamping: id), at: index, new: flow.value)
        case .remove(let id, let index, let flow):
            Change(path: "items", kind: .remove, id: Int64(clamping: id), at: index, old: flow.value)
        case .move(let id, let from, let to):
            Change(path: "items", kind: .move, id: Int64(clamping: id), at: to, from: from)
        case .replace(let id, let index, let old, let new):
            Change(path: "items", kind: .replace, id: Int64(clamping: id), at: index, old: old.value, new: new.value)
        }
    }

    /// What a screen shows: a row for each open flow, with its answers and whether it waits for another.
    public static func view(of state: State) -> Value {
        var rows: [Value] = []
        state.items.forEach { id, flow in
            rows.append([
                "id": .int(Int64(clamping: id)), "kind": .text(flow.kind), "parent": .int(Int64(clamping: flow.parent)),
                "options": flow.options.value, "waits": .bool(state.child(of: id) != nil),
            ])
            return true
        }
        return ["rows": .list(rows)]
    }
}
