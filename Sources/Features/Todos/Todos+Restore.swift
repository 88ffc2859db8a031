import PersistentCollections
public import Reducing
import Restoring

extension Todos {
    /// Takes back what became of each todo; one that was changed since, in whatever field, is a conflict.
    ///
    /// Who insists gets the fields back that were changed, and no others. What somebody is typing stays, and is in nobody's way.
    public static func restored(_ present: State, from after: State, to before: State) -> Restored<State> {
        var restored = Restored(present)
        let conflicts = restored.state.items.restore(from: after.items, to: before.items) { found, after, before in
            found.restored(from: after, to: before)
        }
        restored.conflicts = conflicts.flatMap { Conflict.of($0, in: "items") }
        if present.draft.hasSameBytes(as: after.draft) { restored.state.draft = before.draft }
        // Whether something is under way is up to what is under way.
        if present.loading == after.loading { restored.state.loading = before.loading }
        return restored
    }

    /// The orders that a person would give, with all ids and times; and where todos were being loaded, a request for them.
    ///
    /// Refuses with `TooManyTodos`.
    public static func compensation(from present: State, to wanted: State) throws(Refusal) -> [Action] {
        guard wanted.items.count <= max(Limits.todosMax, present.items.count) else {
            throw Refusal("TooManyTodos", "the list would have more than \(Limits.todosMax) todos")
        }
        var actions: [Action] = []
        var placed: [PlacedTodo] = []
        func flush() {
            guard !placed.isEmpty else { return }
            actions.append(.putBack(placed))
            placed = []
        }
        for change in wanted.items.changes(from: present.items) ?? [] {
            switch change {
            case .insert(_, let index, let todo):
                placed.append(PlacedTodo(todo, at: index))
                if placed.count == Limits.putBackMax { flush() }
            case .remove(let id, _, _):
                flush()
                actions.append(.remove(id))
            case .move(let id, _, let index):
                flush()
                actions.append(.move(id, to: index))
            case .replace(let id, let index, let old, let new):
                flush()
                actions += orders(changing: id, at: index, from: old, to: new)
            }
        }
        flush()
        if !present.draft.hasSameBytes(as: wanted.draft) { actions.append(.updateText(wanted.draft)) }
        if wanted.loading, !present.loading { actions.append(.load) }
        return actions
    }

    private static func orders(changing id: UInt64, at index: Int, from old: Todo, to new: Todo) -> [Action] {
        // No order changes when it was added, so such a todo is another one.
        guard old.created == new.created else { return [.remove(id), .putBack([PlacedTodo(new, at: index)])] }
        var actions: [Action] = []
        let changes = TodoChanges(from: old, to: new)
        if !changes.isEmpty { actions.append(.edit(id, changes)) }
        if old.completed != new.completed {
            if old.isCompleted { actions.append(.reopen(id)) }
            if let time = new.completed { actions.append(.complete(id, at: time)) }
        }
        return actions
    }
}

extension TodoChanges {
    /// What makes one todo of another, but for its times.
    init(from old: Todo, to new: Todo) {
        self.init(
            title: old.title.hasSameBytes(as: new.title) ? nil : new.title,
            note: old.note.hasSameBytes(as: new.note) ? nil : new.note,
            tags: old.tags.hasSameBytes(as: new.tags) ? nil : new.tags,
            priority: old.priority == new.priority ? nil : new.priority,
            due: old.due == new.due ? nil : new.due.map { .set($0) } ?? .clear)
    }
}

extension Todo {
    /// The fields that differ between two states of it as they were before, all others as they are.
    fileprivate func restored(from after: Todo, to before: Todo) -> Todo {
        var todo = self
        TodoChanges(from: after, to: before).apply(to: &todo)
        if after.completed != before.completed { todo.completed = before.completed }
        return todo
    }
}
