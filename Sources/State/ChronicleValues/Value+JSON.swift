extension Value {
    /// Parses a JSON text.
    ///
    /// - Throws: the mistake and its byte offset.
    public init(parsing bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        var reader = JSONReader(limits: limits)
        self = try reader.text(bytes)
    }

    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(parsing: bytes.span, limits: limits)
    }

    public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// Writes the value as JSON without white space; a number that is not finite becomes `null`.
    public func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): JSON.write(flag, into: &bytes)
        case .int(let number): JSON.write(number, into: &bytes)
        case .double(let number): JSON.write(number, into: &bytes)
        case .text(let text): JSON.write(text, into: &bytes)
        case .list(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .record(let fields): JSON.write(fields, into: &bytes)
        }
    }

    /// The value as JSON without white space.
    public var jsonBytes: [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return bytes
    }
}

extension Value: CustomStringConvertible {
    /// The value as JSON without white space.
    public var description: String { String(decoding: jsonBytes, as: UTF8.self) }
}
