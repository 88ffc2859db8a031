/// Opens a link into the app: dispatches what it stands for.
public enum OpenMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Store.Open"

    /// What is asked.
    public struct Input: Message {
        /// The link: `todod:/repos/Swift`.
        public var link: String
        /// Makes a repetition harmless; at most 64 bytes.
        public var key: String?

        /// Makes one.
        public init(link: String, key: String? = nil) {
            self.link = link
            self.key = key
        }

        /// The fields in order.
        public static let fieldNames = ["link", "key"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            link = try fields.text("link")
            key = try fields.optionalText("key")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("link", link)
            writer.field("key", key)
        }
    }

    /// What a dispatch is answered with.
    public typealias Output = DispatchMethod.Output
}
