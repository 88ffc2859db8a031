/// The newest snapshot of the state.
public struct SnapshotMessage: Message {
    /// What it is the state at.
    public var sequence: UInt64
    /// When it was taken, in microseconds since 1970.
    public var time: Int64
    /// Its size.
    public var bytes: UInt64

    /// Makes one.
    public init(sequence: UInt64, time: Int64, bytes: UInt64) {
        self.sequence = sequence
        self.time = time
        self.bytes = bytes
    }

    /// The fields in order.
    public static let fieldNames = ["sequence", "time", "bytes"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        sequence = try fields.integer("sequence")
        time = try fields.integer("time")
        bytes = try fields.integer("bytes")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("sequence", sequence)
        writer.field("time", time)
        writer.field("bytes", bytes)
    }
}
