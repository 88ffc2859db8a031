public import PersistentCollections
public import Reducing

/// Which ids the rows of a list that a fork handed out have in the log that it is merged into.
///
/// A row has one there from the leg on with which it came. Nothing keeps the id of one that never came (it was gone again where the leg
/// ended, say, or something else stood in its place), so if such a row comes later, it is given an id then.
public struct MovedIDs: Sendable {
    private let first: UInt64
    private let moved: [UInt64: UInt64]

    /// Finds them: an id stays as it is where the other log has not given it to anything else.
    ///
    /// The cost is that of the rows that came since the fork began, for each leg.
    /// - Parameters:
    ///   - rows: the list.
    ///   - nextID: the id that it hands out next.
    ///   - origin: the state in which the fork began.
    ///   - legs: the merges, the first one first.
    public init<State, Row: FieldedRow>(
        of rows: (State) -> OrderedTable<Row>, behind nextID: (State) -> UInt64, since origin: State, along legs: [ForkLeg<State>]
    ) {
        let (first, began) = (nextID(origin), rows(origin))
        var moved: [UInt64: UInt64] = [:]
        for leg in legs {
            var next = nextID(leg.before)
            let after = leg.after.map(rows)
            rows(leg.end).forEachDifference(from: began, of: \.id, isSame: ==) { was, id in
                guard was == nil, let old = id, old >= first, moved[old] == nil else { return true }
                let id = max(old, next)
                next = id &+ 1
                if after?.contains(id) ?? true { moved[old] = id }
                return true
            }
        }
        self.first = first
        self.moved = moved
    }

    /// The id there, which for what was there before the fork is the same; `nil` for what did not come.
    public subscript(id: UInt64) -> UInt64? { id < first ? id : moved[id] }
}
