public import ActionCoding
public import Reducing

extension Post: ValueConvertible {
    /// By name; an empty link or summary, an unknown time, and an id that isn't handed out yet are left out.
    public var value: Value {
        var fields: [Value.Field] = []
        if id != 0 { fields.append(.init("id", .int(Int64(clamping: id)))) }
        fields.append(.init("key", .text(key)))
        fields.append(.init("title", .text(title)))
        if !link.utf8.isEmpty { fields.append(.init("link", .text(link))) }
        if !summary.utf8.isEmpty { fields.append(.init("summary", .text(summary))) }
        if published != 0 { fields.append(.init("published", .int(published))) }
        return .record(fields)
    }

    /// Reads a post by name; only key and title must be there.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(
            id: try record.optional("id", as: ElementID.self)?.number ?? 0,
            key: try record.required("key"),
            title: try record.required("title"),
            link: try record.optional("link") ?? "",
            summary: try record.optional("summary") ?? "",
            published: try record.optional("published") ?? 0
        )
        try record.end()
    }
}

extension Post: CanonicalCodable {
    /// Fields: 1 id, 2 key, 3 title, 4 link, 5 summary, 6 published (signed).
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, id)
        writer.field(2, key)
        writer.field(3, title)
        writer.field(4, link)
        writer.field(5, summary)
        writer.field(6, published)
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(key: "", title: "")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: id = try cursor.id(bytes)
            case 2: key = try cursor.text(bytes)
            case 3: title = try cursor.text(bytes)
            case 4: link = try cursor.text(bytes)
            case 5: summary = try cursor.text(bytes)
            case 6: published = try cursor.int(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

extension CanonicalCursor {
    mutating func id(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 {
        let number = try uint(bytes)
        guard Posts.Limits.ids.contains(number) else { throw CanonicalError(.notCanonical, at: offset) }
        return number
    }
}
