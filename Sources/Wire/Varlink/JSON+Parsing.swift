extension JSON {
    /// Reads one JSON text.
    ///
    /// - Throws: what is wrong and at which byte.
    public init(parsing bytes: Span<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
        var reader = JSONReader(limits: limits)
        self = try reader.text(bytes)
    }

    /// Reads one JSON text.
    ///
    /// - Throws: what is wrong and at which byte.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: bytes.span, limits: limits)
    }

    /// Reads one JSON text.
    ///
    /// - Throws: what is wrong and at which byte.
    public init(parsing bytes: RawSpan, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: Span<UInt8>(_bytes: bytes), limits: limits)
    }

    /// Reads one JSON text.
    ///
    /// - Throws: what is wrong and at which byte of its UTF-8.
    public init(parsing text: String, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}
