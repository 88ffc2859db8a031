public import PersistentCollections
import Reducing
public import Values

/// Writes the canonical bytes of what it is shown.
public struct FieldEncoder: FieldVisitor {
    /// It only looks.
    @inlinable public static var changesFields: Bool { false }
    @usableFromInline var writer: CanonicalWriter
    // Where the length of the chosen case's message is to stand; -1 without a case.
    @usableFromInline var lengthAt = -1

    /// Begins behind what was written already.
    @inlinable
    public init(_ writer: consuming CanonicalWriter) { self.writer = writer }

    /// What was written, with the message of the case closed.
    @inlinable
    public consuming func finish() -> CanonicalWriter {
        if lengthAt >= 0 { writer.endMessage(from: lengthAt) }
        return writer
    }

    /// Begins the message of a case.
    @inlinable
    public mutating func choose(_ number: UInt32, _ name: String) { lengthAt = writer.beginMessage(number) }

    /// A field, unless it is initial.
    @inlinable
    public mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        part.writeUnlessInitial(number, into: &writer)
    }

    /// Each row in their order.
    @inlinable
    public mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        table.forEach { _, row in
            writer.message(number, row)
            return true
        }
    }

    /// The highest id that was handed out.
    @inlinable
    public mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) { writer.field(number, next - 1) }

    /// The value as the message of the case.
    @inlinable
    public mutating func whole<Part: Field & CanonicalCodable>(_ number: UInt32, _ name: String, _ part: inout Part) {
        writer.message(number, part)
    }
}

/// Reads canonical bytes into what it is shown.
public struct FieldDecoder: FieldVisitor {
    /// Bytes that are not canonical.
    public typealias Failure = CanonicalError

    // Lent to the closure in which this decoder lives.
    @usableFromInline let pointer: UnsafeRawBufferPointer
    @usableFromInline let start: CanonicalCursor
    @usableFromInline var cursor: CanonicalCursor
    // The number of the field at the cursor; 0 at the end.
    @usableFromInline var next: UInt32
    // The highest id of the rows that were read last, to which a `nextID` behind them belongs.
    @usableFromInline var highestID: UInt64 = 0

    @inlinable
    @inline(__always)
    init(_ pointer: UnsafeRawBufferPointer, _ cursor: CanonicalCursor) throws(CanonicalError) {
        self.pointer = pointer
        start = cursor
        self.cursor = cursor
        next = try self.cursor.nextField(in: RawSpan(_unsafeBytes: pointer)) ?? 0
    }

    /// The place behind the last field; one that nobody asked for is an error.
    @inlinable
    func finish() throws(CanonicalError) -> CanonicalCursor {
        guard next == 0 else {
            throw cursor.isRepeated ? CanonicalError(.outOfOrder(next), at: cursor.offset) : cursor.unknown()
        }
        return cursor
    }

    /// A field, if it is there.
    @inlinable
    @inline(__always)
    public mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) throws(CanonicalError) {
        if next == number { return try take(number, &part) }
        if presence == .needed { throw missing(number) }
    }

    /// What an older version wrote, if it is there.
    @inlinable
    public mutating func former<Part: Field>(
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

    @inlinable
    mutating func take<Part: Field>(_ number: UInt32, _ part: inout Part) throws(CanonicalError) {
        let bytes = RawSpan(_unsafeBytes: pointer)
        repeat {
            try part.take(bytes, &cursor)
            next = try cursor.nextField(in: bytes) ?? 0
        } while Part.isRepeated && next == number
    }

    /// Rows, none twice.
    @inlinable
    public mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) throws(CanonicalError) {
        let bytes = RawSpan(_unsafeBytes: pointer)
        highestID = 0
        guard next == number else { return }
        var rows: [Row] = []
        while next == number {
            let row: Row = try cursor.message(bytes)
            guard row.id > 0 else { throw CanonicalError(.notCanonical, at: cursor.offset) }
            highestID = max(highestID, row.id)
            rows.append(row)
            next = try cursor.nextField(in: bytes) ?? 0
        }
        guard let read = OrderedTable(rows, id: { $0.id }) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        table = read
    }

    /// The highest id that was handed out, no less than those of the rows.
    @inlinable
    public mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) throws(CanonicalError) {
        var highest: UInt64 = 0
        try field(number, name, &highest, .optional)
        guard highestID <= highest else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        next = highest + 1
    }

    /// The value that the whole message is.
    @inlinable
    public mutating func whole<Part: Field & CanonicalCodable>(
        _ number: UInt32, _ name: String, _ part: inout Part
    ) throws(CanonicalError) {
        cursor = start
        part = try Part(from: RawSpan(_unsafeBytes: pointer), &cursor)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        next = 0
    }

    @inlinable
    func missing(_ number: UInt32) -> CanonicalError {
        // What is there instead is wrong whatever is missing.
        guard next == 0 || next > number else { return cursor.unknown() }
        return CanonicalError(.missingField(number), at: cursor.offset)
    }
}
