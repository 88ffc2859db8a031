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
            present.items.read(id, { $0.goesOn }) != true
        else { return restored }
        let series = todo.series == 0 ? id : todo.series
        guard holders(ofRulesOf: [series], in: present)[series] != nil else { return restored }
        restored.items.update(id) { $0.every = "" }
        return restored
    }

    /// Leaves out what comes back, or with a fork, where another one has taken the same place meanwhile, which is a conflict.
    static func dropTwins(from takenBack: inout TakenBack<State>, of coming: [Todo], _ present: State, _ before: State) {
        let successors = coming.filter { $0.goesOn && $0.series != 0 }
        let others = holders(ofRulesOf: Set(successors.map(\.series)), in: present)
        for todo in successors {
            guard let other = others[todo.series], other.id < todo.id,
                takenBack.state.items.read(other.id, { $0.goesOn }) == true, before.items.read(other.id, { $0.goesOn }) != true
            else { continue }
            takenBack.conflicts.append(Conflict("items[\(other.id)]", expected: nil, found: other.value))
            takenBack.state.items.remove(todo.id)
        }
    }

    /// The first todo that has the rule of each of some series, where there is one; looks at all todos once, however many series there are.
    private static func holders(ofRulesOf series: Set<UInt64>, in state: State) -> [UInt64: Todo] {
        var holders: [UInt64: Todo] = [:]
        guard !series.isEmpty else { return holders }
        state.items.forEachByID { id, todo in
            guard todo.goesOn else { return true }
            if series.contains(todo.series), holders[todo.series] == nil { holders[todo.series] = todo }
            // The first of a series is not told which it is of.
            if series.contains(id), holders[id] == nil { holders[id] = todo }
            return holders.count < series.count
        }
        return holders
    }
}
