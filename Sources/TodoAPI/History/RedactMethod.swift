/// Takes the texts out of a record.
public enum RedactMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Redact"

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
        /// The epoch of the log.
        public var epoch: UInt64
        /// The record.
        public var sequence: UInt64

        /// Makes one.
        public init(epoch: UInt64, sequence: UInt64) {
            self.epoch = epoch
            self.sequence = sequence
        }

        /// The fields in order.
        public static let fieldNames = ["epoch", "sequence"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            epoch = try fields.integer("epoch")
            sequence = try fields.integer("sequence")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("epoch", epoch)
            writer.field("sequence", sequence)
        }
    }
}
