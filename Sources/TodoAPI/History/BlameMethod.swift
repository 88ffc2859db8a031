/// Tells which record last gave a place its value.
public enum BlameMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Blame"

    /// What is asked.
    public struct Input: Message {
        /// The place.
        public var path: String
        /// The moment; now, if left out.
        public var at: Point?
        /// All records that gave it a value.
        public var history: Bool?
        /// The record of each single value at the place and below.
        public var all: Bool?

        /// Makes one.
        public init(path: String, at: Point? = nil, history: Bool? = nil, all: Bool? = nil) {
            self.path = path
            self.at = at
            self.history = history
            self.all = all
        }

        /// The fields in order.
        public static let fieldNames = ["path", "at", "history", "all"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            path = try fields.text("path")
            at = try fields.optionalMessage("at")
            history = try fields.optionalFlag("history")
            all = try fields.optionalFlag("all")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("path", path)
            writer.field("at", at)
            writer.field("history", history)
            writer.field("all", all)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// Back to which record was looked; only in replies before the first origin.
        public var reached: UInt64?
        /// With `more` at most 256 in each reply.
        public var origins: [OriginMessage]
        /// The records of these origins, each once.
        public var records: [RecordMessage]
        /// The record after which a compacted log begins, if what set the value may be before that.
        public var base: UInt64?
        /// The archive with the records before that.
        public var archive: String?
        /// Whether there are older ones.
        public var cut: Bool?

        /// Makes one.
        public init(
            reached: UInt64? = nil, origins: [OriginMessage], records: [RecordMessage], base: UInt64? = nil,
            archive: String? = nil, cut: Bool? = nil
        ) {
            self.reached = reached
            self.origins = origins
            self.records = records
            self.base = base
            self.archive = archive
            self.cut = cut
        }

        /// The fields in order.
        public static let fieldNames = ["reached", "origins", "records", "base", "archive", "cut"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            reached = try fields.optionalInteger("reached")
            origins = try fields.messages("origins")
            records = try fields.messages("records")
            base = try fields.optionalInteger("base")
            archive = try fields.optionalText("archive")
            cut = try fields.optionalFlag("cut")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("reached", reached)
            writer.field("origins", origins)
            writer.field("records", records)
            writer.field("base", base)
            writer.field("archive", archive)
            writer.field("cut", cut)
        }
    }
}
