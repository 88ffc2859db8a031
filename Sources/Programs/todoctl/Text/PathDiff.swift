import Chronicle

/// Positions of an element before and after a sequence of changes to its list; each change counts positions after the previous
/// one.
enum PathDiff {
    /// The change at an index; a move gets its positions before and after all changes.
    static func netMove(_ index: Int, of changes: [Change]) -> Change {
        var change = changes[index]
        guard change.kind == .move, let from = change.from, let at = change.at else { return change }
        let isSame = { (other: Change) in other.path == change.path }
        // Going back through a change, an insertion acts as a removal and vice versa.
        let before = changes[..<index].reversed().filter(isSame).reduce(from) { shifted($0, from: put($1), to: taken($1)) }
        let after = changes[(index + 1)...].filter(isSame).reduce(at) { shifted($0, from: taken($1), to: put($1)) }
        (change.from, change.at) = (before, after)
        return change
    }

    /// The position of an element after another was removed, inserted or moved.
    static func shifted(_ place: Int, from: Int?, to: Int?) -> Int {
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
