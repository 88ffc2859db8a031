public import Fields
import TodoRules

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

    /// What a screen shows: a title, an input section with one row, and a section with a row for each todo.
    ///
    /// `selections` has for each section the action that selecting a row of it dispatches with that row's id; of the input section none.
    public static func viewParts(of state: State) -> ViewParts {
        ViewParts(
            [
                "title": .text("TODO - (\(state.items.count))"),
                "addEnabled": .bool(TitleRule.charactersMissing(in: TitleRule.trimmed(state.draft)) == 0),
                "draft": .text(state.draft),
                "sections": [1, .int(Int64(state.items.count))],
                "selections": ["", "remove"],
            ],
            lists: [
                ViewList(state.items, at: "rows") { todo in
                    ["id": .int(Int64(clamping: todo.id)), "text": .text(todo.title), "done": .bool(todo.isCompleted)]
                }
            ])
    }

    /// The largest of everything; `prepare` refuses more, and the fold is not asked again.
    public enum Limits {
        /// Ids, so that every client's JSON keeps them and the one after exact.
        public static let ids = ElementID.range
        /// Todos in the list.
        public static let todosMax = 10_000_000
        /// UTF-8 bytes of the text in the input field.
        public static let draftBytesMax = 65_536
        /// UTF-8 bytes of the reason of a failure; what is longer is cut.
        public static let reasonBytesMax = 4096
        /// Todos that are put back by one action when something is taken back.
        static let putBackMax = 256
    }
}
