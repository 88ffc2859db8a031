public import Reducing

extension Stars {
    /// Takes back what happened to each button; one that was pressed since is a conflict.
    public static func restored(_ present: State, from after: State, to before: State) -> Restored<State> {
        var restored = Restored(present)
        for id in ids(in: after, before) where after[id] != before[id] && present[id] != before[id] {
            if present[id] != after[id] {
                restored.conflicts.append(
                    Conflict("items." + id, expected: after[id].value, found: present[id].value))
            }
            restored.state[id] = before[id]
        }
        return restored
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
