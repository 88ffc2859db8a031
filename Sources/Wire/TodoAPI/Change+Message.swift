public import Reducing

extension Change: Message {
    /// The fields in order.
    public static let fieldNames = ["path", "kind", "id", "at", "from", "old", "new"]

    public init(_ fields: ObjectReader) throws(APIError) {
        guard let kind = Kind(rawValue: try fields.text("kind")) else { throw fields.invalid("kind") }
        self.init(
            path: try fields.text("path"), kind: kind, id: try fields.optionalInteger("id"), at: try fields.optionalInteger("at"),
            from: try fields.optionalInteger("from"), old: try fields.optionalRecord("old"), new: try fields.optionalRecord("new")
        )
    }

    /// As a parameter of an error.
    public var value: Value {
        var members = [Value.Field("path", .text(path)), .init("kind", .text(kind.rawValue))]
        if let id { members.append(.init("id", .int(id))) }
        if let at { members.append(.init("at", .int(Int64(at)))) }
        if let from { members.append(.init("from", .int(Int64(from)))) }
        if let old { members.append(.init("old", old)) }
        if let new { members.append(.init("new", new)) }
        return .record(members)
    }

    public func write(fields writer: inout ObjectWriter) {
        writer.field("path", path)
        writer.field("kind", kind.rawValue)
        writer.field("id", id)
        writer.field("at", at)
        writer.field("from", from)
        writer.field("old", old)
        writer.field("new", new)
    }
}
