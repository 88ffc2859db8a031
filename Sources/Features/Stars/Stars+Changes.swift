public import Fields

extension Stars {
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

    /// Takes back what happened to each button; one that was pressed since is a conflict.
    public static func takenBack(_ present: State, from after: State, to before: State) -> TakenBack<State> {
        var takenBack = TakenBack(present)
        for id in ids(in: after, before) where after[id] != before[id] && present[id] != before[id] {
            if present[id] != after[id] {
                takenBack.conflicts.append(
                    Conflict("items." + id, expected: after[id].value, found: present[id].value))
            }
            takenBack.state[id] = before[id]
        }
        return takenBack
    }

    /// The requests that give or take back stars: nothing else changes a button, and during a request nothing does.
    public static func compensation(from present: State, to wanted: State) -> [Action] {
        ids(in: present, wanted).compactMap { id in
            switch wanted[id].phase {
            case .star, .staring: star(id, in: present)
            case .unstar, .unstaring: unstar(id, in: present)
            }
        }
    }

    private static func ids(in left: State, _ right: State) -> [String] {
        left.entries.map(\.id) + right.entries.map(\.id).filter { !left.contains($0) }
    }
}
