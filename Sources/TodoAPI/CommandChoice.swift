/// Which command an order is about.
public struct CommandChoice: Message {
    /// Its name for ever.
    public var id: CommandID

    /// Makes one.
    public init(id: CommandID) {
        self.id = id
    }

    /// The fields in order.
    public static let fieldNames = ["id"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        id = try fields.message("id")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("id", id)
    }
}
