public import Chronicle

extension Todos {
    /// Reverts the changes of each todo, except that a reminder was delivered.
    ///
    /// A restored reminder counts as delivered if it is not later than the last delivered one.
    public static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State> {
        var reverted = present.reverted(from: after, to: before)
        var (corrected, conflicts) = ([Todo](), [Conflict]())
        var coming: [Todo] = []
        reverted.state.items.forEachDifference(from: present.items, of: { $0 }, isSame: ==) { was, todo in
            guard var todo else { return true }
            if todo.isRecurring, was?.isRecurring != true { coming.append(todo) }
            guard let was else { return true }
            let merged = todo
            // A reminder before the due date moves with it, also if one of both was changed later.
            if let time = todo.remindBefore, (todo.due, todo.remindBefore, todo.remind) != (was.due, was.remindBefore, was.remind)
            {
                if let remind = try? reminder(time, aheadOf: todo.due) {
                    todo.remind = remind
                    let last = after.items[todo.id]?.remind
                    if was.remindBefore == nil, was.remind != last, was.remind != remind {
                        conflicts.append(Conflict("items[\(todo.id)].remind", expected: last?.value, found: was.remind?.value))
                    }
                } else {
                    todo.remindBefore = nil
                    let path = "items[\(todo.id)].remindBefore"
                    conflicts.append(
                        Conflict(path, expected: after.items[todo.id]?.remindBefore?.value, found: was.remindBefore?.value))
                }
            }
            todo.reminded = reminder(givenOf: todo, now: was, before.items[todo.id])
            if todo != merged { corrected.append(todo) }
            return true
        }
        for todo in corrected { reverted.state.items.update(todo.id) { $0 = todo } }
        reverted.conflicts += conflicts
        dropDuplicates(from: &reverted, of: coming, present, before)
        return reverted
    }

    /// Returns the delivered reminder of a reverted todo, from its current and its previous version.
    private static func reminder(givenOf todo: Todo, now present: Todo, _ before: Todo?) -> Due? {
        if let remind = todo.remind, let last = present.reminded, remind <= last { return remind }
        // `reminded` is only meaningful together with the reminder that it refers to.
        guard let before, before.remind == todo.remind else { return todo.reminded }
        return before.reminded
    }

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

extension Todo {
    /// Whether completing it creates the next todo of its series.
    var isRecurring: Bool { completed == nil && !every.utf8.isEmpty }

    /// The ID of the first todo of the series; its own ID if it is the first.
    var firstOfSeries: UInt64 { series == 0 ? id : series }
}

/// At most one todo of a series has the recurrence rule, because completing a second one would start another series.
///
/// An exception are two todos that already had a rule before, for example because someone gave the second one a rule; both keep it.
extension Todos {
    /// Restores a record or field; a todo whose successor exists comes back without its rule, and the rule alone can't be restored.
    ///
    /// `reminded` can't be restored, because the reminder was delivered.
    public static func restored(_ place: [PlaceStep], in present: State, from past: State) -> State? {
        guard place.last != .name("reminded"), var restored = present.restored(place, from: past) else { return nil }
        guard place.count > 1, case .id(let id) = place[1], let todo = restored.items[id] else { return restored }
        let field = place.count > 2 ? place[2] : nil
        guard field == nil || field == .name("every") || field == .name("completed"), !todo.every.utf8.isEmpty,
            present.items.read(id, { $0.isRecurring }) != true,
            let other = recurringTodos(inSeriesOf: [todo], in: present)[todo.firstOfSeries],
            !areBothRecurring(id, other, in: past)
        else { return restored }
        if field == .name("every") { return nil }
        restored.items.update(id) { $0.every = "" }
        return restored
    }

    /// Removes duplicate rules of a series after todos became recurring again.
    ///
    /// A todo of a fork is dropped with a conflict if a concurrent todo has its place in the series. Any other todo comes back without its
    /// rule.
    static func dropDuplicates(from reverted: inout RevertResult<State>, of coming: [Todo], _ present: State, _ before: State) {
        guard !coming.isEmpty else { return }
        var recurring = recurringTodos(inSeriesOf: coming, in: reverted.state)
        for todo in coming {
            guard let other = recurring[todo.firstOfSeries] else {
                recurring[todo.firstOfSeries] = todo.id
                continue
            }
            guard !areBothRecurring(todo.id, other, in: before) else { continue }
            if todo.id >= present.nextID, let existing = reverted.state.items[other] {
                reverted.conflicts.append(Conflict("items[\(other)]", expected: nil, found: existing.value))
                reverted.state.items.remove(todo.id)
            } else {
                reverted.state.items.update(todo.id) { $0.every = "" }
            }
        }
    }

    private static func areBothRecurring(_ one: UInt64, _ other: UInt64, in state: State) -> Bool {
        [one, other].allSatisfy { id in state.items.read(id) { $0.isRecurring } == true }
    }

    /// Returns the other recurring todo of each series, by the series' first ID; scans all todos once.
    private static func recurringTodos(inSeriesOf todos: [Todo], in state: State) -> [UInt64: UInt64] {
        let (ids, series) = (Set(todos.map(\.id)), Set(todos.map(\.firstOfSeries)))
        var recurring: [UInt64: UInt64] = [:]
        state.items.forEachByID { id, other in
            if other.isRecurring, !ids.contains(id), series.contains(other.firstOfSeries) { recurring[other.firstOfSeries] = id }
            return true
        }
        return recurring
    }

    /// Renumbers the todos of a fork and the references to them in `after` and `series`; references to missing todos are dropped.
    public static func renumbered(_ state: State, since origin: State, along stretches: [ForkStretch<State>]) -> State {
        var carried = state.renumbered(since: origin, along: stretches)
        var naming: [Todo] = []
        // A todo that has not changed since the fork can't reference newer IDs.
        carried.items.forEachDifference(from: origin.items, of: { $0 }, isSame: ==) { _, todo in
            guard let todo else { return true }
            if todo.series >= origin.nextID || todo.after.contains(where: { $0 >= origin.nextID }) { naming.append(todo) }
            return true
        }
        guard !naming.isEmpty else { return carried }
        let moved = MovedIDs(of: \.items, behind: \.nextID, since: origin, along: stretches)
        for todo in naming {
            let after = todo.after.compactMap { moved[$0] }
            let series = todo.series == 0 ? 0 : moved[todo.series] ?? 0
            carried.items.update(todo.id) { todo in
                todo.after = after
                todo.series = series
            }
        }
        return carried
    }
}
