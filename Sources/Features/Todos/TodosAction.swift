public import Fields

extension Todos {
    /// What can happen to the list: as dispatched, and, with all ids and values filled in by `prepare`, as logged.
    public enum Action: Cased {
        /// Puts todos on top, in their own order. Dispatched without ids and times; logged with both.
        case add([Todo])
        /// Changes some fields of a todo.
        case edit(UInt64, TodoChanges)
        /// Completes a todo; logged with the time, in microseconds since 1970. Dispatched with one, that is the time.
        case complete(UInt64, at: Int64? = nil)
        /// Opens a completed todo again.
        case reopen(UInt64)
        /// Removes a todo.
        case remove(UInt64)
        /// Removes the todo at an index; logged as `remove`.
        case removeAt(index: Int)
        /// Puts todos back that were removed, one after another, each with its id to its index.
        case putBack([PlacedTodo])
        /// Moves a todo so that it then stands at an index.
        case move(UInt64, to: Int)
        /// Removes all completed todos. Dispatched without ids; logged with them.
        case clearCompleted([UInt64] = [])
        /// Sets the text in the input field.
        case updateText(String)
        /// Adds the text in the input field as a todo, and empties the field; logged as `add` and `updateText`.
        case submit
        /// Loads todos from their source.
        case load
        /// A fact: the todos that were loaded, put on top in their own order. Brought back without ids and times; logged with both.
        case loaded([Todo])
        /// A fact: nothing was loaded; why, as a sentence.
        case loadFailed(String)

        /// One of each case.
        public static let blanks: [Action?] = [
            .add([]), .edit(0, TodoChanges()), .complete(0), .reopen(0), .remove(0), .putBack([]), .move(0, to: 0),
            .clearCompleted(), .updateText(""), .submit, .load, .loaded([]), .loadFailed(""),
        ]

        /// The fields of each case.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            switch self {
            case .add(var todos):
                visitor.choose(1, "add")
                try visitor.field(1, "items", &todos, .required)
                self = .add(todos)
            case .edit(var id, var changes):
                visitor.choose(2, "edit")
                try visitor.field(1, "id", &id, .needed)
                try changes.visit(&visitor)
                self = .edit(id, changes)
            case .complete(var id, var time):
                visitor.choose(3, "complete")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "completed", &time)
                self = .complete(id, at: time)
            case .reopen(var id):
                visitor.choose(4, "reopen")
                try visitor.field(1, "id", &id, .needed)
                self = .reopen(id)
            case .remove, .removeAt:
                visitor.choose(5, "remove")
                var target = target
                try target.visit(&visitor)
                self = target.index.map { .removeAt(index: $0) } ?? .remove(target.id)
            case .putBack(var placed):
                visitor.choose(6, "putBack")
                try visitor.field(1, "items", &placed, .required)
                self = .putBack(placed)
            case .move(var id, var index):
                visitor.choose(7, "move")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "index", &index, .required)
                self = .move(id, to: index)
            case .clearCompleted(var ids):
                visitor.choose(8, "clearCompleted")
                try visitor.field(1, "ids", &ids)
                self = .clearCompleted(ids)
            case .updateText(var text):
                visitor.choose(9, "updateText")
                try visitor.field(1, "text", &text, .required)
                self = .updateText(text)
            case .submit: visitor.choose(10, "submit")
            case .load: visitor.choose(11, "load")
            case .loaded(var todos):
                visitor.choose(12, "loaded")
                try visitor.field(1, "items", &todos, .required)
                self = .loaded(todos)
            case .loadFailed(var reason):
                visitor.choose(13, "loadFailed")
                try visitor.field(1, "reason", &reason, .required)
                self = .loadFailed(reason)
            }
        }

        /// An id and an index at once, or neither.
        public var fault: ValueMismatch? { target.fault }

        private var target: RowTarget {
            switch self {
            case .remove(let id): RowTarget(id: id)
            case .removeAt(let index): RowTarget(index: index)
            default: RowTarget(id: 1)
            }
        }
    }
}
