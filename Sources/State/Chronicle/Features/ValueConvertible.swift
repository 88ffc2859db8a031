/// Has a form as a `Value`, and can be read back from it.
public protocol ValueConvertible: Sendable {
    /// Reads a value strictly: an unknown field is a mismatch, not ignored.
    init(_ value: Value) throws(ValueMismatch)
    var value: Value { get }
}

/// A value that does not fit the type it is read as.
public struct ValueMismatch: Error, Sendable, Equatable {
    /// The path, as names joined by dots: `todos.add.items[0].title`.
    public var path: String
    /// A sentence that names the problem and the expected value.
    public var message: String

    public init(_ path: String, _ message: String) { (self.path, self.message) = (path, message) }

    /// The same mismatch in an enclosing value.
    public func under(_ name: String) -> ValueMismatch {
        ValueMismatch(path.isEmpty ? name : path.hasPrefix("[") ? name + path : name + "." + path, message)
    }
}

/// Reads the fields of a record; `end` refuses fields that were not read; null counts as absent.
public struct RecordReader: Sendable {
    private var fields: [Value.Field]

    public init() { fields = [] }

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

    @inlinable
    public mutating func optional<Part: ValueConvertible>(_ name: String, as type: Part.Type = Part.self) throws(ValueMismatch)
        -> Part?
    {
        guard let value = optional(name) else { return nil }
        do throws(ValueMismatch) { return try Part(value) } catch { throw error.under(name) }
    }

    @inlinable
    public mutating func required<Part: ValueConvertible>(_ name: String, as type: Part.Type = Part.self) throws(ValueMismatch)
        -> Part
    {
        guard let part = try optional(name, as: type) else { throw ValueMismatch(name, "this field is missing") }
        return part
    }

    /// Fails if a field was not read.
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
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .text(let text) = value else { throw ValueMismatch("", "a text is expected") }
        self = text
    }

    public var value: Value { .text(self) }
}

extension Bool: ValueConvertible {
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .bool(let bool) = value else { throw ValueMismatch("", "true or false is expected") }
        self = bool
    }

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
    @inlinable public init(_ value: Value) throws(ValueMismatch) {
        guard case .list(let values) = value else { throw ValueMismatch("", "a list is expected") }
        self = []
        reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            do throws(ValueMismatch) { append(try Element(value)) } catch { throw error.under("[\(index)]") }
        }
    }

    public var value: Value {
        // For a type that is only known at run time, each list would create its own key path.
        .list(map { $0.value })
    }
}

/// The id of an element of a list: a whole number in the range of ids.
public struct ElementID: ValueConvertible, Equatable {
    /// The range of ids: JSON clients represent every id and its successor exactly.
    public static let range: ClosedRange<UInt64> = 1...(UInt64(Int64.exactMax) - 1)
    public var number: UInt64

    public var value: Value { .int(Int64(clamping: number)) }

    /// Reads a whole number from 1 to 2^53 - 2.
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .int(let int) = value, let number = UInt64(exactly: int), Self.range.contains(number) else {
            throw ValueMismatch("", "an id, a whole number from 1, is expected")
        }
        self.number = number
    }
}

extension String {
    /// The longest prefix of at most that many UTF-8 bytes that ends with a whole Unicode scalar.
    public func prefix(bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, bytesMax))
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

/// An error in the coding of a type: some of its values would be decoded as other values, or not at all.
public struct CodingMistake: Error, Sendable, Equatable {
    /// A sentence that names the type, the field or case, and the remedy.
    public let message: String

    public init(_ message: String) { self.message = message }
}

extension CanonicalCodable where Self: Equatable {
    /// A sentence with both values if this value and its decoded bytes differ; else `nil`.
    public var readBackFault: String? {
        let read = Result { () throws(CanonicalError) in try Self(canonical: canonicalBytes) }
        // Compares bytes: an omitted value and the default that it decodes to have the same bytes.
        let (form, readForm) = ((self as? any ValueConvertible)?.value, (try? read.get() as? any ValueConvertible)?.value)
        if case .success(self) = read, form == readForm { return nil }
        return "\(Self.self) is not read back as it was written: \(form.map { "\($0)" } ?? "\(self)") became "
            + "\(readForm.map { "\($0)" } ?? "\(read)"). Give each field its own number and the coded default, and add each case to `defaultInstance`."
    }
}
