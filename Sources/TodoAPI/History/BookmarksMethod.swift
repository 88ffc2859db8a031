/// Lists the bookmarks.
public enum BookmarksMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Bookmarks"

    /// Nothing is asked.
    public typealias Input = NoFields

    /// What is answered.
    public struct Output: Message {
        /// By name; with `more` at most 256 in each reply.
        public var bookmarks: [BookmarkMessage]

        /// Makes one.
        public init(bookmarks: [BookmarkMessage]) {
            self.bookmarks = bookmarks
        }

        /// The fields in order.
        public static let fieldNames = ["bookmarks"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            bookmarks = try fields.messages("bookmarks")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("bookmarks", bookmarks)
        }
    }
}
