public import Reducing

/// A question that stands until somebody answers or cancels it, whoever that is and however often the daemon is restarted.
public struct Flow: Sendable {
    /// Its id, a small whole number from 1 that is never used again.
    public var id: UInt64
    /// What it is about: `language`.
    public var kind: String
    /// The id of the flow that waits for this one's result; 0 if none does.
    public var parent: UInt64
    /// The answers that there are to choose from; empty if it takes any text.
    public var options: [String]
    /// What the flow that started it has passed to it; empty if nothing.
    public var input: String

    /// Makes a flow.
    public init(id: UInt64, kind: String, parent: UInt64 = 0, options: [String] = [], input: String = "") {
        self.id = id
        self.kind = kind
        self.parent = parent
        self.options = options
        self.input = input
    }
}

extension Flow: Identifiable {}

extension Flow: Equatable {
    /// Compares everything, texts by their bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id && left.parent == right.parent && left.kind.hasSameBytes(as: right.kind)
            && left.options.hasSameBytes(as: right.options) && left.input.hasSameBytes(as: right.input)
    }
}

extension Flow: ValueConvertible {
    /// By name; no parent, no options and no input are left out.
    public var value: Value {
        var fields: [Value.Field] = [.init("id", .int(Int64(clamping: id))), .init("kind", .text(kind))]
        if parent != 0 { fields.append(.init("parent", .int(Int64(clamping: parent)))) }
        if !options.isEmpty { fields.append(.init("options", options.value)) }
        if !input.utf8.isEmpty { fields.append(.init("input", .text(input))) }
        return .record(fields)
    }

    /// Reads a flow by name; the id and the kind must be there.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(
            id: try record.required("id", as: ElementID.self).number, kind: try record.required("kind"),
            parent: try record.optional("parent", as: ElementID.self)?.number ?? 0, options: try record.optional("options") ?? [],
            input: try record.optional("input") ?? "")
        try record.end()
    }
}
