import FeatureAlerts
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews
public import Fields

extension App {
    /// The feature decides; what concerns several of them, which none can know, is put together here.
    ///
    /// A fact that says that something failed raises an alert. A post becomes a todo. Orders about flows are the business
    /// of the coordinators, and an open question for a language offers those that the source knows.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .todos(let action):
            let logged = try Todos.prepare(action, state.todos, context).map(Action.todos)
            return Todos.nature(of: action) == .fact ? try raisingAlert(logged, state, context) : logged

        case .counter(let action):
            return try Counter.prepare(action, state.counter, context).map(Action.counter)

        case .alerts(let action):
            return try Alerts.prepare(action, state.alerts, context).map(Action.alerts)

        case .posts(.add(let id)):
            let todo = Todo(title: try Posts.post(id, in: state.posts).title)
            return try Todos.prepare(.add([todo]), state.todos, context).map(Action.todos)

        case .posts(let action):
            return try raisingAlert(try Posts.prepare(action, state.posts, context).map(Action.posts), state, context)

        case .stars(let action):
            return try raisingAlert(try Stars.prepare(action, state.stars, context).map(Action.stars), state, context)

        case .repositories(let action):
            let logged = try Repositories.prepare(action, state.repositories, context)
            let rest = try raisingAlert(logged.map(Action.repositories), state, context)
            guard case .languagesLoaded(let names) = logged.first else { return rest }
            return rest + (LanguageCoordinator.offer(of: names, in: state.flows).map { [.flows($0)] } ?? [])

        case .flows(let action):
            return try Navigation.prepare(action, state, context)

        case .views(let action):
            return try Views.prepare(action, state.views, context).map(Action.views)
        }
    }

    /// The fact for a command that ended without a result, as its feature sees it; that one waits for a person is an alert.
    ///
    /// That nobody wants languages to choose from any more is no failure.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        if case (.repositories(.languages), .cancelled) = (command, end) { return nil }
        let fact: Action? =
            switch command {
            case .todos(let command): Todos.ended(command, end).map(Action.todos)
            case .posts(let command): Posts.ended(command, end).map(Action.posts)
            case .stars(let command): Stars.ended(command, end).map(Action.stars)
            case .repositories(let command): Repositories.ended(command, end).map(Action.repositories)
            case .flows(let command): Flows.ended(command, end).map(Action.flows)
            }
        if let fact { return fact }
        guard case .parked(let reason) = end else { return nil }
        return .alerts(.raise("\(command.name) waits for you to retry or skip it: \(reason)"))
    }

    /// What the feature tells of it.
    public static func brief(for command: Command, in state: State) -> Value {
        if case .todos(let command) = command { Todos.brief(for: command, in: state.todos) } else { .null }
    }

    /// What the feature says, in the words that name what it is about.
    private static func failure(toldBy fact: Action, in state: State) -> String? {
        guard case .todos(let action) = fact else { return failure(toldBy: fact) }
        return Todos.failure(toldBy: action, in: state.todos)
    }

    /// What the feature says.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .todos(let action): Todos.nature(of: action)
        case .counter(let action): Counter.nature(of: action)
        case .alerts(let action): Alerts.nature(of: action)
        case .posts(let action): Posts.nature(of: action)
        case .stars(let action): Stars.nature(of: action)
        case .repositories(let action): Repositories.nature(of: action)
        case .flows(let action): Flows.nature(of: action)
        case .views(let action): Views.nature(of: action)
        }
    }

    /// What the feature says.
    public static func cost(of action: Action, in state: State) -> Int {
        switch action {
        case .todos(let action): Todos.cost(of: action, in: state.todos)
        case .counter(let action): Counter.cost(of: action, in: state.counter)
        case .alerts(let action): Alerts.cost(of: action, in: state.alerts)
        case .posts(let action): Posts.cost(of: action, in: state.posts)
        case .stars(let action): Stars.cost(of: action, in: state.stars)
        case .repositories(let action): Repositories.cost(of: action, in: state.repositories)
        case .flows(let action): Flows.cost(of: action, in: state.flows)
        case .views(let action): Views.cost(of: action, in: state.views)
        }
    }

    /// What is logged, and behind it the alert if it says that something failed; a failure that is not logged is nobody's concern any more.
    private static func raisingAlert(_ logged: [Action], _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        guard let fact = logged.first, let text = failure(toldBy: fact, in: state) else { return logged }
        return logged + (try Alerts.prepare(.raise(text), state.alerts, context).map(Action.alerts))
    }

    /// What the feature says.
    public static func failure(toldBy fact: Action) -> String? {
        switch fact {
        case .todos(let action): Todos.failure(toldBy: action)
        case .posts(let action): Posts.failure(toldBy: action)
        case .stars(let action): Stars.failure(toldBy: action)
        case .repositories(let action): Repositories.failure(toldBy: action)
        case .counter, .alerts, .flows, .views: nil
        }
    }
}
