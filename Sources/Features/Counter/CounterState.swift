public import ActionCoding
public import Reducing

extension Counter {
    /// Where the counter stands.
    public struct State: Sendable, Equatable {
        /// From -(2^53 - 1) to 2^53 - 1.
        public var count: Int64

        /// Makes a state; the counter begins at 0.
        public init(count: Int64 = 0) { self.count = count }
    }
}

extension Counter.State: ValueConvertible {
    /// `{count}`.
    public var value: Value { ["count": .int(count)] }

    /// Reads `{count}`; left out it is 0.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(count: try record.optional("count") ?? 0)
        try record.end()
    }
}

extension Counter.State: CanonicalCodable {
    /// Fields: 1 count (signed).
    public func encode(into writer: inout CanonicalWriter) { writer.field(1, count) }

    /// Reads what `encode` wrote; a count beyond the limits is an error.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) {
            guard number == 1 else { throw cursor.unknown() }
            count = try cursor.int(bytes)
        }
        guard count.magnitude <= Counter.countMax.magnitude else { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }
}
