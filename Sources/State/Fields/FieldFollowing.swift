public import PersistentCollections
public import Reducing
public import Values

extension Feature where State: Fielded {
    /// A field, or a list of rows, by the names that lead to it.
    public static func follower(of names: [String], reading fields: [String]?) -> PlaceFollower<State>? {
        var (finder, initial) = (FollowerFinder<State>(names, reading: fields), State())
        initial.visit(&finder)
        return finder.found
    }
}

/// Finds the way to a place.
@usableFromInline
struct FollowerFinder<Subject: Fielded>: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    /// Those that are left of the names, and the numbers of the children that the others led to.
    @usableFromInline var names: ArraySlice<String>
    @usableFromInline var children: [UInt32] = []
    @usableFromInline let fields: [String]?
    @usableFromInline var found: PlaceFollower<Subject>?

    @inlinable
    init(_ names: [String], reading fields: [String]?) {
        self.names = names[...]
        self.fields = fields
    }

    @inlinable
    func isLast(_ name: String) -> Bool { names.count == 1 && names.first?.hasSameBytes(as: name) == true }

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        guard isLast(name) else { return }
        let (initial, children) = (part, children)
        found = .value { state in
            let part = state.heldField(number, in: children, like: initial)
            return presence == .optional && part.isInitial ? .null : part.value
        }
    }

    @inlinable
    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        guard isLast(name) else { return }
        var (selection, row) = (FieldSelection(fields), Row())
        row.visit(&selection)
        let (initial, children, bits) = (table, children, selection.bits)
        found = .list(
            ListFollower(
                fields: selection.names, count: { $0.heldField(number, in: children, like: initial).count },
                differences: { old, new, body in
                    Row.differences(
                        from: old.heldField(number, in: children, like: initial),
                        to: new.heldField(number, in: children, like: initial), bits, body)
                }))
    }

    @inlinable
    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) {
        guard isLast(name) else { return }
        let (initial, children) = (next, children)
        found = .value { $0.heldField(number, in: children, like: initial).value }
    }

    @inlinable
    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        guard names.count > 1, names.first?.hasSameBytes(as: name) == true else { return }
        let outer = names
        names.removeFirst()
        children.append(number)
        state.visit(&self)
        names = outer
        children.removeLast()
    }
}

/// Finds the numbers of some fields of a row, which must be below 64.
@usableFromInline
struct FieldSelection: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    // All if there are none.
    @usableFromInline let wanted: [String]?
    /// Bit i stands for the field of the number i.
    @usableFromInline var bits: UInt64 = 0
    @usableFromInline var names: [String] = []
    /// Bit i stands for the name at i, where that is a text or a list of texts.
    @usableFromInline var texts: UInt64 = 0

    @inlinable
    init(_ wanted: [String]?) { self.wanted = wanted }

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        guard wanted?.contains(where: { $0.hasSameBytes(as: name) }) ?? true else { return }
        if Part.self == String.self || Part.self == [String].self { texts |= 1 << UInt64(names.count) }
        bits |= 1 << UInt64(number)
        names.append(name)
    }
}

/// Collects some fields of a row, also those that are left out elsewhere: as `null`.
@usableFromInline
struct SelectedFields: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let bits: UInt64
    @usableFromInline var fields: [Value.Field] = []

    @inlinable
    init(_ bits: UInt64) {
        self.bits = bits
        fields.reserveCapacity(bits.nonzeroBitCount)
    }

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        guard bits & 1 << UInt64(number) != 0 else { return }
        fields.append(Value.Field(name, presence == .optional && part.isInitial ? .null : part.value))
    }
}

extension FieldedRow {
    /// Tells of each row that a table stores otherwise than an older one the fields of some numbers, of how it was and how it is.
    ///
    /// Nobody need write it; a requirement for the same reason as `values(at:of:)`.
    @inlinable
    public static func differences(
        from old: OrderedTable<Self>, to new: OrderedTable<Self>, _ bits: UInt64, _ body: ([Value.Field]?, [Value.Field]?) -> Bool
    ) -> Bool {
        new.forEachDifference(from: old, of: { $0.selected(bits) }, isSame: { _, _ in false }, body)
    }

    @inlinable
    func selected(_ bits: UInt64) -> [Value.Field] {
        var (visitor, copy) = (SelectedFields(bits), self)
        copy.visit(&visitor)
        return visitor.fields
    }
}
