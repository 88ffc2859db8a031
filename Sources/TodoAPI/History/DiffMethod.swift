public import Reducing

/// Compares the states at two moments.
public enum DiffMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Diff"

    /// What is asked.
    public struct Input: Message {
        /// The moment compared with.
        public var from: Point
        /// The other moment; it may be the earlier one.
        public var to: Point
        /// What is looked at; everything, if left out.
        public var path: String?
        /// Answer the operations of a JSON patch (RFC 6902).
        public var patch: Bool?

        /// Makes one.
        public init(from: Point, to: Point, path: String? = nil, patch: Bool? = nil) {
            self.from = from
            self.to = to
            self.path = path
            self.patch = patch
        }

        /// The fields in order.
        public static let fieldNames = ["from", "to", "path", "patch"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            from = try fields.message("from")
            to = try fields.message("to")
            path = try fields.optionalText("path")
            patch = try fields.optionalFlag("patch")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("from", from)
            writer.field("to", to)
            writer.field("path", path)
            writer.field("patch", patch)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The moment compared with.
        public var from: UInt64
        /// The other moment.
        public var to: UInt64
        /// With `more` at most 256 in each reply.
        public var changes: [Change]?
        /// The same as operations of a JSON patch, if that was asked for.
        public var patch: [Value]?

        /// Makes one.
        public init(from: UInt64, to: UInt64, changes: [Change]? = nil, patch: [Value]? = nil) {
            self.from = from
            self.to = to
            self.changes = changes
            self.patch = patch
        }

        /// The fields in order.
        public static let fieldNames = ["from", "to", "changes", "patch"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            from = try fields.integer("from")
            to = try fields.integer("to")
            changes = try fields.optionalMessages("changes")
            patch = try fields.optionalRecords("patch")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("from", from)
            writer.field("to", to)
            writer.field("changes", changes)
            writer.field("patch", patch)
        }
    }
}
