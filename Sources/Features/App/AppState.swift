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
    /// The state of the whole daemon: one slice for each feature.
    ///
    /// It is copied at every dispatch. The todos and the counter, which change all the time, stand in it; the others, which
    /// seldom do, are stored apart, so that a copy shares them with a single reference and a comparison passes them by.
    public struct State: Fielded {
        /// The todo list.
        public var todos: Todos.State
        /// The counter.
        public var counter: Counter.State
        // Always one.
        private var stored: [ColdFields]

        private struct ColdFields: Sendable, Equatable {
            var alerts = Alerts.State()
            var posts = Posts.State()
            var stars = Stars.State()
            var repositories = Repositories.State()
            var flows = Flows.State()
            var views = Views.State()
        }

        private static let initialCold = [ColdFields()]

        /// Makes the state that everything begins with.
        public init() {
            todos = Todos.State()
            counter = Counter.State()
            stored = Self.initialCold
        }

        /// Makes a state; left out, each slice is what it begins with.
        public init(
            todos: Todos.State = .init(), counter: Counter.State = .init(), alerts: Alerts.State = .init(),
            posts: Posts.State = .init(), stars: Stars.State = .init(), repositories: Repositories.State = .init(),
            flows: Flows.State = .init(), views: Views.State = .init()
        ) {
            self.todos = todos
            self.counter = counter
            stored = [
                ColdFields(
                    alerts: alerts, posts: posts, stars: stars, repositories: repositories, flows: flows, views: views)
            ]
        }

        /// One child for each feature, under the number that its actions have.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.child(1, "todos", Todos.self, &todos)
            try visitor.child(2, "counter", Counter.self, &counter)
            var cold = stored[0]
            try visitor.child(3, "alerts", Alerts.self, &cold.alerts)
            try visitor.child(4, "posts", Posts.self, &cold.posts)
            try visitor.child(5, "stars", Stars.self, &cold.stars)
            try visitor.child(6, "repositories", Repositories.self, &cold.repositories)
            try visitor.child(7, "flows", Flows.self, &cold.flows)
            try visitor.child(8, "views", Views.self, &cold.views)
            // What is the same stays shared.
            if Visitor.changesFields, cold != stored[0] { stored[0] = cold }
        }

        /// The alerts.
        public var alerts: Alerts.State {
            get { stored[0].alerts }
            _modify { yield &stored[0].alerts }
        }

        /// The posts.
        public var posts: Posts.State {
            get { stored[0].posts }
            _modify { yield &stored[0].posts }
        }

        /// The star buttons.
        public var stars: Stars.State {
            get { stored[0].stars }
            _modify { yield &stored[0].stars }
        }

        /// The list of repositories.
        public var repositories: Repositories.State {
            get { stored[0].repositories }
            _modify { yield &stored[0].repositories }
        }

        /// The open flows.
        public var flows: Flows.State {
            get { stored[0].flows }
            _modify { yield &stored[0].flows }
        }

        /// The saved views.
        public var views: Views.State {
            get { stored[0].views }
            _modify { yield &stored[0].views }
        }

        /// Whether all but the todos and the counter is the same stored state, in constant time.
        func sharesColdFields(with other: State) -> Bool {
            let left = stored.span
            let right = other.stored.span
            return left.isIdentical(to: right)
        }
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
                "flows": flows, "views": views,
            ], displayStyle: .struct)
    }
}
