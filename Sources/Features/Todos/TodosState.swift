public import Fields

extension Todos {
    /// The list, what is being typed, and the next id.
    ///
    /// Only what can't be derived: the title with its count, and whether the draft can be added, are the view's.
    public struct State: Fielded {
        /// The todos by id, in the order in which they are shown.
        public var items = OrderedTable<Todo>()
        /// The text in the input field.
        @Exact public var draft = ""
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

        /// Its fields; what somebody is typing, and whether something is under way, is in nobody's way when something is taken back.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.rows(1, "items", &items, undone: .fieldByField)
            try visitor.field(2, "draft", &draft, .shown, undone: .ifUntouched)
            try visitor.field(3, "loading", &loading, .shown, undone: .ifUntouched)
            try visitor.nextID(4, "nextID", &nextID)
        }

        mutating func raiseNextID(above id: UInt64) {
            if id >= nextID, Limits.ids.contains(id) { nextID = id + 1 }
        }
    }
}
