/// A name of a moment.
public struct BookmarkMessage: Message {
    /// The name.
    public var name: String
    /// Where it stands.
    public var sequence: UInt64
    /// The record that put it there last.
    public var record: UInt64

    /// Makes one.
    public init(name: String, sequence: UInt64, record: UInt64) {
        self.name = name
        self.sequence = sequence
        self.record = record
    }

    /// The fields in order.
    public static let fieldNames = ["name", "sequence", "record"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        name = try fields.text("name")
        sequence = try fields.integer("sequence")
        record = try fields.integer("record")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("name", name)
        writer.field("sequence", sequence)
        writer.field("record", record)
    }
}
