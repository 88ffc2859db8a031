public import Reducing

extension Todo: ValueConvertible {
    /// By name; an empty note, no tags, priority 0, no due, and what isn't handed out yet are left out.
    public var value: Value {
        var fields: [Value.Field] = []
        if id != 0 { fields.append(.init("id", .int(Int64(clamping: id)))) }
        fields.append(.init("title", .text(title)))
        if !note.utf8.isEmpty { fields.append(.init("note", .text(note))) }
        if !tags.isEmpty { fields.append(.init("tags", tags.value)) }
        if priority != .none { fields.append(.init("priority", priority.value)) }
        if let due { fields.append(.init("due", due.value)) }
        if created != 0 { fields.append(.init("created", .int(created))) }
        if let completed { fields.append(.init("completed", .int(completed))) }
        return .record(fields)
    }

    /// Reads a todo by name; only the title must be there.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(
            id: try record.optional("id", as: ElementID.self)?.number ?? 0,
            title: try record.required("title"),
            note: try record.optional("note") ?? "",
            tags: try record.optional("tags") ?? [],
            priority: try record.optional("priority") ?? .none,
            due: try record.optional("due"),
            created: try record.optional("created") ?? 0,
            completed: try record.optional("completed")
        )
        try record.end()
    }
}

extension PlacedTodo: ValueConvertible {
    /// `{todo, index}`.
    public var value: Value { ["todo": todo.value, "index": .int(Int64(index))] }

    /// Reads `{todo, index}`.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(try record.required("todo"), at: Int(try record.required("index", as: Int64.self)))
        try record.end()
    }
}

extension TodoChanges {
    /// The fields that are set; a due that is cleared is the empty text.
    var fields: [Value.Field] {
        var fields: [Value.Field] = []
        if let title { fields.append(.init("title", .text(title))) }
        if let note { fields.append(.init("note", .text(note))) }
        if let tags { fields.append(.init("tags", tags.value)) }
        if let priority { fields.append(.init("priority", priority.value)) }
        switch due {
        case .set(let due): fields.append(.init("due", due.value))
        case .clear: fields.append(.init("due", ""))
        case nil: break
        }
        return fields
    }

    init(from record: inout RecordReader) throws(ValueMismatch) {
        self.init(
            title: try record.optional("title"), note: try record.optional("note"), tags: try record.optional("tags"),
            priority: try record.optional("priority"), due: try record.optional("due"))
    }
}

extension TodoChanges.DueChange: ValueConvertible {
    /// The due, or the empty text to clear it.
    public var value: Value {
        switch self {
        case .set(let due): due.value
        case .clear: ""
        }
    }

    /// Reads a due, or the empty text.
    public init(_ value: Value) throws(ValueMismatch) {
        self = value == "" ? .clear : .set(try Due(value))
    }
}

extension Due: ValueConvertible {
    /// "2026-12-01" or "2026-12-01T14:30".
    public var value: Value { .text(text) }

    /// Reads "2026-12-01" or "2026-12-01T14:30".
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .text(let text) = value, let due = Due(text) else {
            throw ValueMismatch("", "a day like 2026-12-01, or a day and a minute like 2026-12-01T14:30, is expected")
        }
        self = due
    }
}

extension Priority: ValueConvertible {
    /// 0 to 3.
    public var value: Value { .int(Int64(rawValue)) }

    /// Reads 0 to 3.
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .int(let number) = value, let priority = UInt8(exactly: number).flatMap(Priority.init) else {
            throw ValueMismatch("", "a priority from 0 to 3 is expected")
        }
        self = priority
    }
}
