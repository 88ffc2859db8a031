public import ActionCoding

extension Flow: CanonicalCodable {
    /// Fields: 1 id, 2 kind, 3 parent, 4 options (a list), 5 input.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, id)
        writer.field(2, kind)
        writer.field(3, parent)
        for option in options { writer.element(4, option) }
        writer.field(5, input)
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(id: 0, kind: "")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: id = try cursor.flowID(bytes)
            case 2: kind = try cursor.text(bytes)
            case 3: parent = try cursor.flowID(bytes)
            case 4: options.append(try cursor.textElement(bytes))
            case 5: input = try cursor.text(bytes)
            default: throw cursor.unknown()
            }
        }
        guard id > 0 else { throw CanonicalError(.missingField(1), at: cursor.offset) }
    }
}

extension CanonicalCursor {
    mutating func flowID(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 {
        let number = try uint(bytes)
        guard Flows.Limits.ids.contains(number) else { throw CanonicalError(.notCanonical, at: offset) }
        return number
    }
}
