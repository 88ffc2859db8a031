import Reducing

/// Where an element stood before several changes of its list, and stands after them: each of them counts places from the one before.
enum NetPlace {
    /// The change at an index, with the places that a person sees where it is a move.
    static func told(_ index: Int, of changes: [Change]) -> Change {
        var change = changes[index]
        guard change.kind == .move, let from = change.from, let at = change.at else { return change }
        let isSame = { (other: Change) in other.path == change.path && other.kind != .replace }
        let before = changes[..<index].reversed().filter(isSame).reduce(from) { place, other in
            // Back through it: what it put there goes, and what it took from there comes.
            let rest = other.kind == .remove ? place : place - ((other.at ?? .max) < place ? 1 : 0)
            let source = other.kind == .move ? other.from : other.kind == .remove ? other.at : nil
            return rest + ((source ?? .max) <= rest ? 1 : 0)
        }
        let after = changes[(index + 1)...].filter(isSame).reduce(at) { place, other in
            let source = other.kind == .move ? other.from : other.kind == .remove ? other.at : nil
            let rest = place - ((source ?? .max) < place ? 1 : 0)
            return rest + (other.kind == .remove || (other.at ?? .max) > rest ? 0 : 1)
        }
        (change.from, change.at) = (before, after)
        return change
    }
}
