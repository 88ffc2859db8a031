import ActionCoding
import Reducing

/// A row for these tests.
struct Line: Identifiable, Equatable, CanonicalCodable, ValueConvertible {
    var id: UInt64
    var text: String

    init(id: UInt64, text: String) {
        self.id = id
        self.text = text
    }

    func encode(into writer: inout CanonicalWriter) {
        writer.field(1, id)
        writer.field(2, text)
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(id: 0, text: "")
        while let number = try cursor.nextField(in: bytes) {
            if number == 1 { id = try cursor.uint(bytes) } else { text = try cursor.text(bytes) }
        }
    }

    var value: Value { ["id": .int(Int64(id)), "text": .text(text)] }

    init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(id: try record.required("id", as: ElementID.self).number, text: try record.required("text"))
        try record.end()
    }
}
