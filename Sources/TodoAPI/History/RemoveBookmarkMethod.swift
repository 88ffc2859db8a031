/// Takes a bookmark away.
public enum RemoveBookmarkMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.RemoveBookmark"

    /// What is asked.
    public struct Input: Message {
        /// The name.
        public var bookmark: String

        /// Makes one.
        public init(bookmark: String) {
            self.bookmark = bookmark
        }

        /// The fields in order.
        public static let fieldNames = ["bookmark"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            bookmark = try fields.text("bookmark")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("bookmark", bookmark)
        }
    }

    /// What is answered, once it is on disk: with the records that say so.
    public typealias Output = OrderAnswer
}
