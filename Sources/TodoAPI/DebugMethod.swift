import Reducing

/// Has the daemon tell of every action of a feature and of what it changed, or no longer.
public enum DebugMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Debug"

    /// What is asked.
    public struct Input: Message {
        /// The name of the feature.
        public var feature: String
        /// Whether it is told of.
        public var on: Bool

        /// Makes one.
        public init(feature: String, on: Bool) {
            self.feature = feature
            self.on = on
        }

        /// The fields in order.
        public static let fieldNames = ["feature", "on"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            feature = try fields.text("feature")
            on = try fields.flag("on")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("feature", feature)
            writer.field("on", on)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The features that are told of now, by name.
        public var features: [String]

        /// Makes one.
        public init(features: [String]) {
            self.features = features
        }

        /// The fields in order.
        public static let fieldNames = ["features"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            features = try fields.texts("features")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("features", features.map { .text($0) })
        }
    }
}
