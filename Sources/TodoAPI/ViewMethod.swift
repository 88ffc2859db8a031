public import Reducing

/// Reads what a feature shows of its state.
public enum ViewMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Store.View"

    /// What is asked.
    public struct Input: Message {
        /// The name of the feature.
        public var feature: String

        /// Makes one.
        public init(feature: String) {
            self.feature = feature
        }

        /// The fields in order.
        public static let fieldNames = ["feature"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            feature = try fields.text("feature")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("feature", feature)
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

        /// Makes one.
        public init(epoch: UInt64, sequence: UInt64, view: Value) {
            self.epoch = epoch
            self.sequence = sequence
            self.view = view
        }

        /// The fields in order.
        public static let fieldNames = ["epoch", "sequence", "view"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            epoch = try fields.integer("epoch")
            sequence = try fields.integer("sequence")
            view = try fields.record("view")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("epoch", epoch)
            writer.field("sequence", sequence)
            writer.field("view", view)
        }
    }
}
