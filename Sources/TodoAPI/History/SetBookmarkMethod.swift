/// Gives a moment a name, or a name to another moment.
public enum SetBookmarkMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.SetBookmark"

    /// What is asked.
    public struct Input: Message {
        /// The name: a letter, then letters, digits, `-`, `_` and `.`; at most 64 bytes.
        public var bookmark: String
        /// The moment; now, if left out.
        public var at: Point?

        /// Makes one.
        public init(bookmark: String, at: Point? = nil) {
            self.bookmark = bookmark
            self.at = at
        }

        /// The fields in order.
        public static let fieldNames = ["bookmark", "at"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            bookmark = try fields.text("bookmark")
            at = try fields.optionalMessage("at")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("bookmark", bookmark)
            writer.field("at", at)
        }
    }

    /// What is answered, once it is on disk.
    public struct Output: Message {
        /// The epoch of the sequences.
        public var epoch: UInt64
        /// Where the bookmark stands.
        public var sequence: UInt64
        /// The records that say so.
        public var sequences: [UInt64]

        /// Makes one.
        public init(epoch: UInt64, sequence: UInt64, sequences: [UInt64]) {
            self.epoch = epoch
            self.sequence = sequence
            self.sequences = sequences
        }

        /// The fields in order.
        public static let fieldNames = ["epoch", "sequence", "sequences"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            epoch = try fields.integer("epoch")
            sequence = try fields.integer("sequence")
            sequences = try fields.integers("sequences")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("epoch", epoch)
            writer.field("sequence", sequence)
            writer.field("sequences", sequences)
        }
    }
}
