public import ChronicleValues

/// A field that an edit can clear: it has a form that means "no value".
public protocol ClearableField: Field {
    /// The form by name that clears.
    static var clearing: Value { get }
    /// The encoded number that clears; no value is encoded as this number.
    static var clearingNumber: UInt64 { get }
    /// Whether an encoded number clears.
    static func isClearing(_ number: UInt64) -> Bool
    /// Whether a form by name clears.
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
    /// Sets a value.
    case set(Wrapped)
    /// Removes the value.
    case clear

    /// The change from one value to another; `nil` if they are equal.
    public init?(from old: Wrapped?, to new: Wrapped?) {
        guard old != new else { return nil }
        self = new.map(Self.set) ?? .clear
    }

    /// The value after the change.
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
