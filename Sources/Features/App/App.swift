public import Chronicle
import FeatureAlerts
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews

extension App.Action {
    public static let loadTodos = App.Action.todos(.load)

    /// Returns the action without its texts; nil if no text can be removed.
    ///
    /// The IDs and the number of elements stay.
    public var redacted: App.Action? { redacted(.all) }

    /// Returns the action without some of its texts; nil if none of these can be removed.
    public func redacted(_ texts: RedactedTexts) -> App.Action? {
        if case .views = self { return redacted(keeping: Self.kept.union(["name"]), texts) }
        return redacted(keeping: Self.kept, labelled: Self.labelled, texts)
    }

    // The format of an imported todo and the names of its imported fields are not personal texts.
    private static let labelled: [String: Set<String>] = ["source": [], "said": ["title"]]

    // Identifiers and enumerations, without which the action would refer to something else, including the names of views.
    private static let kept: Set<String> = [
        "id", "key", "kind", "language", "languages", "names", "options", "result", "priority", "at", "every",
    ]
}

/// Rules that involve several features; all other actions are decided by one feature.
extension App {
    /// Turns a post into a todo, passes flows to their coordinators, and updates an open language question after languages are loaded.
    ///
    /// An event that reports a failure also raises an alert.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .posts(.add(let id)):
            let todo = Todo(title: try Posts.post(id, in: state.posts).title)
            return try Todos.prepare(.add([todo]), state.todos, context).map(Action.todos)
        case .flows(let action): return try Navigation.prepare(action, state, context)
        default:
            let logged = try prepareChild(action, state, context)
            // A failure that is not logged is obsolete.
            guard let event = logged.first else { return logged }
            if let text = failure(toldBy: event, in: state) {
                return logged + (try Alerts.prepare(.raise(text), state.alerts, context).map(Action.alerts))
            }
            guard case .repositories(.languagesLoaded(let names)) = event else { return logged }
            return logged + (LanguageCoordinator.offer(of: names, in: state.flows).map { [.flows($0)] } ?? [])
        }
    }

    /// Cancels the request of a flow's question when the flow ends.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        guard case .flows(let flow) = action else { return reduceChild(&state, action, context) }
        let cancellations = Navigation.cancellations(by: flow, in: state.flows)
        return cancellations + reduceChild(&state, action, context)
    }

    /// Returns the event for a command that ended without a result.
    ///
    /// A parked command raises an alert. A cancelled request for languages is not a failure, because its flow has ended.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        if case (.repositories(.languages), .cancelled) = (command, end) { return nil }
        if let event = endedChild(command, end) { return event }
        guard case .parked(let reason) = end else { return nil }
        return .alerts(.raise("\(command.name) waits for you to retry or skip it: \(reason)"))
    }

    private static func failure(toldBy event: Action, in state: State) -> String? {
        switch event {
        case .todos(let event): Todos.failure(toldBy: event, in: state.todos)
        case .posts(let event): Posts.failure(toldBy: event)
        case .stars(let event): Stars.failure(toldBy: event)
        case .repositories(let event): Repositories.failure(toldBy: event)
        case .counter, .alerts, .flows, .views: nil
        }
    }
}
