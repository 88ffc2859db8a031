public import ChronicleValues

@usableFromInline struct FieldEncoder: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline var writer: CanonicalWriter
    // Offset of the length of the chosen case's message; -1 without a case.
    @usableFromInline var lengthAt = -1

    @inlinable init(_ writer: consuming CanonicalWriter) { self.writer = writer }

    @inlinable consuming func finish() -> CanonicalWriter {
        if lengthAt >= 0 { writer.endMessage(from: lengthAt) }
        return writer
    }

    @inlinable mutating func choose(_ number: UInt32, _ name: String) { lengthAt = writer.beginMessage(number) }

    @inlinable @inline(__always) mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        part.writeUnlessInitial(field.number, into: &writer)
    }

    @inlinable mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        table.forEach { _, row in
            writer.message(field.number, row)
            return true
        }
    }

    /// Writes the highest id in use.
    @inlinable mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) { writer.field(field.number, next - 1) }

    @inlinable mutating func whole<Part: Field & CanonicalCodable>(_ field: FieldInfo, _ part: inout Part) {
        writer.message(field.number, part)
    }
}

@usableFromInline struct FieldDecoder: FieldVisitor {
    @usableFromInline typealias Failure = CanonicalError

    // Valid during the closure in which this decoder is used.
    @usableFromInline let pointer: UnsafeRawBufferPointer
    @usableFromInline let start: CanonicalCursor
    @usableFromInline var cursor: CanonicalCursor
    // The number of the field at the cursor; 0 at the end.
    @usableFromInline var next: UInt32
    // The highest id of the last table, for its `nextID`.
    @usableFromInline var highestID: UInt64 = 0

    @inlinable @inline(__always) init(_ pointer: UnsafeRawBufferPointer, _ cursor: CanonicalCursor) throws(CanonicalError) {
        self.pointer = pointer
        start = cursor
        self.cursor = cursor
        next = try self.cursor.nextField(in: RawSpan(_unsafeBytes: pointer)) ?? 0
    }

    /// The cursor after the last field; a field that was not visited is an error.
    @inlinable func finish() throws(CanonicalError) -> CanonicalCursor {
        guard next == 0 else { throw cursor.isRepeated ? CanonicalError(.outOfOrder(next), at: cursor.offset) : cursor.unknown() }
        return cursor
    }

    @inlinable @inline(__always) mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) throws(CanonicalError) {
        if field.presence == .needed, next != field.number { throw missing(field.number) }
        if next == field.number { try take(field.number, &part) }
        guard field.undo == .byDifference, (part as? Int64)?.addingExactly(0) == nil else { return }
        throw CanonicalError(.notCanonical, at: cursor.offset)
    }

    @inlinable mutating func former<Part: Field>(
        _ number: UInt32, _ name: String, _ type: Part.Type, _ adopt: (Part) -> Void
    ) throws(CanonicalError) {
        guard next == number else { return }
        let bytes = RawSpan(_unsafeBytes: pointer)
        var part = try Part.readAny(bytes, &cursor)
        guard !part.isInitial else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        next = try cursor.nextField(in: bytes) ?? 0
        if Part.isRepeated, next == number { try take(number, &part) }
        adopt(part)
    }

    @inlinable mutating func take<Part: Field>(_ number: UInt32, _ part: inout Part) throws(CanonicalError) {
        let bytes = RawSpan(_unsafeBytes: pointer)
        repeat {
            try part.take(bytes, &cursor)
            next = try cursor.nextField(in: bytes) ?? 0
        } while Part.isRepeated && next == number
    }

    @inlinable mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) throws(CanonicalError) {
        let bytes = RawSpan(_unsafeBytes: pointer)
        highestID = 0
        guard next == field.number else { return }
        var rows: [Row] = []
        while next == field.number {
            let row: Row = try cursor.message(bytes)
            guard row.id > 0 else { throw CanonicalError(.notCanonical, at: cursor.offset) }
            highestID = max(highestID, row.id)
            rows.append(row)
            next = try cursor.nextField(in: bytes) ?? 0
        }
        guard let read = OrderedTable(rows, id: { $0.id }) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        table = read
    }

    /// Reads the highest id in use, no less than those of the rows.
    @inlinable mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) throws(CanonicalError) {
        var highest: UInt64 = 0
        try self.field(field, &highest)
        guard highestID <= highest else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        next = highest + 1
    }

    @inlinable
    mutating func whole<Part: Field & CanonicalCodable>(_ field: FieldInfo, _ part: inout Part) throws(CanonicalError) {
        cursor = start
        part = try Part(from: RawSpan(_unsafeBytes: pointer), &cursor)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        next = 0
    }

    @inlinable func missing(_ number: UInt32) -> CanonicalError {
        // An unknown field in its place is the first error, whatever is missing.
        guard next == 0 || next > number else { return cursor.unknown() }
        return CanonicalError(.missingField(number), at: cursor.offset)
    }
}
