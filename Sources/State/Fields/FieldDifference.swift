public import PersistentCollections
public import Reducing
public import Values

extension Feature where State: Fielded {
    /// What differs: of lists by row, each other field as a whole.
    @inlinable
    public static func difference(from old: State, to new: State) -> StateDifference? {
        var (finder, copy) = (FieldDifference(old), new)
        copy.visit(&finder)
        return finder.found
    }
}

/// Finds the fields that differ from those of an older value, and writes them by their numbers alone.
@usableFromInline
struct FieldDifference<Subject: Fielded>: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let old: Subject
    @usableFromInline var difference = StateDifference()
    @usableFromInline var writer = CanonicalWriter()
    @usableFromInline var isKnown = true

    @inlinable
    init(_ old: Subject) { self.old = old }

    /// What differs; `nil` where a child can't say.
    @inlinable var found: StateDifference? {
        guard isKnown else { return nil }
        var found = difference
        found.bytes = writer.bytes
        return found
    }

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        let isSame = part.isSame(as: old.field(number, like: part))
        note(isSame)
        if !isSame { writer.message(number) { part.writeUnlessInitial(1, into: &$0) } }
    }

    @inlinable
    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        let list = difference.scopeCount
        let changes = Row.changes(of: table, from: old.field(number, like: table), limit: .max) ?? []
        note(changes.isEmpty)
        for change in changes {
            var touched: (id: UInt64, parts: UInt64)?
            writer.message(number) { writer in
                switch change {
                case .remove(let id, let index, let row):
                    Self.write(1, id, index, into: &writer)
                    touched = (id, row.shownFields)
                case .insert(let id, let index, let row):
                    Self.write(2, id, index, into: &writer)
                    writer.message(4, row)
                    touched = (id, row.shownFields)
                case .move(let id, let from, let to):
                    Self.write(3, id, to, into: &writer)
                    writer.element(5, UInt64(clamping: from))
                case .replace(let id, let index, let old, let row):
                    Self.write(4, id, index, into: &writer)
                    writer.message(4, row)
                    touched = (id, row.differences(from: old).rawValue)
                }
            }
            if let touched { difference.elements.append(.init(list: list, id: touched.id, parts: touched.parts)) }
        }
    }

    @inlinable
    static func write(_ kind: UInt64, _ id: UInt64, _ index: Int, into writer: inout CanonicalWriter) {
        writer.element(1, kind)
        writer.element(2, id)
        writer.element(3, UInt64(clamping: index))
    }

    @inlinable
    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) {
        let isSame = next == old.field(number, like: next)
        note(isSame)
        if !isSame { writer.element(number, next) }
    }

    @inlinable
    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        guard let part = Child.difference(from: old.field(number, like: state), to: state) else {
            isKnown = false
            return
        }
        note(part.isEmpty)
        if !part.isEmpty { writer.message(number) { $0.bytes.append(contentsOf: part.bytes) } }
        difference.add(part)
    }

    @inlinable
    mutating func note(_ isSame: Bool) {
        if !isSame { difference.scopes.insert(ScopeSet(index: difference.scopeCount)) }
        difference.scopeCount += 1
    }
}

extension FieldedRow {
    /// The fields that its form by name has: bit i stands for the i-th that is named.
    @inlinable var shownFields: UInt64 {
        var (finder, copy) = (ShownFields(), self)
        copy.visit(&finder)
        return finder.bits
    }
}

/// Notes which fields are not left out where they are shown by name.
@usableFromInline
struct ShownFields: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline var bits: UInt64 = 0
    @usableFromInline var index: UInt64 = 0

    @inlinable
    init() {}

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        if presence != .optional || !part.isInitial { bits |= 1 << index }
        index += 1
    }
}
