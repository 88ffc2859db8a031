import PersistentCollections
public import Reducing
import Restoring

extension Flows {
    /// Opens again what was ended, and takes away what was started; another open flow of the same kind is a conflict.
    public static func restored(_ present: State, from after: State, to before: State) -> Restored<State> {
        var restored = Restored(present)
        let conflicts = restored.state.items.restore(from: after.items, to: before.items) { _, _, before in before }
        restored.conflicts = conflicts.flatMap { Conflict.of($0, in: "items") }
        for flow in restored.state.items.elements where !present.items.contains(flow.id) {
            guard let other = present.flow(of: flow.kind), restored.state.items.contains(other.id) else { continue }
            // There is at most one of a kind, whatever anybody insists on.
            restored.state.items.remove(flow.id)
            restored.conflicts.append(Conflict("items[\(flow.id)]", expected: nil, found: other.value))
        }
        return restored
    }

    /// Ends where flows only leave, else a patch.
    public static func compensation(from present: State, to wanted: State) -> [Action] {
        let patch = TablePatch(from: present.items, to: wanted.items)
        return patch.placed.isEmpty ? patch.removed.map { .ended($0, result: nil) } : [.restore(patch)]
    }
}
