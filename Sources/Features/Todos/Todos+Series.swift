public import Fields

extension Todo {
    /// Whether another one takes its place when it is completed.
    var goesOn: Bool { completed == nil && !every.utf8.isEmpty }

    /// The id of the first of those that take each other's place, which it may be itself.
    var firstOfSeries: UInt64 { series == 0 ? id : series }
}

/// Of those that take each other's place, one has the rule: else completing what came back, or came with a fork, would make a second series.
///
/// Two had it already where somebody gave the second one a rule; that is left to them.
extension Todos {
    /// A place as it was; a todo whose place another one has taken since comes back without its rule, which alone can't be put back then.
    ///
    /// That a reminder was given can't be, either: it happened out there.
    public static func restored(_ place: [PlaceStep], in present: State, from past: State) -> State? {
        guard place.last != .name("reminded"), var restored = present.restored(place, from: past) else { return nil }
        guard place.count > 1, case .id(let id) = place[1], let todo = restored.items[id] else { return restored }
        let field = place.count > 2 ? place[2] : nil
        guard field == nil || field == .name("every") || field == .name("completed"), !todo.every.utf8.isEmpty,
            present.items.read(id, { $0.goesOn }) != true,
            let holder = holders(ofRulesOf: [todo], in: present)[todo.firstOfSeries], !bothGoOn(id, holder, in: past)
        else { return restored }
        if field == .name("every") { return nil }
        restored.items.update(id) { $0.every = "" }
        return restored
    }

    /// Leaves one of each series with the rule, where todos come to go on that did not.
    ///
    /// What comes with a fork where another one has taken the same place meanwhile is left out, which is a conflict; all else comes back without
    /// its rule.
    static func dropTwins(from takenBack: inout TakenBack<State>, of coming: [Todo], _ present: State, _ before: State) {
        guard !coming.isEmpty else { return }
        var going = holders(ofRulesOf: coming, in: takenBack.state)
        for todo in coming {
            guard let holder = going[todo.firstOfSeries] else {
                going[todo.firstOfSeries] = todo.id
                continue
            }
            guard !bothGoOn(todo.id, holder, in: before) else { continue }
            if todo.id >= present.nextID, let other = takenBack.state.items[holder] {
                takenBack.conflicts.append(Conflict("items[\(holder)]", expected: nil, found: other.value))
                takenBack.state.items.remove(todo.id)
            } else {
                takenBack.state.items.update(todo.id) { $0.every = "" }
            }
        }
    }

    private static func bothGoOn(_ one: UInt64, _ other: UInt64, in state: State) -> Bool {
        [one, other].allSatisfy { id in state.items.read(id) { $0.goesOn } == true }
    }

    /// Of the series of some todos, which other one goes on, by the first of each; looks at all todos, once.
    private static func holders(ofRulesOf todos: [Todo], in state: State) -> [UInt64: UInt64] {
        let (ids, series) = (Set(todos.map(\.id)), Set(todos.map(\.firstOfSeries)))
        var holders: [UInt64: UInt64] = [:]
        state.items.forEachByID { id, other in
            if other.goesOn, !ids.contains(id), series.contains(other.firstOfSeries) { holders[other.firstOfSeries] = id }
            return true
        }
        return holders
    }
}
