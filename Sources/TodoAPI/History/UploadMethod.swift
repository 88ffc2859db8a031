/// Hands over a file to be imported, piece by piece.
public enum UploadMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Upload"

    /// What is asked.
    public struct Input: Message {
        /// Which one goes on; a new one, if left out.
        public var upload: UInt64?
        /// The next piece, or nothing.
        public var text: String?
        /// The next piece of a file that is no text, in Base64, or nothing.
        public var base64: String?

        /// Makes one.
        public init(upload: UInt64? = nil, text: String? = nil, base64: String? = nil) {
            self.upload = upload
            self.text = text
            self.base64 = base64
        }

        /// The fields in order.
        public static let fieldNames = ["upload", "text", "base64"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            upload = try fields.optionalInteger("upload")
            text = try fields.optionalText("text")
            base64 = try fields.optionalText("base64")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("upload", upload)
            writer.field("text", text)
            writer.field("base64", base64)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// Names the file.
        public var upload: UInt64
        /// What it holds so far.
        public var bytes: UInt64

        /// Makes one.
        public init(upload: UInt64, bytes: UInt64) {
            self.upload = upload
            self.bytes = bytes
        }

        /// The fields in order.
        public static let fieldNames = ["upload", "bytes"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            upload = try fields.integer("upload")
            bytes = try fields.integer("bytes")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("upload", upload)
            writer.field("bytes", bytes)
        }
    }
}
