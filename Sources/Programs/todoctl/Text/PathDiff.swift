import Chronicle

/// Where an element stood before several changes of its list, and stands after them: each of them counts places from the one before.
enum PathDiff {
    /// The change at an index, with the places that a person sees where it is a move.
    static func told(_ index: Int, of changes: [Change]) -> Change {
        var change = changes[index]
        guard change.kind == .move, let from = change.from, let at = change.at else { return change }
        let isSame = { (other: Change) in other.path == change.path }
        // Back through a change: what it put there goes, and what it took from there comes.
        let before = changes[..<index].reversed().filter(isSame).reduce(from) { carried($0, from: put($1), to: taken($1)) }
        let after = changes[(index + 1)...].filter(isSame).reduce(at) { carried($0, from: taken($1), to: put($1)) }
        (change.from, change.at) = (before, after)
        return change
    }

    /// Where an element stands when another was taken from a place, put to one, or both.
    static func carried(_ place: Int, from: Int?, to: Int?) -> Int {
        let rest = place - ((from ?? .max) < place ? 1 : 0)
        return rest + ((to ?? .max) <= rest ? 1 : 0)
    }

    private static func taken(_ change: Change) -> Int? {
        switch change.kind {
        case .move: change.from
        case .remove: change.at
        case .insert, .replace, .set: nil
        }
    }

    private static func put(_ change: Change) -> Int? {
        switch change.kind {
        case .insert, .move: change.at
        case .remove, .replace, .set: nil
        }
    }
}
