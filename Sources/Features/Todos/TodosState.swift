public import PersistentCollections
import Reducing

extension Todos {
    /// The list, what is being typed, and the next id.
    ///
    /// Only what can't be derived: the title with its count, and whether the draft can be added, are the view's.
    public struct State: Sendable {
        /// The todos by id, in the order in which they are shown.
        public var items = OrderedTable<Todo>()
        /// The text in the input field.
        public var draft = ""
        /// Whether todos are being loaded.
        public var loading = false
        /// The id of the next todo, above every id that was ever handed out; at most 2^53 - 1.
        public var nextID: UInt64 = 1

        /// Makes the state that everything begins with.
        public init() {}

        /// Makes a state with these todos, without those whose id is 0, too large or taken.
        public init(items: [Todo], draft: String = "", loading: Bool = false, nextID: UInt64 = 1) {
            for todo in items where Limits.ids.contains(todo.id) { self.items.append(todo, id: todo.id) }
            self.draft = draft
            self.loading = loading
            self.nextID = max(1, min(nextID, Limits.ids.upperBound + 1))
            for todo in items { raiseNextID(above: todo.id) }
        }

        mutating func raiseNextID(above id: UInt64) {
            if id >= nextID, Limits.ids.contains(id) { nextID = id + 1 }
        }
    }
}

extension Todos.State: Equatable {
    /// Compares everything, texts by their bytes, and skips what both share.
    public static func == (left: Self, right: Self) -> Bool {
        left.nextID == right.nextID && left.loading == right.loading && left.draft.hasSameBytes(as: right.draft)
            && left.items == right.items
    }
}
