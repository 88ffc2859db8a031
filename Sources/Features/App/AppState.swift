public import ActionCoding
public import AlertsFeature
public import CounterFeature
public import FlowsFeature
public import PostsFeature
public import Reducing
public import RepositoriesFeature
public import StarsFeature
public import TodosFeature

extension App {
    /// The state of the whole daemon: one slice for each feature.
    public struct State: Sendable, Equatable {
        /// The todo list.
        public var todos: Todos.State
        /// The counter.
        public var counter: Counter.State
        /// The alerts.
        public var alerts: Alerts.State
        /// The posts.
        public var posts: Posts.State
        /// The star buttons.
        public var stars: Stars.State
        /// The list of repositories.
        public var repositories: Repositories.State
        /// The open flows.
        public var flows: Flows.State

        /// Makes a state; left out, each slice is what it begins with.
        public init(
            todos: Todos.State = .init(), counter: Counter.State = .init(), alerts: Alerts.State = .init(),
            posts: Posts.State = .init(), stars: Stars.State = .init(), repositories: Repositories.State = .init(),
            flows: Flows.State = .init()
        ) {
            self.todos = todos
            self.counter = counter
            self.alerts = alerts
            self.posts = posts
            self.stars = stars
            self.repositories = repositories
            self.flows = flows
        }
    }
}

extension App.State: ValueConvertible {
    /// `{todos, counter, alerts, posts, stars, repositories, flows}`.
    public var value: Value {
        [
            "todos": todos.value, "counter": counter.value, "alerts": alerts.value, "posts": posts.value, "stars": stars.value,
            "repositories": repositories.value, "flows": flows.value,
        ]
    }

    /// Reads what `value` gives; a feature that is left out has its initial state.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(
            todos: try record.optional("todos") ?? .init(), counter: try record.optional("counter") ?? .init(),
            alerts: try record.optional("alerts") ?? .init(), posts: try record.optional("posts") ?? .init(),
            stars: try record.optional("stars") ?? .init(), repositories: try record.optional("repositories") ?? .init(),
            flows: try record.optional("flows") ?? .init())
        try record.end()
    }
}

extension App.State: CanonicalCodable {
    /// Fields: 1 todos, 2 counter, 3 alerts, 4 posts, 5 stars, 6 repositories, 7 flows, each left out in its initial state.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, todos)
        writer.field(2, counter)
        writer.field(3, alerts)
        writer.field(4, posts)
        writer.field(5, stars)
        writer.field(6, repositories)
        writer.field(7, flows)
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) {
            let start = cursor.offset
            switch number {
            case 1: todos = try cursor.singleMessage(bytes)
            case 2: counter = try cursor.singleMessage(bytes)
            case 3: alerts = try cursor.singleMessage(bytes)
            case 4: posts = try cursor.singleMessage(bytes)
            case 5: stars = try cursor.singleMessage(bytes)
            case 6: repositories = try cursor.singleMessage(bytes)
            case 7: flows = try cursor.singleMessage(bytes)
            default: throw cursor.unknown()
            }
            // An empty slice is its length, 0, and should have been left out.
            guard cursor.offset > start + 1 else { throw CanonicalError(.notCanonical, at: start) }
        }
    }
}
