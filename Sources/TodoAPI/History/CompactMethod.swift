/// Moves old records to an archive.
public enum CompactMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Compact"

    /// What is asked.
    public struct Input: Message {
        /// The moment up to which records go.
        public var before: Point
        /// Only to say what would go.
        public var dryRun: Bool?

        /// Makes one.
        public init(before: Point, dryRun: Bool? = nil) {
            self.before = before
            self.dryRun = dryRun
        }

        /// The fields in order.
        public static let fieldNames = ["before", "dryRun"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            before = try fields.message("before")
            dryRun = try fields.optionalFlag("dryRun")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("before", before)
            writer.field("dryRun", dryRun)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The last record that goes.
        public var base: UInt64
        /// How many go.
        public var records: UInt64
        /// The archive, a file in the directory of the log.
        public var archive: String

        /// Makes one.
        public init(base: UInt64, records: UInt64, archive: String) {
            self.base = base
            self.records = records
            self.archive = archive
        }

        /// The fields in order.
        public static let fieldNames = ["base", "records", "archive"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            base = try fields.integer("base")
            records = try fields.integer("records")
            archive = try fields.text("archive")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("base", base)
            writer.field("records", records)
            writer.field("archive", archive)
        }
    }
}
