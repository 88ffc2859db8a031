public import Reducing
public import Values

/// A type that names its fields once, in `visit`; all that depends on them follows from that.
///
/// A number, once given, is never given to another field: it stands in logs.
public protocol Fielded: FieldMessage {
    /// Makes the value whose fields are all as they begin.
    init()
}

extension Fielded {
    @inlinable
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        try read(bytes, &cursor)
    }

    /// By name, as the presence of each field says.
    public var value: Value { values().value }

    /// Reads fields by name.
    @inlinable
    public init(_ value: Value) throws(ValueMismatch) {
        self.init()
        var reader = FieldReader(value)
        try visit(&reader)
        try reader.end()
        if let fault { throw fault }
    }

    /// Its fields by name.
    public static var shape: Shape {
        var fields = FieldShapes()
        var sample = Self()
        sample.visit(&fields)
        return .record(fields.fields)
    }
}
