/// A moment that was looked at.
public struct LookMessage: Message {
    /// The moment.
    public var sequence: UInt64
    /// Whether the expression held there.
    public var holds: Bool

    /// Makes one.
    public init(sequence: UInt64, holds: Bool) {
        self.sequence = sequence
        self.holds = holds
    }

    /// The fields in order.
    public static let fieldNames = ["sequence", "holds"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        sequence = try fields.integer("sequence")
        holds = try fields.flag("holds")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("sequence", sequence)
        writer.field("holds", holds)
    }
}
