public import Fields

extension Todos {
    /// Takes back what happened to each todo, but not that somebody was reminded of it, which happened out there.
    ///
    /// A reminder that comes back is taken for given if it is not later than the last one that was, as the todo of now tells: whatever lies
    /// before that is over.
    public static func takenBack(_ present: State, from after: State, to before: State) -> TakenBack<State> {
        var takenBack = present.takenBack(from: after, to: before)
        // What is not taken back is not in the way, either.
        takenBack.conflicts.removeAll { $0.path.hasSuffix("].reminded") }
        var given: [(id: UInt64, time: Due?)] = []
        var coming: [Todo] = []
        takenBack.state.items.forEachDifference(from: present.items, of: { $0 }, isSame: ==) { was, todo in
            guard let todo else { return true }
            if todo.goesOn, was?.goesOn != true { coming.append(todo) }
            guard let was else { return true }
            let time = reminder(givenOf: todo, now: was, before.items[todo.id])
            if time != todo.reminded { given.append((todo.id, time)) }
            return true
        }
        for (id, time) in given { takenBack.state.items.update(id) { $0.reminded = time } }
        dropTwins(from: &takenBack, of: coming, present, before)
        return takenBack
    }

    /// Which reminder of a todo was given that comes to be so, from what it is now and what it was before.
    private static func reminder(givenOf todo: Todo, now present: Todo, _ before: Todo?) -> Due? {
        if let remind = todo.remind, let last = present.reminded, remind <= last { return remind }
        // Without the reminder of now, what is told of that one is nothing.
        guard let before, before.remind == todo.remind else { return todo.reminded }
        return before.reminded
    }
}
