/// Copies the log as it is now.
public enum BackupMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Backup"

    /// What is asked.
    public struct Input: Message {
        /// Where to, an absolute path.
        public var directory: String

        /// Makes one.
        public init(directory: String) {
            self.directory = directory
        }

        /// The fields in order.
        public static let fieldNames = ["directory"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            directory = try fields.text("directory")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("directory", directory)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The epoch of the log.
        public var epoch: UInt64
        /// The last record of the copy.
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
