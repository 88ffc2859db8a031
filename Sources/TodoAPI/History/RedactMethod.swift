public import Reducing

/// Takes the texts out of a record.
public enum RedactMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Redact"

    /// What is asked.
    public struct Input: Message {
        /// The record.
        public var sequence: UInt64
        /// Only to say what would be taken out.
        public var dryRun: Bool?

        /// Makes one.
        public init(sequence: UInt64, dryRun: Bool? = nil) {
            self.sequence = sequence
            self.dryRun = dryRun
        }

        /// The fields in order.
        public static let fieldNames = ["sequence", "dryRun"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            sequence = try fields.integer("sequence")
            dryRun = try fields.optionalFlag("dryRun")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("sequence", sequence)
            writer.field("dryRun", dryRun)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The epoch of the log.
        public var epoch: UInt64
        /// The record.
        public var sequence: UInt64
        /// Other records that hold one of its texts, at most 1,000.
        public var copies: [UInt64]
        /// The archive of a compacted log, where nothing was looked for.
        public var archive: String?
        /// What the record holds from now on, or would.
        public var action: Value?

        /// Makes one.
        public init(epoch: UInt64, sequence: UInt64, copies: [UInt64] = [], archive: String? = nil, action: Value? = nil) {
            self.epoch = epoch
            self.sequence = sequence
            self.copies = copies
            self.archive = archive
            self.action = action
        }

        /// The fields in order.
        public static let fieldNames = ["epoch", "sequence", "copies", "archive", "action"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            epoch = try fields.integer("epoch")
            sequence = try fields.integer("sequence")
            copies = try fields.integers("copies")
            archive = try fields.optionalText("archive")
            action = try fields.optionalRecord("action")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("epoch", epoch)
            writer.field("sequence", sequence)
            writer.field("copies", copies)
            writer.field("archive", archive)
            writer.field("action", action)
        }
    }
}
