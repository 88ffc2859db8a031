public import Chronicle
import TodoRules

extension Todos {
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .add(let todos): return try prepareAdd(todos, state, context)
        case .submit:
            let added = try prepareAdd([Todo(title: state.draft)], state, context)
            return added + [.updateText("")]
        case .edit(let id, let changes):
            try requireLive(id, state)
            if changes.isEmpty { return [] }
            let logged = try prepared(changes, of: id, state)
            guard let todo = state.items[id] else { return [] }
            var edited = todo
            logged.apply(to: &edited)
            return edited == todo ? [] : [.edit(id, logged)]
        case .complete(let id, let time, let day):
            try requireLive(id, state)
            guard state.items.read(id, { $0.completed == nil }) == true else { return [] }
            let completed = Action.complete(id, at: time ?? context.time)
            guard time == nil, let next = successor(of: id, doneOn: day, state, context) else { return [completed] }
            let following = try prepared([next], state, context, title: preparedLoadedTitle)
            let series = state.items.read(id) { $0.firstOfSeries } ?? id
            return [completed, .add(following.map { $0.with(series: series) })]
        case .reopen(let id):
            try requireLive(id, state)
            let isCompleted = state.items.read(id) { $0.completed != nil } == true
            return isCompleted ? [action] : []
        case .remove(let id):
            try requireLive(id, state)
            return [action]
        case .removeAt(let index):
            guard let id = state.items.id(at: index) else { throw unknownIndex(index, state) }
            return [.remove(id)]
        case .putBack(let placed): return try preparePutBack(placed, state)
        case .move(let id, let index):
            try requireLive(id, state)
            guard index >= 0 else { throw unknownIndex(index, state) }
            let index = min(index, state.items.count - 1)
            return state.items.id(at: index) == id ? [] : [.move(id, to: index)]
        case .clearCompleted(let given):
            guard given.isEmpty else {
                throw refusal(.fieldNotAllowed, "clearCompleted finds the completed todos itself; omit the ids")
            }
            let ids = completedIDs(state)
            return ids.isEmpty ? [] : [.clearCompleted(ids)]
        case .updateText(let text):
            try require(text, bytesMax: Limits.draftBytesMax, .draftTooLong, "the draft")
            return [action]
        case .load: return [action]
        case .loaded(let todos): return try prepareLoaded(todos, state, context)
        case .loadFailed(let reason): return [.loadFailed(reason.prefix(bytesMax: Limits.reasonBytesMax))]
        case .reminded: return [action]
        case .remindFailed(let id, let time, let reason):
            return [.remindFailed(id, of: time, reason.prefix(bytesMax: Limits.reasonBytesMax))]
        case .remindCancelled(let id, let time):
            // If the todo was completed, removed or rescheduled, its command has ended already.
            let isComing = state.items.read(id) { $0.pendingReminder != nil && $0.pendingReminder == time } == true
            return isComing ? [action] : []
        }
    }

    private static func prepareAdd(_ todos: [Todo], _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        guard !todos.isEmpty else { return [] }
        return [.add(try prepared(todos, state, context, title: preparedTitle))]
    }

    /// Prepares loaded todos; an empty result is logged too.
    ///
    /// Drops blank titles and todos that the list already has, counted by title, so that loading again adds only new todos.
    private static func prepareLoaded(_ todos: [Todo], _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        let named = todos.filter { !TitleRule.isBlank($0.title) }
        return [.loaded(try prepared(try missing(named, in: state), state, context, title: preparedLoadedTitle))]
    }

    /// Returns the todos of a data source that are missing in the list, completed or not.
    private static func missing(_ todos: [Todo], in state: State) throws(Refusal) -> [Todo] {
        // Compared as bytes, because comparing many combining marks as Swift strings is slow.
        var titles: [[UInt8]] = []
        for todo in todos { titles.append(Array(try preparedLoadedTitle(todo.title).utf8)) }
        var there = Dictionary(titles.map { ($0, 0) }, uniquingKeysWith: { first, _ in first })
        let lengths = Set(titles.map(\.count))
        state.items.forEachByID { _, todo in
            if lengths.contains(todo.title.utf8.count) {
                let title = Array(todo.title.utf8)
                if let count = there[title] { there[title] = count + 1 }
            }
            return true
        }
        var missing: [Todo] = []
        for (todo, title) in zip(todos, titles) {
            if let count = there[title], count > 0 { there[title] = count - 1 } else { missing.append(todo) }
        }
        return missing
    }

    /// Prepares new todos with IDs and creation times; imported todos keep their titles and their past times.
    private static func prepared(
        _ todos: [Todo], _ state: State, _ context: Context, title preparedTitle: (String) throws(Refusal) -> String
    ) throws(Refusal) -> [Todo] {
        try requireRoom(for: todos.count, state)
        guard UInt64(todos.count) <= ElementID.range.upperBound + 1 - state.nextID else {
            throw refusal(.idsExhausted, "there are no ids left for \(todos.count) more todos")
        }
        var prepared: [Todo] = []
        prepared.reserveCapacity(todos.count)
        for var todo in todos {
            let isImported = !todo.origin.isInitial
            guard todo.id == 0, todo.series == 0, isImported || todo.created == 0 && todo.completed == nil else {
                throw refusal(.fieldNotAllowed, "the daemon sets the id and the times of a new todo; omit them")
            }
            if todo.reminded != nil { throw remindedNotAllowed }
            todo.title = try isImported ? preparedImportedTitle(todo.title) : preparedTitle(todo.title)
            try prepareDetails(&todo, state)
            todo.id = state.nextID + UInt64(prepared.count)
            todo.created = todo.created == 0 ? context.time : min(todo.created, context.time)
            if let completed = todo.completed { todo.completed = min(completed, context.time) }
            prepared.append(todo)
        }
        return prepared
    }

    private static func preparePutBack(_ placed: [PlacedTodo], _ state: State) throws(Refusal) -> [Action] {
        guard !placed.isEmpty else { return [] }
        try requireRoom(for: placed.count, state)
        var ids: Set<UInt64> = []
        var prepared = placed
        // The dependencies of the restored todos are added one by one, because they may form a cycle among themselves.
        var linked = state
        var links = DependencyCycle.linksMax(of: linkedCount(placed))
        for index in prepared.indices {
            var todo = prepared[index].todo
            guard ElementID.range.contains(todo.id), todo.id < state.nextID else {
                throw refusal(.idNotHandedOut, "there never was a todo \(todo.id); only removed todos can be restored")
            }
            guard !state.items.contains(todo.id), ids.insert(todo.id).inserted else {
                throw refusal(.idInUse, "todo \(todo.id) is in the list already")
            }
            guard prepared[index].index >= 0 else { throw unknownIndex(prepared[index].index, state) }
            prepared[index].index = min(prepared[index].index, state.items.count + index)
            // A restored todo may have a title that is too short for a new one.
            try requireAllowed(title: todo.title)
            try prepareDetails(&todo, state)
            if !todo.after.isEmpty {
                try requireNoCycle(todo.after, of: todo.id, linked, links: &links)
                _ = insert(todo, at: 0, &linked)
            }
            prepared[index].todo = todo
        }
        return [.putBack(prepared)]
    }

    private static func linkedCount(_ placed: [PlacedTodo]) -> Int { placed.count { !$0.todo.after.isEmpty } }

    /// The number of todos that `clearCompleted` visits, and of dependencies that the cycle check may follow.
    public static func cost(of action: Action, in state: State) -> Int {
        switch action {
        case .clearCompleted: state.items.count
        case .edit(_, let changes): changes.after?.isEmpty == false ? DependencyCycle.linksMax(of: 1) : 1
        case .putBack(let placed): max(1, DependencyCycle.linksMax(of: linkedCount(placed)))
        default: 1
        }
    }

    private static func completedIDs(_ state: State) -> [UInt64] {
        var ids: [UInt64] = []
        state.items.forEachByID { id, todo in
            if todo.completed != nil { ids.append(id) }
            return true
        }
        return ids
    }
}
