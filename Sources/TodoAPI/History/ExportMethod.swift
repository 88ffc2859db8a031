/// Writes records down as lines of JSON, for a file.
public enum ExportMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Export"

    /// What is asked.
    public struct Input: Message {
        /// The first record; the first there is, if left out.
        public var from: Point?
        /// The last record; the last there is, if left out.
        public var to: Point?

        /// Makes one.
        public init(from: Point? = nil, to: Point? = nil) {
            self.from = from
            self.to = to
        }

        /// The fields in order.
        public static let fieldNames = ["from", "to"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            from = try fields.optionalMessage("from")
            to = try fields.optionalMessage("to")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("from", from)
            writer.field("to", to)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The next piece of the file.
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
