/// A JSON-like tree that represents feature states and message parameters; texts and names are compared by their UTF-8 bytes.
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

// There is no `nil` literal, because for an optional value `nil` must mean absence.

extension Value: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Value)...) { self = .record(elements.map { Field($0.0, $0.1) }) }
}

extension Value: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Value...) { self = .list(elements) }
}

extension Value: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .text(value) }
}

extension Value: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension Value: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Value: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension String {
    /// Whether both have the same UTF-8 bytes; composed and decomposed "é" differ.
    ///
    /// The fold must compare texts only in this way, because Unicode equivalence changes with the Unicode tables.
    public func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let left = utf8Span.span
        let right = other.utf8Span.span
        // States share strings, so comparing the storage first avoids most byte comparisons.
        if left.isIdentical(to: right) { return true }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}

extension [String] {
    public func hasSameBytes(as other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.hasSameBytes(as: $1) }
    }
}

extension Int64 {
    /// The largest integer that JSON clients with doubles represent exactly: 2^53 - 1.
    public static let exactMax: Int64 = 1 << 53 - 1

    /// Returns the sum; nil if its magnitude exceeds ``exactMax``.
    public func addingExactly(_ other: Int64) -> Int64? {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow || sum.magnitude > Self.exactMax.magnitude ? nil : sum
    }

    /// Splits the difference to another number into increments within ±``exactMax``.
    public func exactSteps(to other: Int64) -> [Int64] {
        if self == other { return [] }
        return other.addingExactly(0 &- self).map { [$0] } ?? [0 &- self, other]
    }
}
