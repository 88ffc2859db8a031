public import Chronicle

extension Stars {
    /// The diff of two states, with each changed button as a field of `items`; a button in its initial state has no old or new value.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        if old == new { return [] }
        let ids = ids(in: old, new).filter { old[$0] != new[$0] }
        guard ids.count <= limit else { return nil }
        return ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { id in
            func part(_ state: State) -> Value? { state.contains(id) ? [id: state[id].value] : nil }
            return Change(path: "items", kind: .set, old: part(old), new: part(new))
        }
    }

    /// Reverts the change of each button; a button that was pressed since is a conflict.
    public static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State> {
        var reverted = RevertResult(present)
        for id in ids(in: after, before) where after[id] != before[id] && present[id] != before[id] {
            if present[id] != after[id] {
                reverted.conflicts.append(Conflict("items." + id, expected: after[id].value, found: present[id].value))
            }
            reverted.state[id] = before[id]
        }
        return reverted
    }

    /// The star and unstar requests; nothing else can change a button, and a button with a running request can't change.
    public static func compensatingActions(from present: State, to wanted: State) -> [Action] {
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
