public import Reducing

/// Follows what the features that are debugged do.
public enum DebugTailMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.DebugTail"

    /// Nothing is asked.
    public typealias Input = NoFields

    /// What is answered: one record.
    public struct Output: Message {
        /// Its position.
        public var sequence: UInt64
        /// Microseconds since 1970.
        public var time: Int64
        /// The feature whose action it holds.
        public var feature: String
        /// The action, a record with one field per level.
        public var action: Value
        /// What it changed in the state: a line beginning with `-` for what was, with `+` for what is.
        public var lines: [String]

        /// Makes one.
        public init(sequence: UInt64, time: Int64, feature: String, action: Value, lines: [String]) {
            self.sequence = sequence
            self.time = time
            self.feature = feature
            self.action = action
            self.lines = lines
        }

        /// The fields in order.
        public static let fieldNames = ["sequence", "time", "feature", "action", "lines"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            sequence = try fields.integer("sequence")
            time = try fields.integer("time")
            feature = try fields.text("feature")
            action = try fields.record("action")
            lines = try fields.texts("lines")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("sequence", sequence)
            writer.field("time", time)
            writer.field("feature", feature)
            writer.field("action", action)
            writer.field("lines", lines.map { .text($0) })
        }
    }
}
