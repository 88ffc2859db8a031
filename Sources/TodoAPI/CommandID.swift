/// Names a command for ever.
public struct CommandID: Message {
    /// The record that asked for it.
    public var sequence: UInt64
    /// Its index among the commands of that record.
    public var index: Int

    /// Makes one.
    public init(sequence: UInt64, index: Int) {
        self.sequence = sequence
        self.index = index
    }

    /// The fields in order.
    public static let fieldNames = ["sequence", "index"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        sequence = try fields.integer("sequence")
        index = try fields.integer("index")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("sequence", sequence)
        writer.field("index", index)
    }
}
