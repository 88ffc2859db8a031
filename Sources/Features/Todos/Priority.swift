public import Fields

/// How important a todo is; on the wire and in the log 0 to 3.
public enum Priority: UInt8, Sendable, CaseIterable, Comparable {
    /// Nobody said.
    case none = 0
    /// Some day.
    case low = 1
    /// Soon.
    case medium = 2
    /// First.
    case high = 3

    /// Less important.
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}

extension Priority: Field {
    /// A whole number.
    public static var shape: Shape { .int }
    /// Whether nobody said.
    public var isInitial: Bool { self == .none }
    /// 0 to 3.
    public var value: Value { .int(Int64(rawValue)) }

    /// Reads 0 to 3.
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .int(let number) = value, let priority = UInt8(exactly: number).flatMap(Priority.init(rawValue:)) else {
            throw ValueMismatch("", "a priority from 0 to 3 is expected")
        }
        self = priority
    }

    /// The number.
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, UInt64(rawValue)) }

    /// Reads a number.
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Priority {
        guard let priority = UInt8(exactly: try cursor.uintElement(bytes)).flatMap(Priority.init(rawValue:)) else {
            throw CanonicalError(.notCanonical, at: cursor.offset)
        }
        return priority
    }
}
