public import Chronicle

extension Todos {
    /// Applies a logged action; an action that doesn't fit the state changes nothing but `nextID`.
    ///
    /// Only `load` and reminders return commands.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .add(let todos):
            return insertOnTop(todos, &state, context)

        case .load:
            state.loading = true
            return [.load]

        case .loaded(let todos):
            state.loading = false
            return insertOnTop(todos, &state, context)

        case .loadFailed:
            state.loading = false

        case .putBack(let placed):
            var commands: [Command] = []
            for place in placed where insert(place.todo, at: place.index, &state) {
                commands += place.todo.reminder(from: context.time)
            }
            return commands

        case .edit(let id, let changes):
            state.raiseNextID(above: id)
            return update(id, in: &state, context) { changes.apply(to: &$0) }

        case .complete(let id, let time, _):
            state.raiseNextID(above: id)
            guard state.items.read(id, { $0.completed == nil }) == true else { return [] }
            return update(id, in: &state, context) { todo in
                todo.completed = time ?? context.time
                // The rule moves to the next todo of the series, so a reopened todo doesn't recur.
                if !todo.every.utf8.isEmpty { todo.every = "" }
            }

        case .reopen(let id):
            state.raiseNextID(above: id)
            guard state.items.read(id, { $0.completed != nil }) == true else { return [] }
            return update(id, in: &state, context) { $0.completed = nil }

        case .remove(let id):
            state.raiseNextID(above: id)
            let forgotten = forgetting(id, in: state)
            state.items.remove(id)
            return forgotten

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

        case .reminded(let id, let time), .remindFailed(let id, let time, _):
            state.raiseNextID(above: id)
            // This event ends the command of the reminder.
            state.items.update(id) { $0.reminded = time }

        case .remindCancelled(let id, let time):
            state.raiseNextID(above: id)
            // Ends the command as well; ignored for another reminder.
            state.items.update(id) { todo in
                if todo.remind == time { (todo.remind, todo.remindBefore) = (nil, nil) }
            }

        case .removeAt, .submit:
            // Never logged, because `prepare` replaces both.
            return []
        }
        return []
    }

    private static func insertOnTop(_ todos: [Todo], _ state: inout State, _ context: Context) -> [Command] {
        var index = 0
        var commands: [Command] = []
        for todo in todos where insert(todo, at: index, &state) {
            index += 1
            commands += todo.reminder(from: context.time)
        }
        return commands
    }

    static func insert(_ todo: Todo, at index: Int, _ state: inout State) -> Bool {
        guard ElementID.range.contains(todo.id) else { return false }
        state.raiseNextID(above: todo.id)
        return state.items.insert(todo, id: todo.id, at: index)
    }
}
