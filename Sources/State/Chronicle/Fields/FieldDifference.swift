/// Finds the fields that differ from those of an older value.
@usableFromInline struct FieldDifference<Subject: FieldCoding>: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let old: Subject
    @usableFromInline var difference = StateDifference()
    @usableFromInline var isKnown = true

    @inlinable init(_ old: Subject) { self.old = old }

    /// The difference; `nil` if that of a child is unknown.
    @inlinable var found: StateDifference? { isKnown ? difference : nil }

    @inlinable mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        note(part.isSame(as: old.field(field, like: part)))
    }

    @inlinable mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        let list = difference.scopeCount
        let changes = Row.changes(of: table, from: old.field(field, like: table), limit: .max) ?? []
        note(changes.isEmpty)
        for change in changes {
            switch change {
            case .remove(let id, _, let row), .insert(let id, _, let row):
                difference.elements.append(.init(list: list, id: id, parts: row.shownFields))
            case .move: break
            case .replace(let id, _, let old, let row):
                difference.elements.append(.init(list: list, id: id, parts: row.differences(from: old).rawValue))
            }
        }
    }

    @inlinable mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) { note(next == old.field(field, like: next)) }

    @inlinable mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        guard let part = Child.difference(from: old.field(field, like: state), to: state) else {
            isKnown = false
            return
        }
        note(part.isEmpty)
        difference.add(part)
    }

    @inlinable mutating func note(_ isSame: Bool) {
        if !isSame { difference.scopes.insert(ScopeSet(index: difference.scopeCount)) }
        difference.scopeCount += 1
    }
}

extension TableRow {
    /// The fields in the form by name: bit i stands for the i-th that is named.
    @inlinable var shownFields: UInt64 { shown(to: ShownFields()).bits }
}

/// Finds the fields that are not left out of the form by name.
@usableFromInline struct ShownFields: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline var bits: UInt64 = 0
    @usableFromInline var index: UInt64 = 0

    @inlinable init() {}

    @inlinable @inline(__always) mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        if field.presence != .optional || !part.isInitial { bits |= 1 << index }
        index += 1
    }
}
