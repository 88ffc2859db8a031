public import Fields

/// A todo list.
///
/// An order that would change nothing (completing what is completed, moving to where it stands) logs nothing and
/// is no error; an order about a todo that is not there is refused with `UnknownID`.
public enum Todos: Feature {
    /// The bits of the fields of the state, in their order.
    enum Field {
        static let items = ScopeSet(index: 0)
        static let draft = ScopeSet(index: 1)
        static let loading = ScopeSet(index: 2)
        static let nextID = ScopeSet(index: 3)
    }

    /// The ids of the todos that were added.
    public static func created(by action: Action) -> [UInt64] {
        switch action {
        case .add(let todos), .loaded(let todos): todos.map(\.id)
        default: []
        }
    }

    /// Typing for the text in the input field, facts for what loading brought.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .updateText: .typing
        case .loaded, .loadFailed: .fact
        default: .order
        }
    }

    /// That nothing was loaded; of a load whose place a later one took, or that waits for a person, nothing.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        switch end {
        case .failed(let reason): .loadFailed(reason)
        case .skipped: .loadFailed("it was skipped")
        case .cancelled: .loadFailed("it was cancelled")
        // Loading goes on: by the later command, or when the person has decided.
        case .superseded, .parked: nil
        }
    }

    /// The fields that differ; of the list only pages that aren't shared are looked at.
    public static func changedScopes(from old: State, to new: State) -> ScopeSet {
        // Asked at every dispatch, so not through a visitor.
        var scopes: ScopeSet = []
        if old.items != new.items { scopes.insert(Field.items) }
        if !old.draft.hasSameBytes(as: new.draft) { scopes.insert(Field.draft) }
        if old.loading != new.loading { scopes.insert(Field.loading) }
        if old.nextID != new.nextID { scopes.insert(Field.nextID) }
        return scopes
    }

    /// The fields that an action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .add, .putBack: [Field.items, Field.nextID]
        case .edit, .complete, .reopen, .remove, .removeAt, .move, .clearCompleted: Field.items
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

    /// What a screen shows: a title, an input section with one row, and a section with a row for each todo.
    ///
    /// `selections` has for each section the action that selecting a row of it dispatches with that row's id; of the input section none.
    public static func view(of state: State) -> Value {
        var rows: [Value] = []
        rows.reserveCapacity(state.items.count)
        state.items.forEach { id, todo in
            rows.append(["id": .int(Int64(clamping: id)), "text": .text(todo.title), "done": .bool(todo.isCompleted)])
            return true
        }
        return [
            "title": .text("TODO - (\(state.items.count))"),
            "addEnabled": .bool(TitleRule.isLongEnough(TitleRule.trimmed(state.draft))),
            "draft": .text(state.draft),
            "sections": [1, .int(Int64(state.items.count))],
            "selections": ["", "remove"],
            "rows": .list(rows),
        ]
    }

    /// The largest of everything; `prepare` refuses more, and the fold is not asked again.
    public enum Limits {
        /// Ids, so that every client's JSON keeps them and the one after exact.
        public static let ids = ElementID.range
        /// Todos in the list.
        public static let todosMax = 10_000_000
        /// The fewest characters (grapheme clusters) of a title that somebody adds.
        public static let titleCharactersMin = 3
        /// UTF-8 bytes of a title.
        public static let titleBytesMax = 4096
        /// UTF-8 bytes of a note.
        public static let noteBytesMax = 65_536
        /// Tags of one todo.
        public static let tagsMax = 64
        /// UTF-8 bytes of a tag.
        public static let tagBytesMax = 256
        /// UTF-8 bytes of the text in the input field.
        public static let draftBytesMax = 65_536
        /// UTF-8 bytes of the reason of a failure; what is longer is cut.
        public static let reasonBytesMax = 4096
        /// Todos that are put back by one action when something is taken back.
        static let putBackMax = 256
    }
}
