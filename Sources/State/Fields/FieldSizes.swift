public import PersistentCollections
public import Reducing
import Values

extension Feature where State: Fielded {
    /// Bytes of added and changed rows minus those of removed rows; reads changed pages only.
    @inlinable
    public static func growth(from old: State?, to new: State) -> Int { new.growth(since: old) }
}

extension Fielded {
    /// Growth in estimated bytes since an older value, or since an empty one.
    @inlinable
    public func growth(since old: Self?) -> Int {
        var (counter, copy) = (GrowthCounter(old ?? Self()), self)
        copy.visit(&counter)
        return counter.bytes
    }

    /// Passes the canonical bytes of a state in pieces of about `FieldPieces.bytesMax`.
    @inlinable
    public func forEachPiece(_ body: ([UInt8]) -> Void) {
        withoutActuallyEscaping(body) { body in
            var (pieces, copy) = (FieldPieces(body), self)
            copy.visit(&pieces)
            pieces.handOn()
        }
    }
}

/// Adds up the heap bytes of the fields.
@usableFromInline
struct HeapCounter: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline var bytes = 0

    @inlinable init() {}

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        bytes += part.heapBytes
    }
}

/// Adds up the growth of all fields and rows since an older state.
@usableFromInline
struct GrowthCounter<Subject: Fielded>: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let old: Subject
    @usableFromInline var bytes = 0

    @inlinable init(_ old: Subject) { self.old = old }

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        bytes += part.heapBytes - old.field(number, like: part).heapBytes
    }

    @inlinable
    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        // Overhead per row: its label, its position in the order, and its share of half-empty pages.
        let rowBytes = MemoryLayout<Row>.stride + 128
        table.forEachDifference(
            from: old.field(number, like: table), of: { rowBytes + $0.heapBytes }, isSame: { _, _ in false }
        ) { before, after in
            bytes += (after ?? 0) - (before ?? 0)
            return true
        }
    }

    @inlinable
    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        bytes += Child.growth(from: old.field(number, like: state), to: state)
    }
}

/// Writes the canonical bytes of a state, and passes them on whenever a piece is full.
@usableFromInline
struct FieldPieces: FieldVisitor {
    /// A piece ends with the row that reaches this size.
    @inlinable static var bytesMax: Int { 1 << 20 }
    /// Bytes of a child to buffer until its length is known; a longer child is encoded twice instead.
    @inlinable static var heldBytesMax: Int { 8 << 20 }
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let body: ([UInt8]) -> Void
    @usableFromInline var writer = CanonicalWriter()

    @inlinable init(_ body: @escaping ([UInt8]) -> Void) { self.body = body }

    @inlinable
    mutating func handOn() {
        if !writer.bytes.isEmpty { body(writer.bytes) }
        writer.bytes.removeAll(keepingCapacity: true)
    }

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        part.writeUnlessInitial(number, into: &writer)
    }

    @inlinable
    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        table.forEach { _, row in
            writer.message(number, row)
            if writer.bytes.count >= Self.bytesMax { handOn() }
            return true
        }
    }

    @inlinable
    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) { writer.field(number, next - 1) }

    // The length of a message precedes it.
    @inlinable
    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        var (count, held) = (0, [UInt8]())
        state.forEachPiece { piece in
            count += piece.count
            if count <= Self.heldBytesMax { held += piece } else { held = [] }
        }
        guard count > 0 else { return }
        writer.beginMessage(number, byteCount: count)
        if count <= Self.heldBytesMax { return writer.bytes += held }
        handOn()
        state.forEachPiece(body)
    }
}
