import FeatureAlerts
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews
public import Fields

/// The root: all features of the daemon, each with its own slice of the state and its own case of the actions.
public enum App: Feature {
    /// Each feature, followed by the fields of its state.
    public static let scopes = State.scopeNames
    /// Each feature's shape under its name.
    public static let shape = State.shape

    /// The feature changes its slice.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        // Not through the embeddings, whose closures would cost the replay a tenth of its speed. Few actions ask for
        // anything, and those that don't pay nothing for it.
        switch action {
        case .todos(let action):
            let commands = Todos.reduce(&state.todos, action, context)
            return commands.isEmpty ? [] : commands.map(Command.todos)

        case .counter(let action):
            _ = Counter.reduce(&state.counter, action, context)

        case .alerts(let action):
            _ = Alerts.reduce(&state.alerts, action, context)

        case .posts(let action):
            let commands = Posts.reduce(&state.posts, action, context)
            return commands.isEmpty ? [] : commands.map(Command.posts)

        case .stars(let action):
            let commands = Stars.reduce(&state.stars, action, context)
            return commands.isEmpty ? [] : commands.map(Command.stars)

        case .repositories(let action):
            let commands = Repositories.reduce(&state.repositories, action, context)
            return commands.isEmpty ? [] : commands.map(Command.repositories)

        case .flows(let action):
            let cancellations = Navigation.cancellations(by: action, in: state.flows)
            let commands = Flows.reduce(&state.flows, action, context)
            return commands.isEmpty ? cancellations : cancellations + commands.map(Command.flows)

        case .views(let action):
            _ = Views.reduce(&state.views, action, context)
        }
        return []
    }

    /// The ids that the feature handed out.
    public static func created(by action: Action) -> [UInt64] {
        switch action {
        case .todos(let action): Todos.created(by: action)
        case .counter(let action): Counter.created(by: action)
        case .alerts(let action): Alerts.created(by: action)
        case .posts(let action): Posts.created(by: action)
        case .stars(let action): Stars.created(by: action)
        case .repositories(let action): Repositories.created(by: action)
        case .flows(let action): Flows.created(by: action)
        case .views(let action): Views.created(by: action)
        }
    }

    /// Those of a flow that is open already, of which there is at most one of a kind.
    public static func existing(for action: Action, in state: State) -> [UInt64] {
        if case .flows(let action) = action { Flows.existing(for: action, in: state.flows) } else { [] }
    }

    /// The count, by a reset.
    public static func wipes(_ action: Action) -> ScopeSet {
        if case .counter(let action) = action { counter.lifted(Counter.wipes(action)) } else { [] }
    }

    /// The count.
    public static var wipeable: ScopeSet { counter.lifted(Counter.wipeable) }

    /// Of each feature, itself and the fields that differ.
    public static func changedScopes(from old: State, to new: State) -> ScopeSet {
        // Asked at every dispatch, so not through a visitor; a test holds it to what that would say.
        var scopes = todos.lifted(Todos.changedScopes(from: old.todos, to: new.todos))
        scopes.formUnion(counter.lifted(Counter.changedScopes(from: old.counter, to: new.counter)))
        if old.sharesColdFields(with: new) { return scopes }
        scopes.formUnion(alerts.lifted(Alerts.changedScopes(from: old.alerts, to: new.alerts)))
        scopes.formUnion(posts.lifted(Posts.changedScopes(from: old.posts, to: new.posts)))
        scopes.formUnion(stars.lifted(Stars.changedScopes(from: old.stars, to: new.stars)))
        scopes.formUnion(repositories.lifted(Repositories.changedScopes(from: old.repositories, to: new.repositories)))
        scopes.formUnion(flows.lifted(Flows.changedScopes(from: old.flows, to: new.flows)))
        scopes.formUnion(views.lifted(Views.changedScopes(from: old.views, to: new.views)))
        return scopes
    }

    /// That of all features.
    public static func growth(from old: State?, to new: State) -> Int {
        // Asked at every dispatch, so not through a visitor where only what changes all the time has changed.
        guard let old, old.sharesColdFields(with: new) else { return new.growth(since: old) }
        return Todos.growth(from: old.todos, to: new.todos) + Counter.growth(from: old.counter, to: new.counter)
    }

    /// The changes of all features, or of the one that some names lead to.
    public static func changes(from old: State, to new: State, limit: Int, within names: [String]) -> [Change]? {
        // Asked for every record that a question about the past looks at.
        guard old.sharesColdFields(with: new) else { return new.changes(from: old, limit: limit, within: names) }
        var changes: [Change] = []
        func add<Child: Feature>(_ name: String, _ child: Child.Type, _ old: Child.State, _ new: Child.State) -> Bool {
            guard names.first.map({ $0.hasSameBytes(as: name) }) ?? true else { return true }
            let more = Child.changes(from: old, to: new, limit: limit - changes.count, within: Array(names.dropFirst()))
            changes += more?.map { $0.under(name) } ?? []
            return more != nil
        }
        guard add("todos", Todos.self, old.todos, new.todos), add("counter", Counter.self, old.counter, new.counter) else {
            return nil
        }
        return changes
    }

    /// The same, of all features.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        changes(from: old, to: new, limit: limit, within: [])
    }

    /// The feature, and its fields that the action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .todos: todos.scopes(of: action)
        case .counter: counter.scopes(of: action)
        case .alerts: alerts.scopes(of: action)
        case .posts: posts.scopes(of: action)
        case .stars: stars.scopes(of: action)
        case .repositories: repositories.scopes(of: action)
        case .flows: flows.scopes(of: action)
        case .views: views.scopes(of: action)
        }
    }

    /// The field whose order the action's index refers to.
    public static func indexedScope(of action: Action) -> ScopeSet {
        switch action {
        case .todos: todos.indexedScope(of: action)
        case .repositories: repositories.indexedScope(of: action)
        case .counter, .alerts, .posts, .stars, .flows, .views: []
        }
    }
}
