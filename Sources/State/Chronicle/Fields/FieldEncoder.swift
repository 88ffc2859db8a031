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

    @usableFromInline let start: CanonicalCursor
    @usableFromInline var fields: MessageCursor
    // The highest id of the last table, for its `nextID`.
    @usableFromInline var highestID: UInt64 = 0

    @inlinable @inline(__always)
    init(_ pointer: UnsafeRawBufferPointer, _ cursor: CanonicalCursor) throws(CanonicalError) {
        start = cursor
        fields = try MessageCursor(pointer, cursor)
    }

    @inlinable func finish() throws(CanonicalError) -> CanonicalCursor { try fields.finish() }

    @inlinable @inline(__always)
    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) throws(CanonicalError) {
        if field.presence == .needed, fields.next != field.number { throw missing(field.number) }
        if fields.next == field.number { try take(field.number, &part) }
        guard field.undo == .byDifference, (part as? Int64)?.addingExactly(0) == nil else { return }
        throw notCanonical
    }

    @inlinable mutating func former<Part: Field>(
        _ number: UInt32, _ name: String, _ type: Part.Type, _ adopt: (Part) -> Void
    ) throws(CanonicalError) {
        guard fields.next == number else { return }
        var read: Part?
        try fields.take { (cursor, bytes) throws(CanonicalError) in
            let part = try Part.readAny(bytes, &cursor)
            guard !part.isInitial else { throw CanonicalError(.notCanonical, at: cursor.offset) }
            read = part
        }
        guard var part = read else { return }
        if Part.isRepeated, fields.next == number { try take(number, &part) }
        adopt(part)
    }

    @inlinable mutating func take<Part: Field>(_ number: UInt32, _ part: inout Part) throws(CanonicalError) {
        repeat {
            try fields.take { (cursor, bytes) throws(CanonicalError) in try part.take(bytes, &cursor) }
        } while Part.isRepeated && fields.next == number
    }

    /// Reads rows with unique ids.
    @inlinable
    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) throws(CanonicalError) {
        highestID = 0
        guard fields.next == field.number else { return }
        var rows: [Row] = []
        while fields.next == field.number {
            try fields.take { (cursor, bytes) throws(CanonicalError) in
                let row: Row = try cursor.message(bytes)
                guard row.id > 0 else { throw CanonicalError(.notCanonical, at: cursor.offset) }
                rows.append(row)
            }
        }
        highestID = rows.reduce(0) { max($0, $1.id) }
        guard let read = OrderedTable(rows, id: { $0.id }) else { throw notCanonical }
        table = read
    }

    /// Reads the highest id in use, no less than those of the rows.
    @inlinable mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) throws(CanonicalError) {
        var highest: UInt64 = 0
        try self.field(field, &highest)
        guard highestID <= highest else { throw notCanonical }
        next = highest + 1
    }

    @inlinable
    mutating func whole<Part: Field & CanonicalCodable>(_ field: FieldInfo, _ part: inout Part) throws(CanonicalError) {
        var cursor = start
        part = try Part(from: RawSpan(_unsafeBytes: fields.pointer), &cursor)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        (fields.cursor, fields.next) = (cursor, 0)
    }

    @inlinable func missing(_ number: UInt32) -> CanonicalError {
        // An unknown field in its place is the first error, whatever is missing.
        guard fields.next == 0 || fields.next > number else { return fields.cursor.unknown() }
        return CanonicalError(.missingField(number), at: fields.cursor.offset)
    }

    @inlinable var notCanonical: CanonicalError { CanonicalError(.notCanonical, at: fields.cursor.offset) }
}
