public import CounterFeature
public import Reducing
public import TodosFeature

/// The root: all features of the daemon, each with its own slice of the state and its own case of the actions.
public enum App: Feature {
    /// The todo list in the app.
    public static let todos = Embedding<App, Todos>(
        "todos",
        Scope(
            state: { $0.todos }, modify: { $1(&$0.todos) }, embed: Action.todos,
            extract: { if case .todos(let action) = $0 { action } else { nil } }),
        offset: 0)

    /// The counter in the app; its scopes stand behind those of the todos.
    public static let counter = Embedding<App, Counter>(
        "counter",
        Scope(
            state: { $0.counter }, modify: { $1(&$0.counter) }, embed: Action.counter,
            extract: { if case .counter(let action) = $0 { action } else { nil } }),
        offset: 1 + Todos.scopes.count)

    /// Each feature, followed by the fields of its state.
    public static let scopes = todos.scopeNames + counter.scopeNames

    /// The feature decides.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .todos(let action): try Todos.prepare(action, state.todos, context).map(Action.todos)
        case .counter(let action): try Counter.prepare(action, state.counter, context).map(Action.counter)
        }
    }

    /// The feature changes its slice.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        // Not through the embeddings, whose closures would cost the replay a tenth of its speed.
        switch action {
        case .todos(let action): _ = Todos.reduce(&state.todos, action, context)
        case .counter(let action): _ = Counter.reduce(&state.counter, action, context)
        }
        return []
    }

    /// The ids that the feature handed out.
    public static func created(by action: Action) -> [UInt64] {
        todos.created(by: action) ?? counter.created(by: action) ?? []
    }

    /// Of each feature, itself and the fields that differ.
    public static func changedScopes(from old: State, to new: State) -> ScopeSet {
        todos.changedScopes(from: old, to: new).union(counter.changedScopes(from: old, to: new))
    }

    /// The feature, and its fields that the action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        todos.scopes(of: action).union(counter.scopes(of: action))
    }

    /// The field whose order the action's index refers to.
    public static func indexedScope(of action: Action) -> ScopeSet {
        todos.indexedScope(of: action).union(counter.indexedScope(of: action))
    }

    /// The changes of all features.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        guard let first = todos.changes(from: old, to: new, limit: limit) else { return nil }
        guard let second = counter.changes(from: old, to: new, limit: limit - first.count) else { return nil }
        return first + second
    }

    /// Each feature's outline under its name.
    public static func outline(of state: State) -> Value {
        .record([todos.outline(of: state), counter.outline(of: state)])
    }

    /// The lists of all features.
    public static func lists(of state: State) -> [ListView] {
        todos.lists(of: state) + counter.lists(of: state)
    }

    /// Each feature's view under its name.
    public static func view(of state: State) -> Value {
        .record([todos.view(of: state), counter.view(of: state)])
    }
}
