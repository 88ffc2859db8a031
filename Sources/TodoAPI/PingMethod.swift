/// Answers at once.
public enum PingMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Ping"

    /// Nothing is asked.
    public typealias Input = NoFields

    /// What is answered.
    public struct Output: Message {
        /// The version of the daemon.
        public var version: String
        /// The epoch of the sequence.
        public var epoch: UInt64
        /// The last durable record.
        public var sequence: UInt64

        /// Makes one.
        public init(version: String, epoch: UInt64, sequence: UInt64) {
            self.version = version
            self.epoch = epoch
            self.sequence = sequence
        }

        /// The fields in order.
        public static let fieldNames = ["version", "epoch", "sequence"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            version = try fields.text("version")
            epoch = try fields.integer("epoch")
            sequence = try fields.integer("sequence")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("version", version)
            writer.field("epoch", epoch)
            writer.field("sequence", sequence)
        }
    }
}
