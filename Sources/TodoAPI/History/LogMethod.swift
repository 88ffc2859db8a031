/// Reads records, filtered and in either order.
public enum LogMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Log"

    /// What is asked.
    public struct Input: Message {
        /// The first, inclusive; the first there is, if left out.
        public var from: Point?
        /// The last, inclusive; the last there is, if left out.
        public var to: Point?
        /// No more than so many.
        public var limit: UInt64?
        /// Only actions of this feature.
        public var feature: String?
        /// Only actions of this name, with or without their feature.
        public var action: String?
        /// Only records that this uid asked for.
        public var origin: UInt32?
        /// Only actions with this text in one of their texts.
        public var search: String?
        /// Newest first.
        public var reverse: Bool?
        /// Tell what each record changed.
        public var changes: Bool?
        /// Typing that follows itself is one record.
        public var runs: Bool?

        /// Makes one.
        public init(
            from: Point? = nil, to: Point? = nil, limit: UInt64? = nil, feature: String? = nil, action: String? = nil,
            origin: UInt32? = nil, search: String? = nil, reverse: Bool? = nil, changes: Bool? = nil, runs: Bool? = nil
        ) {
            self.from = from
            self.to = to
            self.limit = limit
            self.feature = feature
            self.action = action
            self.origin = origin
            self.search = search
            self.reverse = reverse
            self.changes = changes
            self.runs = runs
        }

        /// The fields in order.
        public static let fieldNames = [
            "from", "to", "limit", "feature", "action", "origin", "search", "reverse", "changes", "runs",
        ]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            from = try fields.optionalMessage("from")
            to = try fields.optionalMessage("to")
            limit = try fields.optionalInteger("limit")
            feature = try fields.optionalText("feature")
            action = try fields.optionalText("action")
            origin = try fields.optionalInteger("origin")
            search = try fields.optionalText("search")
            reverse = try fields.optionalFlag("reverse")
            changes = try fields.optionalFlag("changes")
            runs = try fields.optionalFlag("runs")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("from", from)
            writer.field("to", to)
            writer.field("limit", limit)
            writer.field("feature", feature)
            writer.field("action", action)
            writer.field("origin", origin)
            writer.field("search", search)
            writer.field("reverse", reverse)
            writer.field("changes", changes)
            writer.field("runs", runs)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// At most 256 records or 256 KiB.
        public var records: [RecordMessage]
        /// One for each record, if runs or changes were asked for.
        public var details: [LogDetailMessage]?
        /// In a reply without records before the last: up to which record nothing more was found.
        public var reached: UInt64?

        /// Makes one.
        public init(records: [RecordMessage], details: [LogDetailMessage]? = nil, reached: UInt64? = nil) {
            self.records = records
            self.details = details
            self.reached = reached
        }

        /// The fields in order.
        public static let fieldNames = ["records", "details", "reached"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            records = try fields.messages("records")
            details = try fields.optionalMessages("details")
            reached = try fields.optionalInteger("reached")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("records", records)
            writer.field("details", details)
            writer.field("reached", reached)
        }
    }
}
