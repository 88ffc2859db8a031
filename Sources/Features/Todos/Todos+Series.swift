public import Chronicle

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
}
