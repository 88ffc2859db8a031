public import Chronicle

extension Todos {
    /// The commands with all IDs and times that lead to a state, and a new request if todos were being loaded; refuses with `TooManyTodos`.
    public static func compensatingActions(from present: State, to wanted: State) throws(Refusal) -> [Action] {
        guard wanted.items.count <= max(Limits.todosMax, present.items.count) else {
            throw refusal(.tooManyTodos, "the list would have more than \(Limits.todosMax) todos")
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
                actions += commands(changing: id, at: index, from: old, to: new)
            }
        }
        flush()
        if !present.draft.hasSameBytes(as: wanted.draft) { actions.append(.updateText(wanted.draft)) }
        if wanted.loading, !present.loading { actions.append(.load) }
        return actions
    }

    private static func commands(changing id: UInt64, at index: Int, from old: Todo, to new: Todo) -> [Action] {
        // No command changes the creation time or the series, so such a todo must be replaced.
        guard old.created == new.created, old.series == new.series else {
            return [.remove(id), .putBack([PlacedTodo(new, at: index)])]
        }
        var changes = TodoChanges(from: old, to: new)
        var completion: [Action] = []
        if old.completed != new.completed {
            if old.isCompleted { completion.append(.reopen(id)) }
            if let time = new.completed {
                completion.append(.complete(id, at: time))
                // Completing removes the rule.
                changes.every = new.every.utf8.isEmpty ? nil : new.every
            }
        }
        let edit: [Action] = changes.isEmpty ? [] : [.edit(id, changes)]
        // Edits a completed todo after the completion, so that no reminder is scheduled and cancelled immediately.
        return new.isCompleted ? completion + edit : edit + completion
    }
}
