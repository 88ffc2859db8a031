public import FeatureAlerts
public import FeatureCounter
public import FeatureFlows
public import FeaturePosts
public import FeatureRepositories
public import FeatureStars
public import FeatureTodos
public import FeatureViews
public import Fields

extension App {
    /// The todo list in the app.
    public static let todos = Embedding<App, Todos>(
        "todos",
        Scope(
            state: { $0.todos }, modify: { $1(&$0.todos) }, embed: Action.todos,
            extract: { if case .todos(let action) = $0 { action } else { nil } }))

    /// The counter in the app; its scopes stand behind those of the todos, and so on.
    public static let counter = Embedding<App, Counter>(
        "counter",
        Scope(
            state: { $0.counter }, modify: { $1(&$0.counter) }, embed: Action.counter,
            extract: { if case .counter(let action) = $0 { action } else { nil } }))

    /// The alerts in the app.
    public static let alerts = Embedding<App, Alerts>(
        "alerts",
        Scope(
            state: { $0.alerts }, modify: { $1(&$0.alerts) }, embed: Action.alerts,
            extract: { if case .alerts(let action) = $0 { action } else { nil } }))

    /// The posts in the app.
    public static let posts = Embedding<App, Posts>(
        "posts",
        Scope(
            state: { $0.posts }, modify: { $1(&$0.posts) }, embed: Action.posts,
            extract: { if case .posts(let action) = $0 { action } else { nil } }))

    /// The star buttons in the app.
    public static let stars = Embedding<App, Stars>(
        "stars",
        Scope(
            state: { $0.stars }, modify: { $1(&$0.stars) }, embed: Action.stars,
            extract: { if case .stars(let action) = $0 { action } else { nil } }))

    /// The list of repositories in the app.
    public static let repositories = Embedding<App, Repositories>(
        "repositories",
        Scope(
            state: { $0.repositories }, modify: { $1(&$0.repositories) }, embed: Action.repositories,
            extract: { if case .repositories(let action) = $0 { action } else { nil } }))

    /// The open flows in the app.
    public static let flows = Embedding<App, Flows>(
        "flows",
        Scope(
            state: { $0.flows }, modify: { $1(&$0.flows) }, embed: Action.flows,
            extract: { if case .flows(let action) = $0 { action } else { nil } }))

    /// The saved views in the app.
    public static let views = Embedding<App, Views>(
        "views",
        Scope(
            state: { $0.views }, modify: { $1(&$0.views) }, embed: Action.views,
            extract: { if case .views(let action) = $0 { action } else { nil } }))
}
