public import Reducing
public import Values

/// A list as one field: a message that holds the members under the number 1, so that an empty list is not none.
public struct WholeList<Element: Field>: Field {
    /// The members.
    public var elements: [Element]

    public init(_ elements: [Element]) { self.elements = elements }

    public static var shape: Shape { .list(Element.shape) }
    /// Never: an empty list means something.
    public var isInitial: Bool { false }
    /// The members.
    public var value: Value { elements.value }

    /// Reads a list.
    public init(_ value: Value) throws(ValueMismatch) { elements = try [Element](value) }

    /// Whether both have the same members.
    public func isSame(as other: Self) -> Bool { elements.isSame(as: other.elements) }

    /// A message with the members.
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) {
        writer.message(number) { elements.write(1, into: &$0) }
    }

    /// Reads a message with members.
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
