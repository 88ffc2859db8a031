/// Reads records, oldest first.
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

        /// Makes one.
        public init(from: Point? = nil, to: Point? = nil, limit: UInt64? = nil) {
            self.from = from
            self.to = to
            self.limit = limit
        }

        /// The fields in order.
        public static let fieldNames = ["from", "to", "limit"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            from = try fields.optionalMessage("from")
            to = try fields.optionalMessage("to")
            limit = try fields.optionalInteger("limit")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("from", from)
            writer.field("to", to)
            writer.field("limit", limit)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// At most 256 records or 256 KiB.
        public var records: [RecordMessage]

        /// Makes one.
        public init(records: [RecordMessage]) {
            self.records = records
        }

        /// The fields in order.
        public static let fieldNames = ["records"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            records = try fields.messages("records")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("records", records)
        }
    }
}
