public import FeatureFlows
public import FeaturePosts
public import FeatureRepositories
public import FeatureStars
public import FeatureTodos
public import Fields

extension App {
    /// The work that reducers ask for: one case for each feature that asks for any.
    public enum Command: Cased, NamedCommand {
        /// Work for the todo list.
        case todos(Todos.Command)
        /// Work for the posts.
        case posts(Posts.Command)
        /// Work for a star button.
        case stars(Stars.Command)
        /// Work for the list of repositories.
        case repositories(Repositories.Command)
        /// The time of a flow.
        case flows(Flows.Command)

        /// A case by its number, its fields as they begin; numbered as the actions are.
        public static func blank(_ number: UInt32) -> Command? {
            switch number {
            case 1: .todos(.load)
            case 4: .posts(.fetch(page: 0, into: .set))
            case 5: .stars(.star(""))
            case 6: .repositories(.languages)
            case 7: .flows(.keep(0))
            default: nil
            }
        }

        /// What there is none of, where a name is none of these.
        public static let noun = "feature"

        /// Each case is a feature's command.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .todos(var command):
                try visitor.whole(1, "todos", &command)
                return .todos(command)
            case .posts(var command):
                try visitor.whole(4, "posts", &command)
                return .posts(command)
            case .stars(var command):
                try visitor.whole(5, "stars", &command)
                return .stars(command)
            case .repositories(var command):
                try visitor.whole(6, "repositories", &command)
                return .repositories(command)
            case .flows(var command):
                try visitor.whole(7, "flows", &command)
                return .flows(command)
            }
        }

        private var command: any CasedCommand {
            switch self {
            case .todos(let command): command
            case .posts(let command): command
            case .stars(let command): command
            case .repositories(let command): command
            case .flows(let command): command
            }
        }

        /// The feature's name and its own: `todos.load`.
        public var name: String { command.name }
        /// What the feature says.
        public var version: UInt32 { command.version }
        /// What the feature says.
        public var isPresentational: Bool { command.isPresentational }
        /// What the feature says, its names under the feature's.
        public var policy: CommandPolicy { command.policy.under(caseName) }
        /// What the feature says.
        public var leavesTrace: Bool { command.leavesTrace }
        /// What the feature says.
        public var mayHoldText: Bool { command.mayHoldText }
        /// What the feature makes of them.
        public func with(arguments: Value) throws(ValueMismatch) -> Command {
            switch self {
            case .todos(let command): .todos(try command.with(arguments: arguments))
            case .posts(let command): .posts(try command.with(arguments: arguments))
            case .stars(let command): .stars(try command.with(arguments: arguments))
            case .repositories(let command): .repositories(try command.with(arguments: arguments))
            case .flows(let command): .flows(try command.with(arguments: arguments))
            }
        }
        /// The arguments by name.
        public var arguments: Value { command.arguments }
    }
}
