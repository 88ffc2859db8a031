public import ChronicleValues

/// Finds the fields that differ from those of an older value, and writes them without their names.
@usableFromInline
struct FieldDifference<Subject: FieldCoding>: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let old: Subject
    @usableFromInline var difference = StateDifference()
    @usableFromInline var writer = CanonicalWriter()
    @usableFromInline var isKnown = true

    @inlinable init(_ old: Subject) { self.old = old }

    /// The difference; `nil` if that of a child is unknown.
    @inlinable var found: StateDifference? {
        guard isKnown else { return nil }
        var found = difference
        found.bytes = writer.bytes
        return found
    }

    @inlinable mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        let isSame = part.isSame(as: old.field(field, like: part))
        note(isSame)
        if !isSame { writer.message(field.number) { part.writeUnlessInitial(1, into: &$0) } }
    }

    @inlinable mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        let list = difference.scopeCount
        let changes = Row.changes(of: table, from: old.field(field, like: table), limit: .max) ?? []
        note(changes.isEmpty)
        for change in changes {
            let lengthAt = writer.beginMessage(field.number)
            switch change {
            case .remove(let id, let index, let row):
                write(1, id, index)
                difference.elements.append(.init(list: list, id: id, parts: row.shownFields))
            case .insert(let id, let index, let row):
                write(2, id, index)
                writer.message(4, row)
                difference.elements.append(.init(list: list, id: id, parts: row.shownFields))
            case .move(let id, let from, let to):
                write(3, id, to)
                writer.element(5, UInt64(clamping: from))
            case .replace(let id, let index, let old, let row):
                write(4, id, index)
                writer.message(4, row)
                difference.elements.append(.init(list: list, id: id, parts: row.differences(from: old).rawValue))
            }
            writer.endMessage(from: lengthAt)
        }
    }

    @inlinable mutating func write(_ kind: UInt64, _ id: UInt64, _ index: Int) {
        writer.element(1, kind)
        writer.element(2, id)
        writer.element(3, UInt64(clamping: index))
    }

    @inlinable mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) {
        let isSame = next == old.field(field, like: next)
        note(isSame)
        if !isSame { writer.element(field.number, next) }
    }

    @inlinable mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        guard let part = Child.difference(from: old.field(field, like: state), to: state) else {
            isKnown = false
            return
        }
        note(part.isEmpty)
        if !part.isEmpty { writer.message(field.number) { $0.bytes.append(contentsOf: part.bytes) } }
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
@usableFromInline
struct ShownFields: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline var bits: UInt64 = 0
    @usableFromInline var index: UInt64 = 0

    @inlinable init() {}

    @inlinable @inline(__always)
    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        if field.presence != .optional || !part.isInitial { bits |= 1 << index }
        index += 1
    }
}
