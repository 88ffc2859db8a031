public import Reducing

/// Which record gave a place its value.
public struct OriginMessage: Message {
    /// The record.
    public var sequence: UInt64
    /// The place.
    public var path: String
    /// What stood there before, in the field `value`.
    public var old: Value?
    /// What it put there, in the field `value`.
    public var new: Value?

    /// Makes one.
    public init(sequence: UInt64, path: String, old: Value? = nil, new: Value? = nil) {
        self.sequence = sequence
        self.path = path
        self.old = old
        self.new = new
    }

    /// The fields in order.
    public static let fieldNames = ["sequence", "path", "old", "new"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        sequence = try fields.integer("sequence")
        path = try fields.text("path")
        old = try fields.optionalRecord("old")
        new = try fields.optionalRecord("new")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("sequence", sequence)
        writer.field("path", path)
        writer.field("old", old)
        writer.field("new", new)
    }
}
