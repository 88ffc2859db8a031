/// Reads the metrics.
public enum MetricsMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Metrics"

    /// Nothing is asked.
    public typealias Input = NoFields

    /// What is answered.
    public struct Output: Message {
        /// Prometheus text.
        public var text: String

        /// Makes one.
        public init(text: String) {
            self.text = text
        }

        /// The fields in order.
        public static let fieldNames = ["text"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            text = try fields.text("text")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("text", text)
        }
    }
}
