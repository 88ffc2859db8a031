/// Tells why a record is there.
public enum WhyMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Why"

    /// What is asked.
    public struct Input: Message {
        /// The record.
        public var sequence: UInt64

        /// Makes one.
        public init(sequence: UInt64) {
            self.sequence = sequence
        }

        /// The fields in order.
        public static let fieldNames = ["sequence"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            sequence = try fields.integer("sequence")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("sequence", sequence)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The record.
        public var sequence: UInt64
        /// The records of the dispatch with which it began.
        public var roots: [UInt64]
        /// Those and all that came of them, by sequence.
        public var records: [RecordMessage]
        /// How their commands stand.
        public var fates: [CommandFateMessage]
        /// Whether there is more.
        public var cut: Bool
        /// The archive with what it came of, or one after that, if this log begins later.
        public var archive: String?

        /// Makes one.
        public init(
            sequence: UInt64, roots: [UInt64], records: [RecordMessage], fates: [CommandFateMessage], cut: Bool,
            archive: String? = nil
        ) {
            self.sequence = sequence
            self.roots = roots
            self.records = records
            self.fates = fates
            self.cut = cut
            self.archive = archive
        }

        /// The fields in order.
        public static let fieldNames = ["sequence", "roots", "records", "fates", "cut", "archive"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            sequence = try fields.integer("sequence")
            roots = try fields.integers("roots")
            records = try fields.messages("records")
            fates = try fields.messages("fates")
            cut = try fields.flag("cut")
            archive = try fields.optionalText("archive")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("sequence", sequence)
            writer.field("roots", roots)
            writer.field("records", records)
            writer.field("fates", fates)
            writer.field("cut", cut)
            writer.field("archive", archive)
        }
    }
}
