import Reducing

/// Says what importing a file would mean, and imports it.
public enum ImportMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Import"

    /// What is asked.
    public struct Input: Message {
        /// The file.
        public var upload: UInt64
        /// Only to say, and to write nothing.
        public var dryRun: Bool?
        /// Whether to write also what is risky.
        public var risky: Bool?

        /// Makes one.
        public init(upload: UInt64, dryRun: Bool? = nil, risky: Bool? = nil) {
            self.upload = upload
            self.dryRun = dryRun
            self.risky = risky
        }

        /// The fields in order.
        public static let fieldNames = ["upload", "dryRun", "risky"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            upload = try fields.integer("upload")
            dryRun = try fields.optionalFlag("dryRun")
            risky = try fields.optionalFlag("risky")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("upload", upload)
            writer.field("dryRun", dryRun)
            writer.field("risky", risky)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The record reached.
        public var sequence: UInt64
        /// The last record.
        public var last: UInt64
        /// In the last reply; fine, risky or impossible.
        public var verdict: String?
        /// Why, as sentences.
        public var reasons: [String]
        /// The first record that the log did not have.
        public var first: UInt64?
        /// How many commands are held now.
        public var held: UInt64?

        /// Makes one.
        public init(
            sequence: UInt64, last: UInt64, verdict: String? = nil, reasons: [String] = [], first: UInt64? = nil,
            held: UInt64? = nil
        ) {
            self.sequence = sequence
            self.last = last
            self.verdict = verdict
            self.reasons = reasons
            self.first = first
            self.held = held
        }

        /// The fields in order.
        public static let fieldNames = ["sequence", "last", "verdict", "reasons", "first", "held"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            sequence = try fields.integer("sequence")
            last = try fields.integer("last")
            verdict = try fields.optionalText("verdict")
            reasons = try fields.texts("reasons")
            first = try fields.optionalInteger("first")
            held = try fields.optionalInteger("held")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("sequence", sequence)
            writer.field("last", last)
            writer.field("verdict", verdict)
            writer.field("reasons", reasons.map { Value.text($0) })
            writer.field("first", first)
            writer.field("held", held)
        }
    }
}
