public import Fields

extension Todos {
    /// Applies a logged action; what doesn't fit the state changes nothing but `nextID`, and only `load` returns a command.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .add(let todos):
            insertOnTop(todos, &state)

        case .load:
            state.loading = true
            return [.load]

        case .loaded(let todos):
            insertOnTop(todos, &state)
            state.loading = false

        case .loadFailed:
            state.loading = false

        case .putBack(let placed):
            for place in placed { _ = insert(place.todo, at: place.index, &state) }

        case .edit(let id, let changes):
            state.raiseNextID(above: id)
            state.items.update(id) { changes.apply(to: &$0) }

        case .complete(let id, let time, _):
            state.raiseNextID(above: id)
            state.items.update(id, where: { $0.completed == nil }) { todo in
                todo.completed = time ?? context.time
                // The rule goes on with the todo that comes next, and with no other: what is opened again recurs no more.
                if !todo.every.utf8.isEmpty { todo.every = "" }
            }

        case .reopen(let id):
            state.raiseNextID(above: id)
            state.items.update(id, where: { $0.completed != nil }, { $0.completed = nil })

        case .remove(let id):
            state.raiseNextID(above: id)
            state.items.remove(id)

        case .move(let id, let index):
            state.raiseNextID(above: id)
            state.items.move(id, to: index)

        case .clearCompleted(let ids):
            for id in ids {
                state.raiseNextID(above: id)
                state.items.remove(id)
            }

        case .updateText(let text):
            state.draft = text

        case .removeAt, .submit:
            // Never logged: `prepare` resolves both.
            return []
        }
        return []
    }

    private static func insertOnTop(_ todos: [Todo], _ state: inout State) {
        var index = 0
        for todo in todos where insert(todo, at: index, &state) { index += 1 }
    }

    private static func insert(_ todo: Todo, at index: Int, _ state: inout State) -> Bool {
        guard Limits.ids.contains(todo.id) else { return false }
        state.raiseNextID(above: todo.id)
        return state.items.insert(todo, id: todo.id, at: index)
    }
}
