import Chronicle

struct Line: TableRow {
    var id: UInt64
    @ByteEqual var text: String

    init(id: UInt64, text: String) {
        self.id = id
        self.text = text
    }

    init() { self.init(id: 0, text: "") }

    mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "id", &id, .needed)
        try visitor.field(2, "text", &text, .required)
    }
}
