import PersistentCollections
public import Reducing

extension Todos.State: ValueConvertible {
    /// `{items, draft, loading, nextID}`.
    public var value: Value {
        [
            "items": items.elements.value, "draft": .text(draft), "loading": .bool(loading),
            "nextID": .int(Int64(clamping: nextID)),
        ]
    }

    /// Reads `{items, draft, loading, nextID}`; what is left out has its initial value, and `nextID` that above all ids.
    public init(_ value: Value) throws(ValueMismatch) {
        self.init()
        var record = try RecordReader(value)
        let todos: [Todo] = try record.optional("items") ?? []
        draft = try record.optional("draft") ?? ""
        loading = try record.optional("loading") ?? false
        let next = try record.optional("nextID", as: Int64.self)
        try record.end()
        for (index, todo) in todos.enumerated() {
            guard todo.id > 0 else { throw ValueMismatch("items[\(index)].id", "this field is missing") }
            guard items.append(todo, id: todo.id) else { throw ValueMismatch("items[\(index)].id", "the id \(todo.id) is taken") }
            raiseNextID(above: todo.id)
        }
        guard let next else { return }
        guard next >= Int64(clamping: nextID) else {
            throw ValueMismatch("nextID", "a whole number above every id is expected, at least \(nextID)")
        }
        nextID = UInt64(next)
    }
}
