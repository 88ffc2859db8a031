public import ChronicleValues

/// The type of a field: it has a canonical form, a form by name, and an initial value that is left out.
public protocol Field: ValueConvertible {
    static var shape: Shape { get }
    /// Whether it is the value that fields of this type begin with.
    var isInitial: Bool { get }
    /// Compares values; texts by their bytes.
    func isSame(as other: Self) -> Bool

    /// Writes the value, also an initial one.
    func write(_ number: UInt32, into writer: inout CanonicalWriter)
    func writeUnlessInitial(_ number: UInt32, into writer: inout CanonicalWriter)
    /// Reads a value that may be initial: a member of a list, or one whose presence means something.
    static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self

    /// Reads the value at the cursor: one that is not initial, or the next member of a list.
    mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError)
    /// Whether its number is repeated, once per member.
    static var isRepeated: Bool { get }

    /// Estimated heap bytes of the value, in addition to its own size: 0 for a number.
    var heapBytes: Int { get }
    func show(_ column: Int, to reader: any ColumnReader)
}

extension Field {
    @inlinable public static var isRepeated: Bool { false }
    @inlinable public var heapBytes: Int { 0 }
    @inlinable public func show(_ column: Int, to reader: any ColumnReader) { reader.read(column, value) }
    @inlinable public func writeUnlessInitial(_ number: UInt32, into writer: inout CanonicalWriter) {
        if !isInitial { write(number, into: &writer) }
    }

    /// Reads a single value; an initial one should have been left out.
    @inlinable public mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        let part = try Self.readAny(bytes, &cursor)
        guard !part.isInitial else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        self = part
    }
}

extension Field where Self: Equatable {
    @inlinable public func isSame(as other: Self) -> Bool { self == other }
}

extension String: Field {
    public static var shape: Shape { .text }
    @inlinable public var isInitial: Bool { utf8.isEmpty }
    /// A short text is stored in place.
    @inlinable public var heapBytes: Int { utf8.count > 15 ? utf8.count + 32 : 0 }
    @inlinable public func isSame(as other: String) -> Bool { hasSameBytes(as: other) }
    @inlinable public func show(_ column: Int, to reader: any ColumnReader) { reader.read(column, text: self) }
    @inlinable public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, self) }
    @inlinable public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> String {
        try cursor.textElement(bytes)
    }
}

/// A field that is one number in canonical bytes.
public protocol NumberField: Field, Equatable {
    /// Reads the number; `nil` if no value has it.
    init?(canonicalNumber number: UInt64)
    /// The number; 0 for the initial value.
    var canonicalNumber: UInt64 { get }
}

extension NumberField {
    @inlinable public var isInitial: Bool { canonicalNumber == 0 }
    @inlinable public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, canonicalNumber) }
    @inlinable public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        guard let value = Self(canonicalNumber: try cursor.uintElement(bytes)) else {
            throw CanonicalError(.notCanonical, at: cursor.offset)
        }
        return value
    }
}

extension Bool: NumberField {
    public static var shape: Shape { .bool }
    @inlinable public var canonicalNumber: UInt64 { self ? 1 : 0 }

    @inlinable public init?(canonicalNumber number: UInt64) {
        guard number <= 1 else { return nil }
        self = number == 1
    }
}

/// A number with a sign, in zigzag form.
extension Int64: NumberField {
    public static var shape: Shape { .int }
    @inlinable public var canonicalNumber: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }

    @inlinable
    public init?(canonicalNumber number: UInt64) { self = Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1) }
}

/// An id within the range of `ElementID`, or 0 for no id.
extension UInt64: NumberField {
    public static var shape: Shape { .int }
    public var value: Value { .int(Int64(clamping: self)) }
    @inlinable public var canonicalNumber: UInt64 { self }
    public init(_ value: Value) throws(ValueMismatch) { self = try ElementID(value).number }

    @inlinable public init?(canonicalNumber number: UInt64) {
        guard ElementID.range.contains(number) else { return nil }
        self = number
    }
}

/// An index of a list.
extension Int: NumberField {
    public static var shape: Shape { .int }
    public var value: Value { .int(Int64(self)) }
    /// A negative index, which `prepare` refuses, has a number that can't be read.
    @inlinable public var canonicalNumber: UInt64 { UInt64(bitPattern: Int64(self)) }
    public init(_ value: Value) throws(ValueMismatch) { self = Int(try Int64(value)) }
    @inlinable public init?(canonicalNumber number: UInt64) { self.init(exactly: number) }
}

/// A whole number from 0 to 2^53 - 1.
public struct Count: NumberField {
    public var content: Int64

    @inlinable public init(_ content: Int64) { self.content = content }
    public static var shape: Shape { .int }
    public var value: Value { .int(content) }
    @inlinable public var canonicalNumber: UInt64 { UInt64(bitPattern: content) }

    public init(_ value: Value) throws(ValueMismatch) {
        content = try Int64(value)
        guard content >= 0 else { throw ValueMismatch("", "a whole number from 0 is expected") }
    }

    @inlinable public init?(canonicalNumber number: UInt64) {
        guard number <= UInt64(Int64.exactMax) else { return nil }
        self.init(Int64(number))
    }
}

extension Optional: ValueConvertible where Wrapped: Field {
    public var value: Value { self?.value ?? .null }
    @inlinable public init(_ value: Value) throws(ValueMismatch) { self = value == .null ? nil : try Wrapped(value) }
}

/// A field whose presence has a meaning, so an initial value of the wrapped type is written, too.
extension Optional: Field where Wrapped: Field {
    public static var shape: Shape { Wrapped.shape }
    @inlinable public var isInitial: Bool { self == nil }
    @inlinable public var heapBytes: Int { self?.heapBytes ?? 0 }
    @inlinable public func isSame(as other: Wrapped?) -> Bool {
        if let self, let other { self.isSame(as: other) } else { (self == nil) == (other == nil) }
    }

    @inlinable public func write(_ number: UInt32, into writer: inout CanonicalWriter) { self?.write(number, into: &writer) }
    @inlinable public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Wrapped? {
        try Wrapped.readAny(bytes, &cursor)
    }
}

/// A list, its number repeated for each member.
extension Array: Field where Element: Field {
    public static var shape: Shape { .list(Element.shape) }
    @inlinable public var isInitial: Bool { isEmpty }
    @inlinable public static var isRepeated: Bool { true }
    @inlinable public var heapBytes: Int { isEmpty ? 0 : reduce(32) { $0 + MemoryLayout<Element>.stride + $1.heapBytes } }

    @inlinable public func isSame(as other: [Element]) -> Bool {
        let (left, right) = (span, other.span)
        return left.isIdentical(to: right) || count == other.count && zip(self, other).allSatisfy { $0.isSame(as: $1) }
    }

    @inlinable public func show(_ column: Int, to reader: any ColumnReader) {
        guard Element.self == String.self, let texts = self as? [String] else { return reader.read(column, value) }
        reader.read(column, texts: texts)
    }

    @inlinable public func write(_ number: UInt32, into writer: inout CanonicalWriter) {
        for element in self { element.write(number, into: &writer) }
    }

    @inlinable public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> [Element] {
        [try Element.readAny(bytes, &cursor)]
    }

    @inlinable public mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        append(try Element.readAny(bytes, &cursor))
    }
}

/// A field that an edit can clear: it has a form that means "no value".
public protocol ClearableField: Field {
    /// The form by name that clears.
    static var clearing: Value { get }
    /// The encoded number that clears; no value is encoded as this number.
    static var clearingNumber: UInt64 { get }
    static func isClearing(_ number: UInt64) -> Bool
    static func isClearing(_ value: Value) -> Bool
}

extension ClearableField {
    public static func isClearing(_ number: UInt64) -> Bool { number == clearingNumber }
    public static func isClearing(_ value: Value) -> Bool { value == clearing }
}

/// Any negative number clears. It is encoded as -1.
extension Int64: ClearableField {
    public static var clearing: Value { -1 }
    public static var clearingNumber: UInt64 { 1 }

    // Negative numbers are odd in zigzag form.
    public static func isClearing(_ number: UInt64) -> Bool { number & 1 == 1 }
    public static func isClearing(_ value: Value) -> Bool { if case .int(let number) = value { number < 0 } else { false } }
}

/// The change that an edit makes to a field that may be absent.
public enum FieldChange<Wrapped: ClearableField & Equatable>: Field, Equatable {
    case set(Wrapped)
    case clear

    /// The change from one value to another; `nil` if they are equal.
    public init?(from old: Wrapped?, to new: Wrapped?) {
        guard old != new else { return nil }
        self = new.map(Self.set) ?? .clear
    }

    public var outcome: Wrapped? { if case .set(let value) = self { value } else { nil } }
    public static var shape: Shape { Wrapped.shape }
    /// Never: an edit without a change has no value of this type.
    public var isInitial: Bool { false }
    public var value: Value { outcome?.value ?? Wrapped.clearing }
    public init(_ value: Value) throws(ValueMismatch) { self = Wrapped.isClearing(value) ? .clear : .set(try Wrapped(value)) }

    public func write(_ number: UInt32, into writer: inout CanonicalWriter) {
        switch self {
        case .set(let value): value.write(number, into: &writer)
        case .clear: writer.element(number, Wrapped.clearingNumber)
        }
    }

    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        var probe = cursor
        if Wrapped.isClearing(try probe.uintElement(bytes)) {
            cursor = probe
            return .clear
        }
        return .set(try Wrapped.readAny(bytes, &cursor))
    }
}

/// A list as one field: a message with the members under number 1, so that an empty list differs from no list.
public struct WholeList<Element: Field>: Field {
    public var elements: [Element]

    public init(_ elements: [Element]) { self.elements = elements }
    public static var shape: Shape { .list(Element.shape) }
    /// Always `false`: an empty list has a meaning.
    public var isInitial: Bool { false }
    public var value: Value { elements.value }
    public init(_ value: Value) throws(ValueMismatch) { elements = try [Element](value) }
    public func isSame(as other: Self) -> Bool { elements.isSame(as: other.elements) }

    public func write(_ number: UInt32, into writer: inout CanonicalWriter) {
        writer.message(number) { elements.write(1, into: &$0) }
    }

    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        var list = Self([])
        var inner = try cursor.enter(bytes)
        while let number = try inner.nextField(in: bytes) {
            guard number == 1 else { throw inner.unknown() }
            try list.elements.take(bytes, &inner)
        }
        return list
    }
}

/// Texts that are compared by their bytes: `@ByteEqual var title: String`.
///
/// Synthesized equality then agrees with the fold, whatever the release of Unicode.
@propertyWrapper
public struct ByteEqual<Wrapped: Field>: Sendable, Equatable {
    public var wrappedValue: Wrapped

    @inlinable public init(wrappedValue: Wrapped) { self.wrappedValue = wrappedValue }
    @inlinable public static func == (left: Self, right: Self) -> Bool { left.wrappedValue.isSame(as: right.wrappedValue) }
}
