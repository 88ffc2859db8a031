public import Fields

extension Todos {
    /// The todos under other ids, also where another one comes after them or takes their place; what never came is waited for by none.
    public static func carriedOver(_ state: State, since origin: State, along legs: [ForkLeg<State>]) -> State {
        var carried = state.carriedOver(since: origin, along: legs)
        var naming: [Todo] = []
        // What did not change since the fork began names nothing that was handed out since.
        carried.items.forEachDifference(from: origin.items, of: { $0 }, isSame: ==) { _, todo in
            guard let todo else { return true }
            if todo.series >= origin.nextID || todo.after.contains(where: { $0 >= origin.nextID }) { naming.append(todo) }
            return true
        }
        guard !naming.isEmpty else { return carried }
        let moved = MovedIDs(of: \.items, behind: \.nextID, since: origin, along: legs)
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
