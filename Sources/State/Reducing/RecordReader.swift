/// Reads the fields of a record, and then tells those that nobody asked for.
///
/// A field that is null counts as absent. Call `end` when all have been read.
public struct RecordReader: Sendable {
    private var fields: [Value.Field]

    /// Reads what has no fields.
    public init() { fields = [] }

    /// Begins to read a record.
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .record(let fields) = value else { throw ValueMismatch("", "an object is expected") }
        self.fields = fields
    }

    /// Takes a field that may be absent.
    public mutating func optional(_ name: String) -> Value? {
        guard let index = fields.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else { return nil }
        let value = fields.remove(at: index).value
        return value == .null ? nil : value
    }

    /// Whether a field is left that is not null.
    public func holds(_ name: String) -> Bool { fields.contains { $0.name.hasSameBytes(as: name) && $0.value != .null } }

    /// Takes a field that may be absent, as a type.
    @inlinable
    public mutating func optional<Part: ValueConvertible>(_ name: String, as type: Part.Type = Part.self) throws(ValueMismatch)
        -> Part?
    {
        guard let value = optional(name) else { return nil }
        do throws(ValueMismatch) { return try Part(value) } catch { throw error.under(name) }
    }

    /// Takes a field that must be there, as a type.
    @inlinable
    public mutating func required<Part: ValueConvertible>(_ name: String, as type: Part.Type = Part.self) throws(ValueMismatch)
        -> Part
    {
        guard let part = try optional(name, as: type) else { throw ValueMismatch(name, "this field is missing") }
        return part
    }

    /// Fails if a field is left that nobody asked for.
    public func end() throws(ValueMismatch) {
        if let field = fields.first { throw ValueMismatch(field.name, "there is no such field") }
    }

    /// The only field of a record that stands for one of several cases.
    public static func choice(_ value: Value) throws(ValueMismatch) -> Value.Field {
        guard case .record(let fields) = value, fields.count == 1 else {
            throw ValueMismatch("", "an object with exactly one field is expected, its name says which")
        }
        return fields[0]
    }
}

extension String: ValueConvertible {
    /// Reads a text.
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .text(let text) = value else { throw ValueMismatch("", "a text is expected") }
        self = text
    }

    public var value: Value { .text(self) }
}

extension Bool: ValueConvertible {
    /// Reads a truth value.
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .bool(let bool) = value else { throw ValueMismatch("", "true or false is expected") }
        self = bool
    }

    /// The truth value.
    public var value: Value { .bool(self) }
}

extension Int64: ValueConvertible {
    /// Reads a whole number from -(2^53 - 1) to 2^53 - 1.
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .int(let number) = value, number.magnitude <= Self.exactMax.magnitude else {
            throw ValueMismatch("", "a whole number from -(2^53 - 1) to 2^53 - 1 is expected")
        }
        self = number
    }

    public var value: Value { .int(self) }
}

extension Array: ValueConvertible where Element: ValueConvertible {
    /// Reads a list.
    @inlinable
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .list(let values) = value else { throw ValueMismatch("", "a list is expected") }
        self = []
        reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            do throws(ValueMismatch) { append(try Element(value)) } catch { throw error.under("[\(index)]") }
        }
    }

    /// The list.
    public var value: Value {
        // A key path of a type that is only known at run time would be made anew for each list.
        .list(map { $0.value })
    }
}
