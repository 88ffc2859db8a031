public import PersistentCollections
public import Reducing
import Values

/// Ends a visit whose field was found.
@usableFromInline
struct FieldFound: Error {
    @inlinable
    init() {}
}

/// Takes one field out of a value, or out of a child in it, as the type that it has, and ends the visit there.
@usableFromInline
struct FieldPicker<Wanted>: FieldVisitor {
    @usableFromInline typealias Failure = FieldFound

    @inlinable static var changesFields: Bool { false }
    @usableFromInline let number: UInt32
    /// The numbers of the children that lead to the field, the outermost first, and how many of them were entered.
    @usableFromInline let children: [UInt32]
    @usableFromInline var depth = 0
    @usableFromInline var found: Wanted?

    @inlinable
    init(_ number: UInt32, in children: [UInt32] = []) { (self.number, self.children) = (number, children) }

    @inlinable
    mutating func take<Part>(_ number: UInt32, _ part: Part) throws(FieldFound) {
        guard depth == children.count, number == self.number else { return }
        found = part as? Wanted
        throw FieldFound()
    }

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) throws(FieldFound) {
        try take(number, part)
    }

    @inlinable
    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) throws(FieldFound) {
        try take(number, table)
    }

    @inlinable
    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) throws(FieldFound) { try take(number, next) }

    @inlinable
    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) throws(FieldFound) where Child.State: Fielded {
        guard depth < children.count else { return try take(number, state) }
        guard number == children[depth] else { return }
        depth += 1
        try state.visit(&self)
        // It is in this child and in no other.
        throw FieldFound()
    }
}

extension Fielded {
    /// A field of this value, of the type that it has in another.
    @inlinable
    func field<Part>(_ number: UInt32, like part: Part) -> Part {
        var copy = self
        return copy.heldField(number, like: part)
    }

    /// The same of a value that the caller holds alone, and of children in it: it isn't changed, and isn't copied either.
    @inlinable
    mutating func heldField<Part>(_ number: UInt32, in children: [UInt32] = [], like part: Part) -> Part {
        var picker = FieldPicker<Part>(number, in: children)
        try? visit(&picker)
        // Taken out and not copied again: a table counts its references each time.
        guard let found = picker.found.take() else { return part }
        return found
    }

    /// Which fields differ: bit i stands for the i-th that is named.
    public func differences(from old: Self) -> ScopeSet {
        var (visitor, copy) = (FieldDifferences(old: old), self)
        copy.visit(&visitor)
        return visitor.scopes
    }

    /// What changed, rows first; `nil` when that is more than `limit` changes.
    ///
    /// - Parameter names: those that lead to the child in which alone it is looked for changes; none for all children.
    public func changes(from old: Self, limit: Int, within names: [String] = []) -> [Change]? {
        var (visitor, copy) = (FieldChanges(old: old, limit: limit, names: names), self)
        copy.visit(&visitor)
        return visitor.changes
    }

    /// Takes back what led from `before` to `after`, each field as its rule says.
    public func takenBack(from after: Self, to before: Self) -> TakenBack<Self> {
        var (visitor, copy) = (FieldUndoer(after: after, before: before), self)
        copy.visit(&visitor)
        return TakenBack(copy, conflicts: visitor.conflicts)
    }
}

/// Notes which fields differ from those of an older value.
private struct FieldDifferences<Subject: Fielded>: FieldVisitor {
    static var changesFields: Bool { false }
    let old: Subject
    var scopes: ScopeSet = []
    var index = 0

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        note(!part.isSame(as: old.field(number, like: part)))
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        let before = old.field(number, like: table)
        note(table.count != before.count || Row.changes(of: table, from: before, limit: 0) == nil)
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) { note(next != old.field(number, like: next)) }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        let changed = Child.changedScopes(from: old.field(number, like: state), to: state)
        if !changed.isEmpty { scopes.formUnion(ScopeSet(index: index).union(changed.shifted(by: index + 1))) }
        index += 1 + Child.scopes.count
    }

    private mutating func note(_ isOther: Bool) {
        if isOther { scopes.insert(ScopeSet(index: index)) }
        index += 1
    }
}

/// Collects what changed since an older state: of lists by row, each other field as a whole.
private struct FieldChanges<Subject: Fielded>: FieldVisitor {
    static var changesFields: Bool { false }
    let old: Subject
    let limit: Int
    let names: [String]
    var rows: [Change]? = []
    var fields: [Change] = []

    var changes: [Change]? {
        guard let rows, rows.count + fields.count <= limit else { return nil }
        return rows + fields
    }

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        let before = old.field(number, like: part)
        if !part.isSame(as: before) { note(name, before.value, part.value) }
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        guard let before = rows, let changed = Row.changes(of: table, from: old.field(number, like: table), limit: limit) else {
            rows = nil
            return
        }
        rows = before + changed.map { Change($0, in: name) { row in row.value } }
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) {
        let before = old.field(number, like: next)
        if next != before { note(name, before.value, next.value) }
    }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        guard let before = rows, names.first.map({ $0.hasSameBytes(as: name) }) ?? true else { return }
        let old = old.field(number, like: state)
        let changed = Child.changes(
            from: old, to: state, limit: limit - before.count - fields.count, within: Array(names.dropFirst()))
        rows = changed.map { before + $0.map { $0.under(name) } }
    }

    private mutating func note(_ name: String, _ old: Value, _ new: Value) {
        let record = { Value.record([Value.Field(name, $0)]) }
        fields.append(Change(path: "", kind: .set, old: record(old), new: record(new)))
    }
}

/// Takes back what led from one value to another.
private struct FieldUndoer<Subject: Fielded>: FieldVisitor {
    let after: Subject
    let before: Subject
    private(set) var conflicts: [Conflict] = []

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        let (after, before) = (after.field(number, like: part), before.field(number, like: part))
        if after.isSame(as: before) || part.isSame(as: before) { return }
        if !part.isSame(as: after) {
            if rule == .ifUntouched { return }
            conflicts.append(Conflict(name, expected: after.value, found: part.value))
        }
        part = before
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        let (after, before) = (after.field(number, like: table), before.field(number, like: table))
        let found = table.takeBack(from: after, to: before) { found, after, before in
            rule == .asWhole ? before : found.takenBack(from: after, to: before).state
        }
        conflicts += found.flatMap { Conflict.of($0, in: name) }
    }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        let (after, before) = (after.field(number, like: state), before.field(number, like: state))
        if Child.changedScopes(from: after, to: before).isEmpty { return }
        let takenBack = Child.takenBack(state, from: after, to: before)
        if takenBack.state != state { state = takenBack.state }
        conflicts += takenBack.conflicts.map { $0.under(name) }
    }
}
