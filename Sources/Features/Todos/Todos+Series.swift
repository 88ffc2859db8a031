public import Fields

extension Todo {
    /// Whether another one takes its place when it is completed.
    var goesOn: Bool { completed == nil && !every.utf8.isEmpty }
}

/// Of those that take each other's place, one has the rule: else completing what came back, or came with a fork, would make a second series.
extension Todos {
    /// A place as it was; a todo whose place another one has taken since comes back without its rule.
    public static func restored(_ place: [PlaceStep], in present: State, from past: State) -> State? {
        guard var restored = present.restored(place, from: past) else { return nil }
        guard place.count == 2, case .id(let id) = place[1], let todo = restored.items[id], todo.goesOn,
            present.items.read(id, { $0.goesOn }) != true, holder(ofRuleOf: todo, in: present) != nil
        else { return restored }
        restored.items.update(id) { $0.every = "" }
        return restored
    }

    /// Leaves out what comes back, or with a fork, where another one has taken the same place meanwhile, which is a conflict.
    static func dropTwins(from takenBack: inout TakenBack<State>, of coming: [Todo], _ present: State, _ before: State) {
        for todo in coming where todo.goesOn && todo.series != 0 {
            guard let other = holder(ofRuleOf: todo, in: present), other.id < todo.id,
                takenBack.state.items.read(other.id, { $0.goesOn }) == true, before.items.read(other.id, { $0.goesOn }) != true
            else { continue }
            takenBack.conflicts.append(Conflict("items[\(other.id)]", expected: nil, found: other.value))
            takenBack.state.items.remove(todo.id)
        }
    }

    /// The other todo that has the rule of its series, if there is one; looks at all todos.
    private static func holder(ofRuleOf todo: Todo, in state: State) -> Todo? {
        let series = todo.series == 0 ? todo.id : todo.series
        var holder: Todo?
        state.items.forEachByID { id, other in
            if id != todo.id, other.goesOn, other.series == series || id == series { holder = other }
            return holder == nil
        }
        return holder
    }
}
