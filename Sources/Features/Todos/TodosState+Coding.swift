import PersistentCollections
public import ActionCoding

extension Todos.State: CanonicalCodable {
    /// Fields: 1 items (a list of todos in their order), 2 draft, 3 loading, 4 the highest id that was handed out.
    public func encode(into writer: inout CanonicalWriter) {
        items.forEach { _, todo in
            writer.message(1, todo)
            return true
        }
        writer.field(2, draft)
        writer.field(3, loading)
        writer.field(4, nextID - 1)
    }

    /// Reads what `encode` wrote; ids that are 0, twice there or above the highest are errors.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        var highest: UInt64 = 0
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1:
                let todo: Todo = try cursor.message(bytes)
                guard todo.id > 0, items.append(todo, id: todo.id) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
                highest = max(highest, todo.id)
            case 2: draft = try cursor.text(bytes)
            case 3: loading = try cursor.bool(bytes)
            case 4: nextID = try cursor.id(bytes) + 1
            default: throw cursor.unknown()
            }
        }
        guard highest < nextID else { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }
}
