/// Reads a JSON array element by element, so that only one element is in memory.
public struct JSONElementReader: Sendable {
    private var reader: JSONReader

    /// - Parameter limits: apply to each element.
    public init(limits: JSONLimits = JSONLimits()) { reader = JSONReader(limits: limits) }

    /// Returns the next element and its byte offset; nil at the end of the array.
    ///
    /// - Parameter bytes: the whole text, the same in each call.
    /// - Throws: the mistake and its byte offset, also if the text is not an array.
    public mutating func next(in bytes: [UInt8]) throws(JSONError) -> (value: Value, offset: Int)? {
        let bytes = bytes.span
        let hasBegun = reader.offset > 0
        if hasBegun, reader.depth == 0 { return nil }
        guard hasBegun ? try reader.endsList(bytes) : try !reader.opensList(bytes) else { return try reader.element(bytes) }
        reader.skipSpace(bytes)
        guard reader.offset == bytes.count else { throw reader.failure(.trailingBytes) }
        return nil
    }
}
