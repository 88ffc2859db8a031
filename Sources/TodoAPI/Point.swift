/// A place in the log; exactly one of the two is set.
public struct Point: Message {
    /// A sequence.
    public var sequence: UInt64?
    /// A time in microseconds since 1970.
    public var time: Int64?

    /// Makes one.
    public init(sequence: UInt64? = nil, time: Int64? = nil) {
        self.sequence = sequence
        self.time = time
    }

    /// The fields in order.
    public static let fieldNames = ["sequence", "time"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        sequence = try fields.optionalInteger("sequence")
        time = try fields.optionalInteger("time")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("sequence", sequence)
        writer.field("time", time)
    }
}
