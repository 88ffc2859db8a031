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
    /// What can happen in the daemon: one case for each feature.
    public enum Action: Cased {
        /// Something about the todo list.
        case todos(Todos.Action)
        /// Something about the counter.
        case counter(Counter.Action)
        /// Something about the alerts.
        case alerts(Alerts.Action)
        /// Something about the posts.
        case posts(Posts.Action)
        /// Something about a star button.
        case stars(Stars.Action)
        /// Something about the list of repositories.
        case repositories(Repositories.Action)
        /// Something about the open flows.
        case flows(Flows.Action)
        /// Something about the saved views.
        case views(Views.Action)

        /// Has the todos loaded from their source.
        public static let loadTodos = Action.todos(.load)

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Action? {
            switch number {
            case 1: .todos(.submit)
            case 2: .counter(.reset)
            case 3: .alerts(.dismissAll)
            case 4: .posts(.fetch)
            case 5: .stars(.press(""))
            case 6: .repositories(.reload)
            case 7: .flows(.cancel(0))
            case 8: .views(.remove(0))
            default: nil
            }
        }

        /// What there is none of, where a name is none of these.
        public static let noun = "feature"

        /// Each case is a feature's action.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .todos(var action):
                try visitor.whole(1, "todos", &action)
                return .todos(action)
            case .counter(var action):
                try visitor.whole(2, "counter", &action)
                return .counter(action)
            case .alerts(var action):
                try visitor.whole(3, "alerts", &action)
                return .alerts(action)
            case .posts(var action):
                try visitor.whole(4, "posts", &action)
                return .posts(action)
            case .stars(var action):
                try visitor.whole(5, "stars", &action)
                return .stars(action)
            case .repositories(var action):
                try visitor.whole(6, "repositories", &action)
                return .repositories(action)
            case .flows(var action):
                try visitor.whole(7, "flows", &action)
                return .flows(action)
            case .views(var action):
                try visitor.whole(8, "views", &action)
                return .views(action)
            }
        }
    }
}

extension App.Action {
    /// Reads what `encode` wrote.
    ///
    /// By hand, because every record of a replay passes here: through a blank and a visitor it would take a seventh longer. A test holds it
    /// to what the cases say.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        var inner = try cursor.enterSingle(bytes)
        switch number {
        case 1: self = .todos(try Todos.Action(from: bytes, &inner))
        case 2: self = .counter(try Counter.Action(from: bytes, &inner))
        case 3: self = .alerts(try Alerts.Action(from: bytes, &inner))
        case 4: self = .posts(try Posts.Action(from: bytes, &inner))
        case 5: self = .stars(try Stars.Action(from: bytes, &inner))
        case 6: self = .repositories(try Repositories.Action(from: bytes, &inner))
        case 7: self = .flows(try Flows.Action(from: bytes, &inner))
        case 8: self = .views(try Views.Action(from: bytes, &inner))
        default: throw cursor.unknown()
        }
        guard inner.isAtEnd, cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
    }
}
