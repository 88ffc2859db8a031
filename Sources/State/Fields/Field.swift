public import Reducing
public import Values

/// What can be a field: it has a canonical form, a form by name, and an initial value that is left out.
public protocol Field: ValueConvertible {
    /// What it looks like by name.
    static var shape: Shape { get }
    /// Whether it is what every field of this type begins with.
    var isInitial: Bool { get }
    /// Whether both are the same; texts are compared by their bytes.
    func isSame(as other: Self) -> Bool

    /// Writes the value, whatever it is.
    func write(_ number: UInt32, into writer: inout CanonicalWriter)
    /// Writes the value, unless it is initial.
    func writeUnlessInitial(_ number: UInt32, into writer: inout CanonicalWriter)
    /// Reads a value that may be initial: a member of a list, or one whose presence means something.
    static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self

    /// Takes over what stands at the cursor: a value that is not initial, or the next member of a list.
    mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError)
    /// Whether its number is repeated for each of several members.
    static var isRepeated: Bool { get }

    /// Estimated heap bytes of the value, in addition to its own size: 0 for a number.
    var heapBytes: Int { get }

    /// Shows itself to a reader as one of its columns.
    func show(_ column: Int, to reader: any ColumnReader)
    static func show(_ list: [Self], _ column: Int, to reader: any ColumnReader)
}

extension Field {
    /// One value.
    @inlinable public static var isRepeated: Bool { false }

    @inlinable public var heapBytes: Int { 0 }

    /// Shows its value.
    @inlinable
    public func show(_ column: Int, to reader: any ColumnReader) { reader.read(column, value) }

    /// Shows their values.
    @inlinable
    public static func show(_ list: [Self], _ column: Int, to reader: any ColumnReader) { reader.read(column, list.value) }

    /// Nothing, where a reader would begin with this value.
    @inlinable
    public func writeUnlessInitial(_ number: UInt32, into writer: inout CanonicalWriter) {
        if !isInitial { write(number, into: &writer) }
    }

    /// A single value; an initial one should have been left out.
    @inlinable
    public mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        let part = try Self.readAny(bytes, &cursor)
        guard !part.isInitial else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        self = part
    }
}

extension Field where Self: Equatable {
    /// Whether they are equal.
    @inlinable
    public func isSame(as other: Self) -> Bool { self == other }
}

extension String: Field {
    public static var shape: Shape { .text }
    @inlinable public var isInitial: Bool { utf8.isEmpty }
    /// A short text is stored in place.
    @inlinable public var heapBytes: Int { utf8.count > 15 ? utf8.count + 32 : 0 }

    @inlinable
    public func isSame(as other: String) -> Bool { hasSameBytes(as: other) }

    /// Shows the text itself.
    @inlinable
    public func show(_ column: Int, to reader: any ColumnReader) { reader.read(column, text: self) }

    /// Shows the texts themselves.
    @inlinable
    public static func show(_ list: [String], _ column: Int, to reader: any ColumnReader) { reader.read(column, texts: list) }

    /// Its length and its bytes.
    @inlinable
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, self) }

    /// Reads a text, which may be empty.
    @inlinable
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> String {
        try cursor.textElement(bytes)
    }
}

extension Bool: Field {
    public static var shape: Shape { .bool }
    /// Whether it is false.
    @inlinable public var isInitial: Bool { !self }

    /// 1 or 0.
    @inlinable
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, self ? 1 : 0 as UInt64) }

    /// Reads 1 or 0.
    @inlinable
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Bool {
        let number = try cursor.uintElement(bytes)
        guard number <= 1 else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        return number == 1
    }
}

/// A number with a sign.
extension Int64: Field {
    public static var shape: Shape { .int }
    @inlinable public var isInitial: Bool { self == 0 }

    /// In zigzag form.
    @inlinable
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, self) }

    /// Reads the zigzag form.
    @inlinable
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Int64 {
        let number = try cursor.uintElement(bytes)
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }
}

/// An id, as `ElementID` is read; 0 is none.
extension UInt64: Field {
    public static var shape: Shape { .int }
    @inlinable public var isInitial: Bool { self == 0 }
    public var value: Value { .int(Int64(clamping: self)) }

    /// Reads an id.
    public init(_ value: Value) throws(ValueMismatch) { self = try ElementID(value).number }

    @inlinable
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, self) }

    /// Reads what can be an id.
    @inlinable
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> UInt64 {
        let number = try cursor.uintElement(bytes)
        guard ElementID.range.contains(number) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        return number
    }
}

/// A place in a list.
extension Int: Field {
    public static var shape: Shape { .int }
    /// Whether it is 0, or below, which is written as 0.
    @inlinable public var isInitial: Bool { self <= 0 }
    public var value: Value { .int(Int64(self)) }

    /// Reads a whole number.
    public init(_ value: Value) throws(ValueMismatch) { self = Int(try Int64(value)) }

    /// The number; one below 0, which `prepare` refuses, as 0.
    @inlinable
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, UInt64(clamping: self)) }

    /// Reads what can be a place.
    @inlinable
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Int {
        guard let place = Int(exactly: try cursor.uintElement(bytes)) else {
            throw CanonicalError(.notCanonical, at: cursor.offset)
        }
        return place
    }
}

extension Optional: ValueConvertible where Wrapped: Field {
    /// The value, or null.
    public var value: Value { self?.value ?? .null }

    /// Reads a value; null is none.
    @inlinable
    public init(_ value: Value) throws(ValueMismatch) { self = value == .null ? nil : try Wrapped(value) }
}

/// A field whose presence means something, so it is written also in its type's initial value.
extension Optional: Field where Wrapped: Field {
    /// That of the value.
    public static var shape: Shape { Wrapped.shape }
    @inlinable public var isInitial: Bool { self == nil }
    /// Those of the value.
    @inlinable public var heapBytes: Int { self?.heapBytes ?? 0 }

    /// Whether both have the same value, or none.
    @inlinable
    public func isSame(as other: Wrapped?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let left?, let right?): left.isSame(as: right)
        default: false
        }
    }

    /// The value, if there is one.
    @inlinable
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) { self?.write(number, into: &writer) }

    /// Reads a value.
    @inlinable
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Wrapped? {
        try Wrapped.readAny(bytes, &cursor)
    }
}

/// A list, its number repeated for each member.
extension Array: Field where Element: Field {
    public static var shape: Shape { .list(Element.shape) }
    @inlinable public var isInitial: Bool { isEmpty }
    /// Each member has the number.
    @inlinable public static var isRepeated: Bool { true }
    /// Those of the storage and of all members.
    @inlinable public var heapBytes: Int {
        isEmpty ? 0 : reduce(32) { $0 + MemoryLayout<Element>.stride + $1.heapBytes }
    }

    /// Whether both have the same members.
    @inlinable
    public func isSame(as other: [Element]) -> Bool {
        let (left, right) = (span, other.span)
        return left.isIdentical(to: right) || count == other.count && zip(self, other).allSatisfy { $0.isSame(as: $1) }
    }

    /// Shows what its members are.
    @inlinable
    public func show(_ column: Int, to reader: any ColumnReader) {
        Element.show(self, column, to: reader)
    }

    /// All members.
    @inlinable
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) {
        for element in self { element.write(number, into: &writer) }
    }

    /// Reads one member.
    @inlinable
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> [Element] {
        [try Element.readAny(bytes, &cursor)]
    }

    /// Reads the next member.
    @inlinable
    public mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        append(try Element.readAny(bytes, &cursor))
    }
}

/// A whole number from 0 to 2^53 - 1, written without a sign.
public struct Count: Field, Equatable {
    public var number: Int64

    @inlinable
    public init(_ number: Int64) { self.number = number }

    public static var shape: Shape { .int }
    @inlinable public var isInitial: Bool { number == 0 }
    public var value: Value { .int(number) }

    /// Reads a whole number from 0.
    public init(_ value: Value) throws(ValueMismatch) {
        number = try Int64(value)
        guard number >= 0 else { throw ValueMismatch("", "a whole number from 0 is expected") }
    }

    /// The number; one below 0 as 0.
    @inlinable
    public func write(_ field: UInt32, into writer: inout CanonicalWriter) { writer.element(field, UInt64(clamping: number)) }

    /// Reads what can be a count.
    @inlinable
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Count {
        let number = try cursor.uintElement(bytes)
        guard number <= UInt64(Int64.exactMax) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        return Count(Int64(number))
    }
}
