import PersistentCollections
public import Reducing
import Restoring

extension Alerts {
    /// Takes away what was raised and brings back what was dismissed; that somebody has dismissed it since is no conflict.
    public static func restored(_ present: State, from after: State, to before: State) -> Restored<State> {
        var restored = Restored(present)
        let conflicts = restored.state.items.restore(from: after.items, to: before.items) { _, _, before in before }
        restored.conflicts = conflicts.flatMap { Conflict.of($0, in: "items") }
        restored.state.dropOldest()
        return restored
    }

    /// Dismissals where alerts only leave, else a patch.
    public static func compensation(from present: State, to wanted: State) -> [Action] {
        let patch = TablePatch(from: present.items, to: wanted.items)
        return patch.placed.isEmpty ? patch.removed.reversed().map { .dismiss($0) } : [.restore(patch)]
    }
}
