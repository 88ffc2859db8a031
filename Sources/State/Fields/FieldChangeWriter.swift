import PersistentCollections
public import Reducing
import Values

extension Feature where State: Fielded {
    /// What changed, in bytes: of lists by row, each other field as a whole, by the numbers alone.
    public static func changedBytes(from old: State, to new: State) -> [UInt8]? {
        var (writer, copy) = (FieldChangeWriter(old, CanonicalWriter()), new)
        copy.visit(&writer)
        return writer.writer.bytes
    }
}

/// Writes the fields that differ from those of an older value.
private struct FieldChangeWriter<Subject: Fielded>: FieldVisitor {
    static var changesFields: Bool { false }
    let old: Subject
    var writer: CanonicalWriter

    init(_ old: Subject, _ writer: consuming CanonicalWriter) {
        self.old = old
        self.writer = writer
    }

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        guard !part.isSame(as: old.field(number, like: part)) else { return }
        writer.message(number) { part.writeUnlessInitial(1, into: &$0) }
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        for change in Row.changes(of: table, from: old.field(number, like: table), limit: .max) ?? [] {
            writer.message(number) { writer in
                switch change {
                case .remove(let id, let index, _): Self.write(1, id, index, into: &writer)
                case .insert(let id, let index, let row):
                    Self.write(2, id, index, into: &writer)
                    writer.message(4, row)
                case .move(let id, let from, let to):
                    Self.write(3, id, to, into: &writer)
                    writer.element(5, UInt64(clamping: from))
                case .replace(let id, let index, _, let row):
                    Self.write(4, id, index, into: &writer)
                    writer.message(4, row)
                }
            }
        }
    }

    private static func write(_ kind: UInt64, _ id: UInt64, _ index: Int, into writer: inout CanonicalWriter) {
        writer.element(1, kind)
        writer.element(2, id)
        writer.element(3, UInt64(clamping: index))
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) {
        if next != old.field(number, like: next) { writer.element(number, next) }
    }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        let old = old.field(number, like: state)
        // To ask first whether anything changed would look for it twice.
        let bytes = Child.changedBytes(from: old, to: state)
        guard bytes.map({ !$0.isEmpty }) ?? !Child.changedScopes(from: old, to: state).isEmpty else { return }
        writer.message(number) { $0.bytes.append(contentsOf: bytes ?? []) }
    }
}
