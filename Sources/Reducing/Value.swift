/// A neutral tree of data: what features show of themselves without knowing any wire format.
public enum Value: Sendable, Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    case text(String)
    case list([Value])
    case record([Field])

    /// A named part of a record.
    public struct Field: Sendable, Equatable {
        /// Its name, in camelCase.
        public var name: String
        /// Its value.
        public var value: Value

        /// Makes a field.
        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// The field of that name, if this is a record that has it.
    public subscript(name: String) -> Value? {
        guard case .record(let fields) = self else { return nil }
        return fields.first { $0.name == name }?.value
    }
}

extension Value: ExpressibleByDictionaryLiteral {
    /// A record, its fields in the order written.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self = .record(elements.map { Field($0.0, $0.1) })
    }
}

extension Value: ExpressibleByArrayLiteral {
    /// A list.
    public init(arrayLiteral elements: Value...) { self = .list(elements) }
}

extension Value: ExpressibleByStringLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
}

extension Value: ExpressibleByIntegerLiteral {
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension Value: ExpressibleByBooleanLiteral {
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
