public import Reducing

extension Counter {
    /// A fact for a shift: it takes back what was counted.
    public static func nature(of action: Action) -> ActionNature { if case .shift = action { .fact } else { .order } }

    /// Counts the opposite difference, so that what was counted since stays; a conflict only where no count can be that large.
    public static func restored(_ present: State, from after: State, to before: State) -> Restored<State> {
        // Counts have 54 bits, so this can't overflow.
        let count = present.count + (before.count - after.count)
        guard count.magnitude <= countMax.magnitude else {
            return Restored(before, conflicts: [Conflict("count", expected: .int(after.count), found: .int(present.count))])
        }
        return Restored(State(count: count))
    }

    /// One more, one less, or a shift by what is missing.
    public static func compensation(from present: State, to wanted: State) -> [Action] {
        let difference = wanted.count - present.count
        switch difference {
        case 0: return []
        case 1: return [.increment]
        case -1: return [.decrement]
        case -countMax...countMax: return [.shift(by: difference)]
        default:
            // Two steps, since no number on the wire is larger than a count.
            let half = difference / 2
            return [.shift(by: half), .shift(by: difference - half)]
        }
    }
}
