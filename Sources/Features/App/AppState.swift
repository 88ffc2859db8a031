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
    ///
    /// It is copied at every dispatch. The todos and the counter, which change all the time, stand in it; the others, which
    /// seldom do, stand aside together, so that a copy shares them with a single reference and a comparison passes them by.
    public struct State: Sendable {
        /// The todo list.
        public var todos: Todos.State
        /// The counter.
        public var counter: Counter.State
        // Always one.
        private var asides: [Aside]

        private struct Aside: Sendable, Equatable {
            var alerts = Alerts.State()
            var posts = Posts.State()
            var stars = Stars.State()
            var repositories = Repositories.State()
            var flows = Flows.State()
        }

        private static let initialAsides = [Aside()]

        /// Makes the state that everything begins with.
        public init() {
            todos = Todos.State()
            counter = Counter.State()
            asides = Self.initialAsides
        }

        /// Makes a state; left out, each slice is what it begins with.
        public init(
            todos: Todos.State = .init(), counter: Counter.State = .init(), alerts: Alerts.State = .init(),
            posts: Posts.State = .init(), stars: Stars.State = .init(), repositories: Repositories.State = .init(),
            flows: Flows.State = .init()
        ) {
            self.todos = todos
            self.counter = counter
            asides = [Aside(alerts: alerts, posts: posts, stars: stars, repositories: repositories, flows: flows)]
        }

        /// The alerts.
        public var alerts: Alerts.State {
            get { asides[0].alerts }
            _modify { yield &asides[0].alerts }
        }

        /// The posts.
        public var posts: Posts.State {
            get { asides[0].posts }
            _modify { yield &asides[0].posts }
        }

        /// The star buttons.
        public var stars: Stars.State {
            get { asides[0].stars }
            _modify { yield &asides[0].stars }
        }

        /// The list of repositories.
        public var repositories: Repositories.State {
            get { asides[0].repositories }
            _modify { yield &asides[0].repositories }
        }

        /// The open flows.
        public var flows: Flows.State {
            get { asides[0].flows }
            _modify { yield &asides[0].flows }
        }

        /// Whether all but the todos and the counter is the same stored state, in constant time.
        func sharesAsides(with other: State) -> Bool {
            let left = asides.span
            let right = other.asides.span
            return left.isIdentical(to: right)
        }
    }
}

extension App.State: Equatable {
    /// Compares everything, texts by their bytes, and skips what both share.
    public static func == (left: Self, right: Self) -> Bool {
        left.todos == right.todos && left.counter == right.counter && left.asides == right.asides
    }
}

extension App.State: CustomReflectable {
    /// One child for each feature, for dumps and diffs.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "todos": todos, "counter": counter, "alerts": alerts, "posts": posts, "stars": stars,
                "repositories": repositories,
                "flows": flows,
            ], displayStyle: .struct)
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
