/// Does again what was taken back.
public enum RedoMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Redo"

    /// What is asked.
    public struct Input: Message {
        /// So many of the last steps that took something back.
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
            count: Int? = nil, any: Bool? = nil, force: Bool? = nil, dryRun: Bool? = nil, key: String? = nil
        ) {
            self.count = count
            self.any = any
            self.force = force
            self.dryRun = dryRun
            self.key = key
        }

        /// The fields in order.
        public static let fieldNames = ["count", "any", "force", "dryRun", "key"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            count = try fields.optionalInteger("count")
            any = try fields.optionalFlag("any")
            force = try fields.optionalFlag("force")
            dryRun = try fields.optionalFlag("dryRun")
            key = try fields.optionalText("key")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
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
