import PersistentCollections
public import Reducing

extension Alerts {
    /// The fields that differ.
    public static func changedScopes(from old: State, to new: State) -> ScopeSet {
        var scopes: ScopeSet = []
        if old.items != new.items { scopes.insert(Field.items) }
        if old.nextID != new.nextID { scopes.insert(Field.nextID) }
        return scopes
    }

    /// The fields that an action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .raise, .restore: [Field.items, Field.nextID]
        case .dismiss, .dismissAll: Field.items
        }
    }

    /// What changed: alert by alert, and the next id.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        guard let rows = new.items.changes(from: old.items, limit: limit) else { return nil }
        var changes = rows.map(Self.change)
        if old.nextID != new.nextID {
            let ids = [old.nextID, new.nextID].map { Value.int(Int64(clamping: $0)) }
            changes.append(Change(path: "", kind: .set, old: ["nextID": ids[0]], new: ["nextID": ids[1]]))
        }
        return changes.count <= limit ? changes : nil
    }

    private static func change(_ change: OrderedChange<Alert>) -> Change {
        switch change {
        case .insert(let id, let index, let alert):
            Change(path: "items", kind: .insert, id: Int64(clamping: id), at: index, new: alert.value)
        case .remove(let id, let index, let alert):
            Change(path: "items", kind: .remove, id: Int64(clamping: id), at: index, old: alert.value)
        case .move(let id, let from, let to):
            Change(path: "items", kind: .move, id: Int64(clamping: id), at: to, from: from)
        case .replace(let id, let index, let old, let new):
            Change(path: "items", kind: .replace, id: Int64(clamping: id), at: index, old: old.value, new: new.value)
        }
    }

    /// The list, and the next id.
    public static let shape: Shape = ["items": .list(["id": .int, "text": .text]), "nextID": .int]

    /// The state by name, without the alerts.
    public static func outline(of state: State) -> Value { ["items": [], "nextID": .int(Int64(clamping: state.nextID))] }

    /// The alerts.
    public static func lists(of state: State) -> [ListView] {
        let items = state.items
        return [
            ListView(path: "items", count: items.count) { range in
                var values: [Value] = []
                guard !range.isEmpty else { return values }
                items.forEach(from: range.lowerBound) { _, alert in
                    values.append(alert.value)
                    return values.count < range.count
                }
                return values
            }
        ]
    }

    /// What a screen shows: how many alerts there are, and each with its text, the newest last.
    public static func view(of state: State) -> Value {
        ["count": .int(Int64(state.items.count)), "rows": state.items.elements.value]
    }
}
