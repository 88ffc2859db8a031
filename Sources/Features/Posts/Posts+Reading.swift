import PersistentCollections
public import Reducing

extension Posts {
    /// The fields that differ; of the list only pages that aren't shared are looked at.
    public static func changedScopes(from old: State, to new: State) -> ScopeSet {
        var scopes: ScopeSet = []
        if old.items != new.items { scopes.insert(Field.items) }
        if old.nextPage != new.nextPage { scopes.insert(Field.nextPage) }
        if old.loading != new.loading { scopes.insert(Field.loading) }
        if old.nextID != new.nextID { scopes.insert(Field.nextID) }
        return scopes
    }

    /// The fields that an action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .fetch, .more, .failed: Field.loading
        case .set, .append: [Field.items, Field.nextPage, Field.loading, Field.nextID]
        case .restore: [Field.items, Field.nextPage, Field.nextID]
        case .add: []
        }
    }

    /// What changed: of the list by row, each other field as a whole.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        guard let rows = new.items.changes(from: old.items, limit: limit) else { return nil }
        var changes = rows.map(Self.change)
        if old.nextPage != new.nextPage {
            changes.append(
                Change(path: "", kind: .set, old: ["nextPage": .int(old.nextPage)], new: ["nextPage": .int(new.nextPage)]))
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

    private static func change(_ change: OrderedChange<Post>) -> Change {
        switch change {
        case .insert(let id, let index, let post):
            Change(path: "items", kind: .insert, id: Int64(clamping: id), at: index, new: post.value)
        case .remove(let id, let index, let post):
            Change(path: "items", kind: .remove, id: Int64(clamping: id), at: index, old: post.value)
        case .move(let id, let from, let to):
            Change(path: "items", kind: .move, id: Int64(clamping: id), at: to, from: from)
        case .replace(let id, let index, let old, let new):
            Change(path: "items", kind: .replace, id: Int64(clamping: id), at: index, old: old.value, new: new.value)
        }
    }

    /// The list, and what stands beside it.
    public static let shape: Shape = [
        "items": .list(["id": .int, "key": .text, "title": .text, "link": .text, "summary": .text, "published": .int]),
        "nextPage": .int, "loading": .bool, "nextID": .int,
    ]

    /// The state by name, without the posts.
    public static func outline(of state: State) -> Value {
        [
            "items": [], "nextPage": .int(state.nextPage), "loading": .bool(state.loading),
            "nextID": .int(Int64(clamping: state.nextID)),
        ]
    }

    /// The posts.
    public static func lists(of state: State) -> [ListView] {
        let items = state.items
        return [
            ListView(path: "items", count: items.count) { range in
                var values: [Value] = []
                values.reserveCapacity(range.count)
                guard !range.isEmpty else { return values }
                items.forEach(from: range.lowerBound) { _, post in
                    values.append(post.value)
                    return values.count < range.count
                }
                return values
            }
        ]
    }

    /// What a screen shows: a title, whether there is more to fetch, and a row for each post.
    public static func view(of state: State) -> Value {
        var rows: [Value] = []
        rows.reserveCapacity(state.items.count)
        state.items.forEach { id, post in
            rows.append([
                "id": .int(Int64(clamping: id)), "title": .text(post.title), "link": .text(post.link),
                "published": .int(post.published),
            ])
            return true
        }
        return [
            "title": .text("Posts - (\(state.items.count))"),
            "loading": .bool(state.loading),
            "moreEnabled": .bool(state.nextPage > 0),
            "rows": .list(rows),
        ]
    }
}
