/// A neutral tree of data: what features show of themselves without knowing any wire format.
///
/// Texts are equal when their UTF-8 bytes are.
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

    /// Compares texts by their bytes, everything else as it stands.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
        case (.list(let left), .list(let right)): left == right
        case (.record(let left), .record(let right)): left == right
        default: false
        }
    }

    /// The field of that name, if this is a record that has it.
    public subscript(name: String) -> Value? {
        guard case .record(let fields) = self else { return nil }
        return fields.first { $0.name.hasSameBytes(as: name) }?.value
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
