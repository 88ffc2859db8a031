/// Reads the elements of one JSON list, one after the other, so that no more than one of them is in memory.
public struct JSONElementReader: Sendable {
    private enum Place {
        case start
        case element
        case end
    }

    private var reader: JSONReader
    private var place = Place.start

    /// A reader at the beginning of a text; each element may be as large as the limits say.
    public init(limits: JSONLimits = .default) { reader = JSONReader(limits: limits) }

    /// The next element and the byte that it begins at; `nil` when the text is over.
    ///
    /// - Parameter bytes: the whole text, the same in each call.
    /// - Throws: what is wrong and at which byte, also if the text is no list.
    public mutating func next(in bytes: [UInt8]) throws(JSONError) -> (value: Value, offset: Int)? {
        let bytes = bytes.span
        let isOver: Bool
        switch place {
        case .start: isOver = try !reader.opensList(bytes)
        case .element: isOver = try reader.endsList(bytes)
        case .end: return nil
        }
        guard isOver else {
            place = .element
            return try reader.element(bytes)
        }
        place = .end
        reader.skipSpace(bytes)
        guard reader.offset == bytes.count else { throw reader.failure(.trailingBytes) }
        return nil
    }
}
