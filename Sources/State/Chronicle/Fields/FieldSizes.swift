import ChronicleValues

extension FieldCoding {
    /// Growth in estimated bytes since an older value, or since an empty one; reads changed pages only.
    @inlinable public func growth(since old: Self?) -> Int { shown(to: GrowthCounter(old ?? Self())).bytes }

    /// Passes the canonical bytes of a state in pieces of about `FieldPieces.bytesMax`.
    @inlinable public func forEachPiece(_ body: ([UInt8]) -> Void) {
        withoutActuallyEscaping(body) { body in
            var (pieces, copy) = (FieldPieces(body), self)
            copy.visit(&pieces)
            pieces.handOn()
        }
    }
}

@usableFromInline struct HeapCounter: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline var bytes = 0

    @inlinable init() {}

    @inlinable @inline(__always)
    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) { bytes += part.heapBytes }
}

@usableFromInline struct GrowthCounter<Subject: FieldCoding>: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let old: Subject
    @usableFromInline var bytes = 0

    @inlinable init(_ old: Subject) { self.old = old }

    @inlinable mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        bytes += part.heapBytes - old.field(field, like: part).heapBytes
    }

    @inlinable mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) {}

    @inlinable mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        // Overhead per row: its label, its position in the order, and its share of half-empty pages.
        let rowBytes = MemoryLayout<Row>.stride + 128
        table.forEachDifference(
            from: old.field(field, like: table), of: { rowBytes + $0.heapBytes }, isSame: { _, _ in false }
        ) { before, after in
            bytes += (after ?? 0) - (before ?? 0)
            return true
        }
    }

    @inlinable mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        bytes += Child.growth(from: old.field(field, like: state), to: state)
    }
}

/// Writes the canonical bytes of a state, and passes them on whenever a piece is full.
@usableFromInline struct FieldPieces: FieldVisitor {
    /// A piece ends with the row that reaches this size.
    @inlinable static var bytesMax: Int { 1 << 20 }
    /// Bytes of a child to buffer until its length is known; a longer child is encoded twice instead.
    @inlinable static var heldBytesMax: Int { 8 << 20 }
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let body: ([UInt8]) -> Void
    @usableFromInline var writer = CanonicalWriter()

    @inlinable init(_ body: @escaping ([UInt8]) -> Void) { self.body = body }

    @inlinable mutating func handOn() {
        if !writer.bytes.isEmpty { body(writer.bytes) }
        writer.bytes.removeAll(keepingCapacity: true)
    }

    @inlinable mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        part.writeUnlessInitial(field.number, into: &writer)
    }

    @inlinable mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        table.forEach { _, row in
            writer.message(field.number, row)
            if writer.bytes.count >= Self.bytesMax { handOn() }
            return true
        }
    }

    @inlinable mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) { writer.field(field.number, next - 1) }

    // The length of a message precedes it.
    @inlinable mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        var (count, held) = (0, [UInt8]())
        state.forEachPiece { piece in
            count += piece.count
            if count <= Self.heldBytesMax { held += piece } else { held = [] }
        }
        guard count > 0 else { return }
        writer.beginMessage(field.number, byteCount: count)
        if count <= Self.heldBytesMax { return writer.bytes += held }
        handOn()
        state.forEachPiece(body)
    }
}
