public import PersistentCollections
public import Reducing
public import Values

extension ViewList {
    /// A list that shows the rows of a table, each as a record of what it alone says: no other row and no other field of the state.
    ///
    /// What changed is found in the pages that two tables do not share; a row of which something else changed than what is shown has not.
    @inlinable
    public init<Row: FieldedRow>(
        _ table: OrderedTable<Row>, at path: String, _ shown: @escaping @Sendable (Row) -> Value
    ) {
        let rows = ListView(path: path, count: table.count) { places in
            var values: [Value] = []
            guard !places.isEmpty else { return values }
            values.reserveCapacity(places.count)
            table.forEach(from: places.lowerBound) { _, row in
                values.append(shown(row))
                return values.count < places.count
            }
            return values
        }
        self.init(rows, of: table) { now, before, limit in
            now.changes(from: before, limit: limit) { $0 == $1 || shown($0) == shown($1) }?.map { Change($0, in: "", shown) }
        }
    }
}

extension Change {
    /// A change of a row of a table, as a client sees it who is shown the rows in a form of their own.
    @inlinable
    init<Row: FieldedRow>(_ change: OrderedChange<Row>, in list: String, _ shown: (Row) -> Value) {
        switch change {
        case .insert(let id, let index, let row):
            self.init(path: list, kind: .insert, id: Int64(clamping: id), at: index, new: shown(row))
        case .remove(let id, let index, let row):
            self.init(path: list, kind: .remove, id: Int64(clamping: id), at: index, old: shown(row))
        case .move(let id, let from, let to):
            self.init(path: list, kind: .move, id: Int64(clamping: id), at: to, from: from)
        case .replace(let id, let index, let old, let new):
            self.init(path: list, kind: .replace, id: Int64(clamping: id), at: index, old: shown(old), new: shown(new))
        }
    }
}

/// Collects what a state shows that has no view of its own: its fields by name, and of children what they show.
struct FieldViews: FieldVisitor {
    static var changesFields: Bool { false }
    private(set) var parts = ViewParts([:])

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        if presence == .optional, part.isInitial { return }
        parts.append(name, part.value)
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        parts.append(ViewList(table, at: name) { $0.value })
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) { parts.append(name, next.value) }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        parts.append(name, Child.viewParts(of: state))
    }
}

/// Finds what one child shows.
struct ChildView: FieldVisitor {
    static var changesFields: Bool { false }
    private let name: String
    private(set) var parts: ViewParts?
    private(set) var hasChildren = false

    init(name: String) { self.name = name }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        hasChildren = true
        if name.hasSameBytes(as: self.name) { parts = Child.viewParts(of: state) }
    }
}
