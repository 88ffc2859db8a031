/// A neutral tree of data: what features show of themselves, and what a message carries as JSON.
///
/// Texts and names are equal when their UTF-8 bytes are.
public enum Value: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits.
    case int(Int64)
    /// Any other number of a JSON text. No field of a state is one: what reads fields refuses it.
    case double(Double)
    case text(String)
    case list([Value])
    /// The fields in the order in which they were written.
    case record([Field])

    /// A named part of a record.
    public struct Field: Sendable, Equatable {
        /// Its name: of features in camelCase, on the wire any text.
        public var name: String
        public var value: Value

        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }

        /// Compares the names by their bytes.
        public static func == (left: Field, right: Field) -> Bool {
            left.name.hasSameBytes(as: right.name) && left.value == right.value
        }
    }

    /// Whether both are of the same case with the same value; texts by their bytes, numbers also in the way they are written.
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

    /// The text, nil of any other case.
    public var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The whole number, nil of any other case.
    public var int: Int64? { if case .int(let number) = self { number } else { nil } }

    /// The truth value, nil of any other case.
    public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// The number, whichever way it was written, nil of any other case.
    public var double: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// The elements of a list, nil of any other case.
    public var list: [Value]? { if case .list(let values) = self { values } else { nil } }

    /// The fields of a record, nil of any other case.
    public var record: [Field]? { if case .record(let fields) = self { fields } else { nil } }

    /// The field of that name, if this is a record that has it.
    public subscript(name: String) -> Value? { record?[name] }
}

extension [Value.Field] {
    /// The value of the first field of that name.
    public subscript(name: String) -> Value? { first { $0.name.hasSameBytes(as: name) }?.value }
}
