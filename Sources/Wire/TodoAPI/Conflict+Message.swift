public import Reducing
import Varlink

extension Conflict: Message {
    /// The fields in order.
    public static let fieldNames = ["path", "expected", "found"]

    public init(_ fields: ObjectReader) throws(APIError) {
        self.init(
            try fields.text("path"), expected: try fields.optionalRecord("expected"), found: try fields.optionalRecord("found"))
    }

    public func write(fields writer: inout ObjectWriter) {
        writer.field("path", path)
        writer.field("expected", expected.map(Self.record))
        writer.field("found", found.map(Self.record))
    }

    /// As a parameter of an error.
    public var value: Value {
        var members = [Value.Field("path", .text(path))]
        if let expected { members.append(.init("expected", Self.record(expected))) }
        if let found { members.append(.init("found", Self.record(found))) }
        return .record(members)
    }

    // The interface knows objects of any kind, but not values of any kind.
    private static func record(_ value: Value) -> Value { if case .record = value { value } else { ["value": value] } }
}
