public import Reducing
public import Varlink

extension Conflict: Message {
    /// The fields in order.
    public static let fieldNames = ["path", "expected", "found"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        self.init(
            try fields.text("path"), expected: try fields.optionalRecord("expected"), found: try fields.optionalRecord("found"))
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("path", path)
        writer.field("expected", expected.map(Self.record))
        writer.field("found", found.map(Self.record))
    }

    /// The same as JSON.
    public var json: JSON {
        var members = [JSON.Member(name: "path", value: .string(path))]
        if let expected { members.append(.init(name: "expected", value: Self.record(expected).json)) }
        if let found { members.append(.init(name: "found", value: Self.record(found).json)) }
        return .object(members)
    }

    // The interface knows objects of any kind, but not values of any kind.
    private static func record(_ value: Value) -> Value { if case .record = value { value } else { ["value": value] } }
}
