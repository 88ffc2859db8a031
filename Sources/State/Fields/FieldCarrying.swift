import PersistentCollections
public import Reducing
import Values

extension Fielded {
    /// The same value, whose rows that were handed out in a fork have the ids that another log has for them; without those that it has not.
    public func carriedOver(since origin: Self, along legs: [ForkLeg<Self>]) -> Self {
        var (numbers, copy) = (NextIDNumbers(), self)
        copy.visit(&numbers)
        var carrier = FieldCarrier(legs: legs, origin: origin, nextIDs: numbers.found)
        copy.visit(&carrier)
        return copy
    }
}

/// Finds, to each list of rows, the number of the id that it hands out next.
private struct NextIDNumbers: FieldVisitor {
    static var changesFields: Bool { false }
    private(set) var found: [UInt32: UInt32] = [:]
    private var last: UInt32?

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        last = number
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) {
        if let last { found[last] = number }
        last = nil
    }
}

/// Gives rows the ids that they have elsewhere.
private struct FieldCarrier<Subject: Fielded>: FieldVisitor {
    let legs: [ForkLeg<Subject>]
    let origin: Subject
    let nextIDs: [UInt32: UInt32]
    // Behind the highest id that was given.
    var end: UInt64 = 0

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        end = 0
        guard let next = nextIDs[number] else { return }
        let moved = MovedIDs(
            of: { $0.field(number, like: table) }, behind: { $0.field(next, like: UInt64(0)) }, since: origin, along: legs)
        var rows: [(index: Int, row: Row)] = []
        table.forEachDifference(from: origin.field(number, like: table), of: { $0 }, isSame: ==) { was, row in
            guard was == nil, let row, moved[row.id] != row.id, let index = table.index(of: row.id) else { return true }
            rows.append((index, row))
            return true
        }
        for (_, row) in rows { table.remove(row.id) }
        var leftOut = 0
        for (index, row) in rows.sorted(by: { $0.index < $1.index }) {
            guard let id = moved[row.id] else {
                leftOut += 1
                continue
            }
            var (naming, named) = (RowNaming(id: id), row)
            named.visit(&naming)
            precondition(named.id == id, "the id of a row is its field “id”")
            table.insert(named, id: id, at: index - leftOut)
            end = max(end, id &+ 1)
        }
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) { next = max(next, end) }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        let legs = legs.map { leg in
            ForkLeg(
                end: leg.end.field(number, like: state), before: leg.before.field(number, like: state),
                after: leg.after.map { $0.field(number, like: state) })
        }
        let carried = Child.carriedOver(state, since: origin.field(number, like: state), along: legs)
        if carried != state { state = carried }
    }
}

/// Gives a row another id.
private struct RowNaming: FieldVisitor {
    let id: UInt64

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        if name == "id", let id = id as? Part { part = id }
    }
}
