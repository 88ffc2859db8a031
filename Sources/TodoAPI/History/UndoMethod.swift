/// Takes back steps: all of them or none.
public enum UndoMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Undo"

    /// What is asked.
    public struct Input: Message {
        /// These steps; the last ones, if left out.
        public var steps: [UInt64]?
        /// So many of the last ones.
        public var count: Int?
        /// Everybody's, not only those of the caller's uid.
        public var any: Bool?
        /// What has changed since is overwritten.
        public var force: Bool?
        /// Only say what would change.
        public var dryRun: Bool?
        /// Makes a repetition harmless; at most 64 bytes.
        public var key: String?

        /// Makes an input.
        public init(
            steps: [UInt64]? = nil, count: Int? = nil, any: Bool? = nil, force: Bool? = nil, dryRun: Bool? = nil,
            key: String? = nil
        ) {
            self.steps = steps
            self.count = count
            self.any = any
            self.force = force
            self.dryRun = dryRun
            self.key = key
        }

        /// The fields in order.
        public static let fieldNames = ["steps", "count", "any", "force", "dryRun", "key"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            steps = fields.value("steps") == nil ? nil : try fields.integers("steps")
            count = try fields.optionalInteger("count")
            any = try fields.optionalFlag("any")
            force = try fields.optionalFlag("force")
            dryRun = try fields.optionalFlag("dryRun")
            key = try fields.optionalText("key")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            if let steps { writer.field("steps", steps) }
            writer.field("count", count)
            writer.field("any", any)
            writer.field("force", force)
            writer.field("dryRun", dryRun)
            writer.field("key", key)
        }
    }

    /// What came of it.
    public typealias Output = UndoAnswer
}
