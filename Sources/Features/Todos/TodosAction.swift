import ActionCoding

extension Todos {
    /// What can happen to the list: as dispatched, and, with all ids and values filled in by `prepare`, as logged.
    public enum Action: Sendable {
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
    }
}

extension Todos.Action: Equatable {
    /// Compares the canonical bytes, so texts by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.canonicalBytes == right.canonicalBytes }
}
