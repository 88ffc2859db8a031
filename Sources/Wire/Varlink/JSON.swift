/// One JSON value, as a Varlink message carries it.
///
/// Integers without fraction and exponent that fit are ``int(_:)``, every other number is ``double(_:)``.
public enum JSON: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSON])
    /// The members in the order in which they were written.
    case object([Member])

    /// A name in an object and its value.
    public struct Member: Sendable {
        /// The name, any text.
        public var name: String
        /// The value that the name stands for.
        public var value: JSON

        /// Pairs a name with its value.
        public init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// The kinds of values, for messages about a value of the wrong one.
    public enum Kind: String, Sendable {
        case null, bool, int, double, string, array, object
    }
}

extension JSON: Equatable {
    /// Whether both are the same kind with the same value; texts and names by their bytes, numbers also in the way they are written.
    public static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSON.Member: Equatable {
    /// Whether both have the same name, by its bytes, and the same value.
    public static func == (left: JSON.Member, right: JSON.Member) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
    }
}

extension JSON {
    /// Which kind of value this is.
    public var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// Whether this is the value `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value of a member of an object, or nil when this is no object or has no such member.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The text of a string, nil for any other kind.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value of an integer, nil for any other kind.
    public var int: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The value of a boolean, nil for any other kind.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The value of a number, whichever way it was written, nil for any other kind.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The elements of an array, nil for any other kind.
    public var array: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members of an object, nil for any other kind.
    public var object: [Member]? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension [JSON.Member] {
    /// The value of the first member with this name.
    public subscript(name: String) -> JSON? {
        for member in self where member.name == name { return member.value }
        return nil
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Makes `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Makes a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes an integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Makes a number with a fraction.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// Makes an object, its members in the order written here.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}
