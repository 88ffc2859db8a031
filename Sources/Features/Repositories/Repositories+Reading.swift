import PersistentCollections
public import Reducing

extension Repositories {
    /// The choice of a language, and the list for it.
    public static let shape: Shape = [
        "language": .text, "languages": .list(.text),
        "items": .list(["id": .int, "fullName": .text, "description": .text, "url": .text, "stars": .int]), "loading": .bool,
        "isLive": .bool,
    ]

    /// The state by name, without the repositories.
    public static func outline(of state: State) -> Value {
        [
            "language": .text(state.language), "languages": state.languages.value, "items": [], "loading": .bool(state.loading),
            "isLive": .bool(state.isLive),
        ]
    }

    /// The repositories.
    public static func lists(of state: State) -> [ListView] {
        let items = state.items
        return [
            ListView(path: "items", count: items.count) { range in
                var values: [Value] = []
                guard !range.isEmpty else { return values }
                items.forEach(from: range.lowerBound) { _, repository in
                    values.append(repository.value)
                    return values.count < range.count
                }
                return values
            }
        ]
    }

    /// What changed: of the list by row, each other field as a whole.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        guard let rows = new.items.changes(from: old.items, limit: limit) else { return nil }
        var changes = rows.map(Self.change)
        func note(_ field: String, _ before: Value, _ after: Value) {
            let (old, new): (Value, Value) = (.record([.init(field, before)]), .record([.init(field, after)]))
            changes.append(Change(path: "", kind: .set, old: old, new: new))
        }
        if !old.language.hasSameBytes(as: new.language) { note("language", .text(old.language), .text(new.language)) }
        if !old.hasSameLanguages(as: new.languages) { note("languages", old.languages.value, new.languages.value) }
        if old.loading != new.loading { note("loading", .bool(old.loading), .bool(new.loading)) }
        if old.isLive != new.isLive { note("isLive", .bool(old.isLive), .bool(new.isLive)) }
        return changes.count <= limit ? changes : nil
    }

    private static func change(_ change: OrderedChange<Repository>) -> Change {
        switch change {
        case .insert(let id, let index, let repository):
            Change(path: "items", kind: .insert, id: Int64(clamping: id), at: index, new: repository.value)
        case .remove(let id, let index, let repository):
            Change(path: "items", kind: .remove, id: Int64(clamping: id), at: index, old: repository.value)
        case .move(let id, let from, let to):
            Change(path: "items", kind: .move, id: Int64(clamping: id), at: to, from: from)
        case .replace(let id, let index, let old, let new):
            Change(path: "items", kind: .replace, id: Int64(clamping: id), at: index, old: old.value, new: new.value)
        }
    }

    /// What a screen shows: the language as the title, a refresh indicator, and a row for each repository.
    public static func view(of state: State) -> Value {
        var rows: [Value] = []
        rows.reserveCapacity(state.items.count)
        state.items.forEach { id, repository in
            rows.append([
                "id": .int(Int64(clamping: id)), "name": .text(repository.fullName), "description": .text(repository.description),
                "stars": .text("⭐️ \(repository.stars)"), "url": .text(repository.url),
            ])
            return true
        }
        return [
            "title": .text(state.language), "refreshing": .bool(state.loading), "languages": state.languages.value,
            "repositories": .list(rows),
        ]
    }
}
