public import Reducing

/// A todo list.
///
/// An order that would change nothing (completing what is completed, moving to where it stands) logs nothing and
/// is no error; an order about a todo that is not there is refused with `UnknownID`.
public enum Todos: Feature {
    /// The fields of the state; their bits stand in `Field`.
    public static let scopes = ["items", "draft", "loading", "nextID"]

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

    /// The next id is no less than the other's.
    public static func reserveIDs(of other: State, in state: inout State) { state.nextID = max(state.nextID, other.nextID) }

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
}
