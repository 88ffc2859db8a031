public import ActionCoding

extension TablePatch.Placed: CanonicalCodable where Element: CanonicalCodable {
    /// Fields: 1 the row, 2 index.
    public func encode(into writer: inout CanonicalWriter) {
        writer.message(1, element)
        writer.field(2, UInt64(clamping: index))
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        var element: Element?
        var index = 0
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: element = try cursor.singleMessage(bytes)
            case 2:
                guard let place = Int(exactly: try cursor.uint(bytes)) else {
                    throw CanonicalError(.notCanonical, at: cursor.offset)
                }
                index = place
            default: throw cursor.unknown()
            }
        }
        guard let element else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        self.init(element, at: index)
    }
}

extension TablePatch: CanonicalCodable where Element: CanonicalCodable {
    /// Fields: 1 the ids that leave (a list), 2 the placed rows (a list).
    public func encode(into writer: inout CanonicalWriter) {
        for id in removed { writer.element(1, id) }
        for place in placed { writer.message(2, place) }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: removed.append(try cursor.uintElement(bytes))
            case 2: placed.append(try cursor.message(bytes))
            default: throw cursor.unknown()
            }
        }
    }
}
