public import Fields

extension Todos {
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
        // No order changes when it was added, or which one it comes from, so such a todo is another one.
        guard old.created == new.created, old.series == new.series else {
            return [.remove(id), .putBack([PlacedTodo(new, at: index)])]
        }
        var changes = TodoChanges(from: old, to: new)
        var completion: [Action] = []
        if old.completed != new.completed {
            if old.isCompleted { completion.append(.reopen(id)) }
            if let time = new.completed {
                completion.append(.complete(id, at: time))
                // Which takes the rule away.
                changes.every = new.every.utf8.isEmpty ? nil : new.every
            }
        }
        let edit: [Action] = changes.isEmpty ? [] : [.edit(id, changes)]
        // The edit comes while it is done, so that no reminder is asked for that is to be forgotten with the next order.
        return new.isCompleted ? completion + edit : edit + completion
    }
}
