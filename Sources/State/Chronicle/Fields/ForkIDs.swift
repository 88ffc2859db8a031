import ChronicleValues

/// The ids of a fork's rows in the log that it is merged into.
///
/// A row has an id there once a merge has brought it.
public struct MovedIDs: Sendable {
    private let first: UInt64
    private let moved: [UInt64: UInt64]

    /// Finds the ids: an id is kept unless the other log has given it to another row.
    ///
    /// The cost is that of the rows that were added since the fork began, for each merge.
    /// - Parameters:
    ///   - origin: the state in which the fork began.
    ///   - stretches: the merges, the first one first.
    public init<State, Row: TableRow>(
        of rows: (State) -> OrderedTable<Row>, behind nextID: (State) -> UInt64, since origin: State,
        along stretches: [ForkStretch<State>]
    ) {
        let (first, began) = (nextID(origin), rows(origin))
        var moved: [UInt64: UInt64] = [:]
        for stretch in stretches {
            var next = nextID(stretch.before)
            let after = stretch.after.map(rows)
            rows(stretch.end).forEachDifference(from: began, of: \.id, isSame: ==) { was, id in
                guard was == nil, let old = id, old >= first, moved[old] == nil else { return true }
                let id = max(old, next)
                next = id &+ 1
                if after?.contains(id) ?? true { moved[old] = id }
                return true
            }
        }
        (self.first, self.moved) = (first, moved)
    }

    /// The id in the other log, which is the same for rows from before the fork; `nil` for a row that no merge brought.
    public subscript(id: UInt64) -> UInt64? { id < first ? id : moved[id] }
}

extension FieldCoding {
    /// This value with the rows that were added in a fork under the ids that the other log gives them, without those that have none.
    public func renumbered(since origin: Self, along stretches: [ForkStretch<Self>]) -> Self {
        var (carrier, copy) = (FieldCarrier(stretches: stretches, origin: origin, nextIDs: Schema(of: Self()).nextIDs), self)
        copy.visit(&carrier)
        return copy
    }
}

private struct FieldCarrier<Subject: FieldCoding>: FieldVisitor {
    let stretches: [ForkStretch<Subject>]
    let origin: Subject
    let nextIDs: [UInt32: FieldInfo]
    // Above the highest id that was given.
    var end: UInt64 = 0

    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        end = 0
        guard let next = nextIDs[field.number] else { return }
        let moved = MovedIDs(
            of: { $0.field(field, like: table) }, behind: { $0.field(next, like: 0 as UInt64) }, since: origin, along: stretches)
        var rows: [(index: Int, row: Row)] = []
        table.forEachDifference(from: origin.field(field, like: table), of: { $0 }, isSame: ==) { was, row in
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

    mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) { next = max(next, end) }

    mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        let part = { [state] (parent: Subject) in parent.field(field, like: state) }
        let stretches = stretches.map { ForkStretch(end: part($0.end), before: part($0.before), after: $0.after.map(part)) }
        let carried = Child.renumbered(state, since: part(origin), along: stretches)
        if carried != state { state = carried }
    }
}

private struct RowNaming: FieldVisitor {
    let id: UInt64

    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        if field.name == "id", let id = id as? Part { part = id }
    }
}
