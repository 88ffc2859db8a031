public import ActionCoding
public import Reducing

extension Alert: ValueConvertible {
    /// `{id, text}`.
    public var value: Value { ["id": .int(Int64(clamping: id)), "text": .text(text)] }

    /// Reads `{id, text}`.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(id: try record.required("id", as: ElementID.self).number, text: try record.required("text"))
        try record.end()
    }
}

extension Alert: CanonicalCodable {
    /// Fields: 1 id, 2 text.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, id)
        writer.field(2, text)
    }

    /// Reads what `encode` wrote; an id that is none is an error, no id isn't.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(id: 0, text: "")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: id = try cursor.id(bytes)
            case 2: text = try cursor.text(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

extension CanonicalCursor {
    mutating func id(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 {
        let number = try uint(bytes)
        guard Alerts.Limits.ids.contains(number) else { throw CanonicalError(.notCanonical, at: offset) }
        return number
    }
}
