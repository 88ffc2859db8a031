/// One damage.
public struct DamageMessage: Message {
    /// Of what kind; may grow.
    public var kind: String
    /// The record; 0 where it is none.
    public var sequence: UInt64
    /// What is wrong.
    public var what: String

    /// Makes one.
    public init(kind: String, sequence: UInt64, what: String) {
        self.kind = kind
        self.sequence = sequence
        self.what = what
    }

    /// The fields in order.
    public static let fieldNames = ["kind", "sequence", "what"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        kind = try fields.text("kind")
        sequence = try fields.integer("sequence")
        what = try fields.text("what")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("kind", kind)
        writer.field("sequence", sequence)
        writer.field("what", what)
    }
}
