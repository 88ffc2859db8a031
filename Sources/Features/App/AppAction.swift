public import AlertsFeature
public import CounterFeature
public import Fields
public import FlowsFeature
public import PostsFeature
public import RepositoriesFeature
public import StarsFeature
public import TodosFeature

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

        /// Has the todos loaded from their source.
        public static let loadTodos = Action.todos(.load)

        /// One of each case.
        public static let blanks: [Action?] = [
            .todos(.submit), .counter(.reset), .alerts(.dismissAll), .posts(.fetch), .stars(.press("")), .repositories(.reload),
            .flows(.cancel(0)),
        ]

        /// What there is none of, where a name is none of these.
        public static let noun = "feature"

        /// Each case is a feature's action.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            switch self {
            case .todos(var action):
                try visitor.whole(1, "todos", &action)
                self = .todos(action)
            case .counter(var action):
                try visitor.whole(2, "counter", &action)
                self = .counter(action)
            case .alerts(var action):
                try visitor.whole(3, "alerts", &action)
                self = .alerts(action)
            case .posts(var action):
                try visitor.whole(4, "posts", &action)
                self = .posts(action)
            case .stars(var action):
                try visitor.whole(5, "stars", &action)
                self = .stars(action)
            case .repositories(var action):
                try visitor.whole(6, "repositories", &action)
                self = .repositories(action)
            case .flows(var action):
                try visitor.whole(7, "flows", &action)
                self = .flows(action)
            }
        }
    }
}
