public import Reducing

extension TablePatch.Placed: ValueConvertible where Element: ValueConvertible {
    /// `{item, index}`.
    public var value: Value { ["item": element.value, "index": .int(Int64(index))] }

    /// Reads `{item, index}`.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(try record.required("item"), at: Int(try record.required("index", as: Int64.self)))
        try record.end()
    }
}

extension TablePatch: ValueConvertible where Element: ValueConvertible {
    /// `{removed, placed}`, each left out when empty.
    public var value: Value {
        var fields: [Value.Field] = []
        if !removed.isEmpty { fields.append(.init("removed", .list(removed.map { .int(Int64(clamping: $0)) }))) }
        if !placed.isEmpty { fields.append(.init("placed", placed.value)) }
        return .record(fields)
    }

    /// Reads `{removed, placed}`.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(
            removed: try record.optional("removed", as: [ElementID].self)?.map(\.number) ?? [],
            placed: try record.optional("placed") ?? [])
        try record.end()
    }
}
