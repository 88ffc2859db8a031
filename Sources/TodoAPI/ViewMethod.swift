public import Reducing

/// Reads what a feature shows of its state.
public enum ViewMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Store.View"

    /// What is asked.
    public struct Input: Message {
        /// The name of the feature.
        public var feature: String
        /// The moment whose view is wanted; the newest, if left out.
        public var at: Point?

        /// Makes one.
        public init(feature: String, at: Point? = nil) {
            self.feature = feature
            self.at = at
        }

        /// The fields in order.
        public static let fieldNames = ["feature", "at"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            feature = try fields.text("feature")
            at = try fields.optionalMessage("at")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("feature", feature)
            writer.field("at", at)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The epoch of the sequence.
        public var epoch: UInt64
        /// What the view is the view at.
        public var sequence: UInt64
        /// A record.
        public var view: Value
        /// The time of that record, in microseconds since 1970; only of a moment that was asked for.
        public var time: Int64?
        /// How many records were folded to know it; only of a moment that was asked for.
        public var folded: UInt64?

        /// Makes one.
        public init(epoch: UInt64, sequence: UInt64, view: Value, time: Int64? = nil, folded: UInt64? = nil) {
            self.epoch = epoch
            self.sequence = sequence
            self.view = view
            self.time = time
            self.folded = folded
        }

        /// The fields in order.
        public static let fieldNames = ["epoch", "sequence", "view", "time", "folded"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            epoch = try fields.integer("epoch")
            sequence = try fields.integer("sequence")
            view = try fields.record("view")
            time = try fields.optionalInteger("time")
            folded = try fields.optionalInteger("folded")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("epoch", epoch)
            writer.field("sequence", sequence)
            writer.field("view", view)
            writer.field("time", time)
            writer.field("folded", folded)
        }
    }
}
