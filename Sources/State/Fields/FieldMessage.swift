public import Reducing
public import Values

/// A field that is a message of its own: what `Fielded` and `Cased` have in common.
public protocol FieldMessage: CanonicalCodable, Field, Equatable {
    /// Shows each field to a visitor, in ascending order of their numbers.
    mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure)
    /// What is wrong with fields that were read, each of which fits by itself; `nil` if nothing is.
    var fault: ValueMismatch? { get }
}

extension FieldMessage {
    @inlinable public var fault: ValueMismatch? { nil }

    /// Writes the fields that differ from their initial value.
    @inlinable
    public func encode(into writer: inout CanonicalWriter) {
        var encoder = FieldEncoder(writer)
        writer = CanonicalWriter()
        var copy = self
        copy.visit(&encoder)
        writer = encoder.finish()
    }

    /// As a message.
    @inlinable
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.message(number, self) }

    /// As a message, unless that is empty.
    @inlinable
    public func writeUnlessInitial(_ number: UInt32, into writer: inout CanonicalWriter) { writer.field(number, self) }

    /// Reads a message.
    @inlinable
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        try cursor.message(bytes)
    }

    /// Reads a message; an empty one should have been left out.
    @inlinable
    public mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        let start = cursor.offset
        self = try cursor.message(bytes)
        // An empty message is its length, 0.
        guard cursor.offset > start + 1 else { throw CanonicalError(.notCanonical, at: start) }
    }

    /// Those of its fields.
    @inlinable public var heapBytes: Int {
        var (counter, copy) = (HeapCounter(), self)
        copy.visit(&counter)
        return counter.bytes
    }

    /// Whether nothing would be written.
    public var isInitial: Bool { canonicalBytes.isEmpty }

    // Reads fields into what all of them begin with.
    @inlinable
    mutating func read(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        cursor = try bytes.withUnsafeBytes { (pointer) throws(CanonicalError) -> CanonicalCursor in
            var decoder = try FieldDecoder(pointer, cursor)
            try visit(&decoder)
            return try decoder.finish()
        }
        if fault != nil { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }

    // What a visitor has collected of this value.
    func values(_ content: FieldValues.Content = .everything) -> FieldValues {
        var (values, copy) = (FieldValues(content), self)
        copy.visit(&values)
        return values
    }
}
