public import Reducing

extension Stars {
    private static let items = ScopeSet(index: 0)

    /// The buttons, if any differs.
    public static func changedScopes(from old: State, to new: State) -> ScopeSet { old == new ? [] : items }

    /// The buttons.
    public static func scopes(of action: Action) -> ScopeSet { items }

    /// The buttons that differ, each as a field of `items`: without an old value where it stood as it began, without a new one
    /// where it does so now.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        if old == new { return [] }
        var changes: [Change] = []
        func set(_ id: String, _ old: Star?, _ new: Star?) {
            let part = { (star: Star?) in star.map { Value.record([Value.Field(id, $0.value)]) } }
            changes.append(Change(path: "items", kind: .set, old: part(old), new: part(new)))
        }
        var (left, right) = (old.entries[...], new.entries[...])
        while changes.count <= limit {
            switch (left.first, right.first) {
            case (nil, nil): return changes
            case (let before?, let after?) where before.id.hasSameBytes(as: after.id):
                if before.star != after.star { set(before.id, before.star, after.star) }
                left.removeFirst()
                right.removeFirst()
            case (let before?, let after) where after.map { before.id.utf8.lexicographicallyPrecedes($0.id.utf8) } ?? true:
                set(before.id, before.star, nil)
                left.removeFirst()
            case (_, let after?):
                set(after.id, nil, after.star)
                right.removeFirst()
            case (_, nil):
                // The case above has taken every button that is on the left alone.
                return changes
            }
        }
        return nil
    }

    /// Buttons under their ids.
    public static let shape: Shape = ["items": .map(["phase": .text, "starCount": .int])]

    /// The state, which has no lists.
    public static func outline(of state: State) -> Value { state.value }

    /// None.
    public static func lists(of state: State) -> [ListView] { [] }

    /// What a screen shows: for each button what it looks like, its count, and whether it can be pressed.
    public static func view(of state: State) -> Value {
        let rows = state.entries.map { entry -> Value in
            [
                "id": .text(entry.id), "phase": .text(entry.star.phase.name), "starCount": .int(entry.star.starCount),
                "enabled": .bool(!entry.star.phase.isTransition),
            ]
        }
        return ["rows": .list(rows)]
    }
}
