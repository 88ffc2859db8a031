extension Value {
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
    /// - Throws: what is wrong and at which byte of its UTF-8.
    public init(parsing text: String, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// Writes the value as JSON text, without white space.
    ///
    /// A number that JSON can't hold (not a number, infinity) is written as `null`.
    public func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): JSON.write(flag, into: &bytes)
        case .int(let number): JSON.write(number, into: &bytes)
        case .double(let number): JSON.write(number, into: &bytes)
        case .text(let text): JSON.write(text, into: &bytes)
        case .list(let values):
            bytes.append(Ascii.openBracket)
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(Ascii.comma) }
                value.write(into: &bytes)
            }
            bytes.append(Ascii.closeBracket)
        case .record(let fields): JSON.write(fields, into: &bytes)
        }
    }

    /// The value as JSON text, without white space.
    public var jsonBytes: [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return bytes
    }
}

extension Value: CustomStringConvertible {
    /// The value as JSON text, without white space.
    public var description: String { String(decoding: jsonBytes, as: UTF8.self) }
}
