import Varlink

/// What the directory of a fork says of it: `todoctl` writes that file, and `todod` reads it.
extension ForkMessage {
    /// The name of the file, beside the log.
    public static let fileName = "fork.json"
    /// The largest such file, in bytes.
    public static let fileBytesMax = 65_536

    /// Reads what such a file holds; `nil`: it can't be read.
    ///
    /// - Throws: `invalidParameter` for everything else.
    public init(file bytes: [UInt8]?) throws(APIError) {
        guard let bytes, let members = (try? Value(parsing: bytes))?.record else { throw .invalidParameter(Self.fileName) }
        try self.init(output: members)
    }
}
