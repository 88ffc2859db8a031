public import Fields

extension Todos {
    /// What can happen to the list: as dispatched, and, with all ids and values filled in by `prepare`, as logged.
    public enum Action: Cased {
        /// Puts todos on top, in their own order. Dispatched without ids and times; logged with both.
        case add([Todo])
        // Stored apart: every action of every feature would else take three times as much, and a replay moves each of them some ten times.
        /// Changes some fields of a todo.
        indirect case edit(UInt64, TodoChanges)
        /// Completes a todo; logged with the time, in microseconds since 1970, and followed by an `add` of the todo that comes next where it
        /// recurs. That is counted from the day on which it is completed where the client is, or left out in UTC, which is not logged.
        /// Dispatched with a time, that is the time, and no other todo comes: who tells what was tells what came of it.
        case complete(UInt64, at: Int64? = nil, day: Due? = nil)
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
        /// A fact: the todos that were loaded, put on top in their own order. Brought back without ids and times; logged with both, and
        /// without those whose titles stand in the list already.
        case loaded([Todo])
        /// A fact: nothing was loaded; why, as a sentence.
        case loadFailed(String)
        /// A fact: somebody was reminded of a todo.
        case reminded(UInt64, of: Due?)
        /// A fact: nobody could be reminded of a todo; why, as a sentence.
        case remindFailed(UInt64, of: Due?, String)
        /// A fact: the command of a reminder was skipped or cancelled by itself, so the todo has none any more.
        case remindCancelled(UInt64, of: Due?)

        /// `removeAt`, which is `remove` by an index.
        public static let sharingCount = 1

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Action? {
            switch number {
            case 1: .add([])
            case 2: .edit(0, TodoChanges())
            case 3: .complete(0)
            case 4: .reopen(0)
            case 5: .remove(0)
            case 6: .putBack([])
            case 7: .move(0, to: 0)
            case 8: .clearCompleted()
            case 9: .updateText("")
            case 10: .submit
            case 11: .load
            case 12: .loaded([])
            case 13: .loadFailed("")
            case 14: .reminded(0, of: nil)
            case 15: .remindFailed(0, of: nil, "")
            case 16: .remindCancelled(0, of: nil)
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .add(var todos):
                visitor.choose(1, "add")
                try visitor.field(1, "items", &todos, .required)
                return .add(todos)
            case .edit(var id, var changes):
                visitor.choose(2, "edit")
                try visitor.field(1, "id", &id, .needed)
                try changes.visit(&visitor)
                return .edit(id, changes)
            case .complete(var id, var time, var day):
                visitor.choose(3, "complete")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "completed", &time)
                try visitor.field(3, "day", &day)
                return .complete(id, at: time, day: day)
            case .reopen(var id):
                visitor.choose(4, "reopen")
                try visitor.field(1, "id", &id, .needed)
                return .reopen(id)
            case .remove(let id): return try Self.remove(RowTarget(id: id), visitedBy: &visitor)
            case .removeAt(let index): return try Self.remove(RowTarget(index: index), visitedBy: &visitor)
            case .putBack(var placed):
                visitor.choose(6, "putBack")
                try visitor.field(1, "items", &placed, .required)
                return .putBack(placed)
            case .move(var id, var index):
                visitor.choose(7, "move")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "index", &index, .required)
                return .move(id, to: index)
            case .clearCompleted(var ids):
                visitor.choose(8, "clearCompleted")
                visitor.filledIn()
                try visitor.field(1, "ids", &ids)
                return .clearCompleted(ids)
            case .updateText(var text):
                visitor.choose(9, "updateText")
                try visitor.field(1, "text", &text, .required)
                return .updateText(text)
            case .submit:
                visitor.choose(10, "submit")
                return .submit
            case .load:
                visitor.choose(11, "load")
                return .load
            case .loaded(var todos):
                visitor.choose(12, "loaded")
                try visitor.field(1, "items", &todos, .required)
                return .loaded(todos)
            case .loadFailed(var reason):
                visitor.choose(13, "loadFailed")
                try visitor.field(1, "reason", &reason, .required)
                return .loadFailed(reason)
            case .reminded(var id, var time):
                visitor.choose(14, "reminded")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "time", &time)
                return .reminded(id, of: time)
            case .remindFailed(var id, var time, var reason):
                visitor.choose(15, "remindFailed")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "time", &time)
                try visitor.field(3, "reason", &reason)
                return .remindFailed(id, of: time, reason)
            case .remindCancelled(var id, var time):
                visitor.choose(16, "remindCancelled")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "time", &time)
                return .remindCancelled(id, of: time)
            }
        }

        private static func remove<Visitor: FieldVisitor>(
            _ target: RowTarget, visitedBy visitor: inout Visitor
        ) throws(Visitor.Failure) -> Action {
            visitor.choose(5, "remove")
            var target = target
            try target.visit(&visitor)
            return target.index.map { .removeAt(index: $0) } ?? .remove(target.id)
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

extension Todos {
    /// Typing for the text in the input field, a request for loading, and facts for what that brought.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .updateText: .typing
        case .load: .request
        case .loaded, .loadFailed, .reminded, .remindFailed, .remindCancelled: .fact
        default: .order
        }
    }

    /// What a fact says that failed, for an alert.
    public static func failure(toldBy action: Action) -> String? {
        switch action {
        case .loadFailed(let reason): "the todos could not be loaded: \(reason)"
        case .remindFailed(let id, _, let reason): "nobody could be reminded of todo \(id): \(reason)"
        default: nil
        }
    }

    /// The fields that an action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .add, .putBack: [Field.items, Field.nextID]
        case .edit, .complete, .reopen, .remove, .removeAt, .move, .clearCompleted: Field.items
        case .reminded, .remindFailed, .remindCancelled: Field.items
        case .updateText: Field.draft
        case .submit: [Field.items, Field.draft, Field.nextID]
        case .load, .loadFailed: Field.loading
        case .loaded: [Field.items, Field.loading, Field.nextID]
        }
    }

    /// The list, for a removal by index.
    public static func indexedScope(of action: Action) -> ScopeSet {
        if case .removeAt = action { Field.items } else { [] }
    }

    /// The ids of the todos that were added.
    public static func created(by action: Action) -> [UInt64] {
        switch action {
        case .add(let todos), .loaded(let todos): todos.map(\.id)
        default: []
        }
    }
}
