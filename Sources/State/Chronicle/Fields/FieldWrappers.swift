public import ChronicleValues

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
