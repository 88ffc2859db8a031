public import ChronicleValues

/// A field that is a message of its own: what `FieldCoding` and `CaseCoding` have in common.
public protocol FieldMessage: CanonicalCodable, Field, Equatable {
    /// Passes each field to a visitor, in ascending order of their numbers.
    mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure)
    /// The error in a combination of fields that are valid by themselves; `nil` for a valid combination.
    var fault: ValueMismatch? { get }
}

/// A type that names its fields once, in `visit`; its coding, its form by name and all comparisons follow from that.
///
/// A number that was given once is never given to another field: logs contain it.
public protocol FieldCoding: FieldMessage {
    /// Makes the value in which all fields are initial.
    init()
}

extension FieldMessage {
    @inlinable public var fault: ValueMismatch? { nil }

    @inlinable public func encode(into writer: inout CanonicalWriter) {
        var encoder = FieldEncoder(writer)
        writer = CanonicalWriter()
        var copy = self
        copy.visit(&encoder)
        writer = encoder.finish()
    }

    @inlinable public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.message(number, self) }
    @inlinable public func writeUnlessInitial(_ number: UInt32, into writer: inout CanonicalWriter) { writer.field(number, self) }
    @inlinable public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        try cursor.message(bytes)
    }

    /// Reads a message; an empty one should have been left out.
    @inlinable public mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        let start = cursor.offset
        self = try cursor.message(bytes)
        // An empty message is its length, 0.
        guard cursor.offset > start + 1 else { throw CanonicalError(.notCanonical, at: start) }
    }

    @inlinable public var heapBytes: Int { shown(to: HeapCounter()).bytes }
    public var isInitial: Bool { canonicalBytes.isEmpty }

    /// Passes the fields to a visitor that changes nothing, and returns the visitor.
    @inlinable @inline(__always)
    func shown<Visitor: FieldVisitor>(to visitor: consuming Visitor) -> Visitor where Visitor.Failure == Never {
        var copy = self
        copy.visit(&visitor)
        return visitor
    }

    // Reads the fields of a value in which all are initial.
    @inlinable mutating func read(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        cursor = try bytes.withUnsafeBytes { (pointer) throws(CanonicalError) -> CanonicalCursor in
            var decoder = try FieldDecoder(pointer, cursor)
            try visit(&decoder)
            return try decoder.finish()
        }
        if fault != nil { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }

    func values(isSummary: Bool = false) -> FieldValues { shown(to: FieldValues(isSummary: isSummary)) }
}

extension FieldCoding {
    @inlinable public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        try read(bytes, &cursor)
    }

    /// The fields by name, as the presence of each says.
    public var value: Value { values().value }

    @inlinable public init(_ value: Value) throws(ValueMismatch) {
        self.init()
        var reader = FieldReader(value)
        try visit(&reader)
        try reader.end()
        if let fault { throw fault }
    }

    public static var shape: Shape { Schema(of: Self()).shape }
    public static var scopeNames: [String] { Schema(of: Self()).scopeNames }
}
