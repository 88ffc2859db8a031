public import Reducing

extension Todos.Action: ValueConvertible {
    /// One field, the case: `{"add": {"items": [...]}}`.
    public var value: Value {
        switch self {
        case .add(let todos): ["add": ["items": todos.value]]
        case .edit(let id, let changes): ["edit": .record([Self.id(id)] + changes.fields)]
        case .complete(let id, let time):
            ["complete": .record([Self.id(id)] + (time.map { [.init("completed", .int($0))] } ?? []))]
        case .reopen(let id): ["reopen": .record([Self.id(id)])]
        case .remove(let id): ["remove": .record([Self.id(id)])]
        case .removeAt(let index): ["remove": ["index": .int(Int64(index))]]
        case .putBack(let placed): ["putBack": ["items": placed.value]]
        case .move(let id, let index): ["move": .record([Self.id(id), .init("index", .int(Int64(index)))])]
        case .clearCompleted(let ids):
            ["clearCompleted": ids.isEmpty ? [:] : ["ids": .list(ids.map { .int(Int64(clamping: $0)) })]]
        case .updateText(let text): ["updateText": ["text": .text(text)]]
        case .submit: ["submit": [:]]
        case .load: ["load": [:]]
        case .loaded(let todos): ["loaded": ["items": todos.value]]
        case .loadFailed(let reason): ["loadFailed": ["reason": .text(reason)]]
        }
    }

    /// Reads one field, the case.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            var record = try RecordReader(choice.value)
            self = try Self.read(choice.name, &record)
            try record.end()
        } catch { throw error.under(choice.name) }
    }

    private static func read(_ name: String, _ record: inout RecordReader) throws(ValueMismatch) -> Self {
        switch name {
        case "add": return .add(try record.required("items"))
        case "edit": return .edit(try id(&record), try TodoChanges(from: &record))
        case "complete": return .complete(try id(&record), at: try record.optional("completed"))
        case "reopen": return .reopen(try id(&record))
        case "remove":
            guard let index = try record.optional("index", as: Int64.self) else { return .remove(try id(&record)) }
            return .removeAt(index: Int(index))
        case "putBack": return .putBack(try record.required("items"))
        case "move": return .move(try id(&record), to: Int(try record.required("index", as: Int64.self)))
        case "clearCompleted": return .clearCompleted(try record.optional("ids", as: [ElementID].self)?.map(\.number) ?? [])
        case "updateText": return .updateText(try record.required("text"))
        case "submit": return .submit
        case "load": return .load
        case "loaded": return .loaded(try record.required("items"))
        case "loadFailed": return .loadFailed(try record.required("reason"))
        default: throw ValueMismatch("", "there is no such action")
        }
    }

    private static func id(_ id: UInt64) -> Value.Field { .init("id", .int(Int64(clamping: id))) }

    private static func id(_ record: inout RecordReader) throws(ValueMismatch) -> UInt64 {
        try record.required("id", as: ElementID.self).number
    }
}
