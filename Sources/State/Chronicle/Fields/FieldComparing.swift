public import ChronicleValues

@usableFromInline struct FieldFound: Error {
    @inlinable init() {}
}

/// Copies one field out of a value, or out of a child in it, and ends the visit.
///
/// Comparisons visit one value and pick the fields of the other by number. In specialized code a pick costs a few comparisons of numbers.
@usableFromInline struct FieldPicker<Wanted>: FieldVisitor {
    @usableFromInline typealias Failure = FieldFound
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let number: UInt32
    /// The numbers of the children that contain the field, the outermost first, and how many of them were entered.
    @usableFromInline let children: [UInt32]
    @usableFromInline var depth = 0
    @usableFromInline var found: Wanted?

    @inlinable init(_ number: UInt32, in children: [UInt32] = []) { (self.number, self.children) = (number, children) }

    @inlinable @inline(__always) mutating func take<Part>(_ field: FieldInfo, _ part: Part) throws(FieldFound) {
        guard field.number == number, depth == children.count else { return }
        found = part as? Wanted
        throw FieldFound()
    }

    @inlinable @inline(__always)
    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) throws(FieldFound) { try take(field, part) }

    @inlinable @inline(__always)
    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) throws(FieldFound) {
        try take(field, table)
    }

    @inlinable
    mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) throws(FieldFound) {
        guard depth < children.count else { return try take(field, state) }
        guard field.number == children[depth] else { return }
        depth += 1
        try state.visit(&self)
        // The field is in this child, so the others are not visited.
        throw FieldFound()
    }
}

extension FieldCoding {
    /// Copies the field with a number, which has the type of another value.
    @inlinable func field<Part>(_ field: FieldInfo, like part: Part) -> Part {
        var copy = self
        return copy.heldField(field.number, like: part)
    }

    /// The same without a copy of this value, which is not changed; also for fields of children.
    @inlinable mutating func heldField<Part>(_ number: UInt32, in children: [UInt32] = [], like part: Part) -> Part {
        var picker = FieldPicker<Part>(number, in: children)
        try? visit(&picker)
        // Moved out instead of copied: a copy of a table counts references.
        guard let found = picker.found.take() else { return part }
        return found
    }

    /// The fields that differ: bit i stands for the i-th that is named.
    @inlinable public func differences(from old: Self) -> ScopeSet {
        shown(to: FieldDifference(old, listsRows: false)).difference.scopes
    }

    /// The changes since an older value, rows first; `nil` if there are more than `limit`.
    /// - Parameter names: the path of the child to which the comparison is limited; empty for all children.
    public func changes(from old: Self, limit: Int, within names: [String] = []) -> [Change]? {
        shown(to: FieldChanges(old: old, limit: limit, names: names)).changes
    }
}

private struct FieldChanges<Subject: FieldCoding>: FieldVisitor {
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

    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        let before = old.field(field, like: part)
        if part.isSame(as: before) { return }
        let record = { (part: Part) in field.shown(part).map { Value.record([$0]) } }
        fields.append(Change(path: "", kind: .set, old: record(before), new: record(part)))
    }

    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        guard rows != nil else { return }
        let changed = Row.changes(of: table, from: old.field(field, like: table), limit: limit)
        add(changed?.map { Change($0, in: field.name) { row in row.value } })
    }

    mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        guard let count = rows?.count, names.first.map({ $0.hasSameBytes(as: field.name) }) ?? true else { return }
        let changed = Child.changes(
            from: old.field(field, like: state), to: state, limit: limit - count - fields.count, within: Array(names.dropFirst()))
        add(changed?.map { $0.under(field.name) })
    }

    private mutating func add(_ changed: [Change]?) { if let changed { rows? += changed } else { rows = nil } }
}

extension Change {
    /// A change of a row, in the form in which a client is shown the row.
    @inlinable init<Row: TableRow>(_ change: OrderedChange<Row>, in list: String, _ shown: (Row) -> Value) {
        switch change {
        case .insert(let id, let index, let row):
            self.init(path: list, kind: .insert, id: Int64(clamping: id), at: index, new: shown(row))
        case .remove(let id, let index, let row):
            self.init(path: list, kind: .remove, id: Int64(clamping: id), at: index, old: shown(row))
        case .move(let id, let from, let to): self.init(path: list, kind: .move, id: Int64(clamping: id), at: to, from: from)
        case .replace(let id, let index, let old, let new):
            self.init(path: list, kind: .replace, id: Int64(clamping: id), at: index, old: shown(old), new: shown(new))
        }
    }
}

/// Finds the scopes that differ from those of an older value, and the rows if asked.
@usableFromInline struct FieldDifference<Subject: FieldCoding>: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let old: Subject
    @usableFromInline let listsRows: Bool
    @usableFromInline var difference = StateDifference()
    @usableFromInline var isKnown = true

    @inlinable init(_ old: Subject, listsRows: Bool) { (self.old, self.listsRows) = (old, listsRows) }

    /// The difference; `nil` if that of a child is unknown.
    @inlinable var found: StateDifference? { isKnown ? difference : nil }

    @inlinable mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        note(part.isSame(as: old.field(field, like: part)))
    }

    @inlinable mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        let before = old.field(field, like: table)
        if !listsRows { return note(table.count == before.count && Row.changes(of: table, from: before, limit: 0) != nil) }
        let list = difference.scopeCount
        let changes = Row.changes(of: table, from: before, limit: .max) ?? []
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

    @inlinable mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        let before = old.field(field, like: state)
        var part = StateDifference()
        if listsRows {
            guard let found = Child.difference(from: before, to: state) else { return isKnown = false }
            part = found
        } else {
            (part.scopes, part.scopeCount) = (Child.changedScopes(from: before, to: state), Child.scopes.count)
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
