public import Chronicle

extension Todos {
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
