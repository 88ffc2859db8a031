/// A JSON-like tree that represents feature states and message parameters.
///
/// Texts and names are compared by their UTF-8 bytes.
public enum Value: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits into 64 bits.
    case int(Int64)
    /// Any other number of a JSON text; state fields never accept it.
    case double(Double)
    case text(String)
    case list([Value])
    /// The fields in source order.
    case record([Field])

    public struct Field: Sendable, Equatable {
        /// The name; camelCase in features, any text on the wire.
        public var name: String
        public var value: Value

        public init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }

        public static func == (left: Field, right: Field) -> Bool {
            left.name.hasSameBytes(as: right.name) && left.value == right.value
        }
    }

    /// Compares case and value; texts by their bytes, and an integer never equals a double.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
        case (.list(let left), .list(let right)): left == right
        case (.record(let left), .record(let right)): left == right
        default: false
        }
    }
}

extension Value {
    public var isNull: Bool { if case .null = self { true } else { false } }

    public var text: String? { if case .text(let text) = self { text } else { nil } }

    public var int: Int64? { if case .int(let number) = self { number } else { nil } }

    public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// The number as a double, also for an integer.
    public var double: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    public var list: [Value]? { if case .list(let values) = self { values } else { nil } }

    public var record: [Field]? { if case .record(let fields) = self { fields } else { nil } }

    /// The first field of that name; nil if the value is not a record or has no such field.
    public subscript(name: String) -> Value? { record?[name] }
}

extension [Value.Field] {
    public subscript(name: String) -> Value? { first { $0.name.hasSameBytes(as: name) }?.value }
}
