/// Moments from one sequence through another.
public struct SpanMessage: Message {
    /// The first.
    public var from: UInt64
    /// The last.
    public var to: UInt64

    /// Makes one.
    public init(from: UInt64, to: UInt64) {
        self.from = from
        self.to = to
    }

    /// The fields in order.
    public static let fieldNames = ["from", "to"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        from = try fields.integer("from")
        to = try fields.integer("to")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("from", from)
        writer.field("to", to)
    }
}
