public import Reducing

/// What one record of an answer stands for, and what it changed.
public struct LogDetailMessage: Message {
    /// The first sequence of the run that the record stands for.
    public var first: UInt64
    /// What all of it changed, if that was asked for; left out when it is too much.
    public var changes: [Change]?
    /// Whether it is typing, which more of it may join; only where runs were asked for.
    public var typing: Bool?

    /// Makes one.
    public init(first: UInt64, changes: [Change]? = nil, typing: Bool? = nil) {
        self.first = first
        self.changes = changes
        self.typing = typing
    }

    /// The fields in order.
    public static let fieldNames = ["first", "changes", "typing"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        first = try fields.integer("first")
        changes = try fields.optionalMessages("changes")
        typing = try fields.optionalFlag("typing")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("first", first)
        writer.field("changes", changes)
        writer.field("typing", typing)
    }
}
