public import ActionCoding
public import PostsFeature
public import Reducing
public import RepositoriesFeature
public import StarsFeature
public import TodosFeature

extension App {
    /// The work that reducers ask for: one case for each feature that asks for any.
    public enum Command: Sendable, Equatable {
        /// Work for the todo list.
        case todos(Todos.Command)
        /// Work for the posts.
        case posts(Posts.Command)
        /// Work for a star button.
        case stars(Stars.Command)
        /// Work for the list of repositories.
        case repositories(Repositories.Command)
    }
}

extension App.Command: NamedCommand {
    /// The feature's name and its own: `todos.load`.
    public var name: String {
        switch self {
        case .todos(let command): command.name
        case .posts(let command): command.name
        case .stars(let command): command.name
        case .repositories(let command): command.name
        }
    }

    /// What the feature says.
    public var version: UInt32 {
        switch self {
        case .todos(let command): command.version
        case .posts(let command): command.version
        case .stars(let command): command.version
        case .repositories(let command): command.version
        }
    }

    /// What the feature says.
    public var isPresentational: Bool {
        switch self {
        case .todos(let command): command.isPresentational
        case .posts(let command): command.isPresentational
        case .stars(let command): command.isPresentational
        case .repositories(let command): command.isPresentational
        }
    }

    /// What the feature says, its names under the feature's.
    public var policy: CommandPolicy {
        switch self {
        case .todos(let command): command.policy.under("todos")
        case .posts(let command): command.policy.under("posts")
        case .stars(let command): command.policy.under("stars")
        case .repositories(let command): command.policy.under("repositories")
        }
    }

    /// What the feature says.
    public var leavesTrace: Bool {
        switch self {
        case .todos(let command): command.leavesTrace
        case .posts(let command): command.leavesTrace
        case .stars(let command): command.leavesTrace
        case .repositories(let command): command.leavesTrace
        }
    }

    /// The arguments by name.
    public var arguments: Value {
        switch self {
        case .todos(let command): command.arguments
        case .posts(let command): command.arguments
        case .stars(let command): command.arguments
        case .repositories(let command): command.arguments
        }
    }
}

extension App.Command: CanonicalCodable {
    /// One field, the feature, with its command; numbered as the actions are.
    public func encode(into writer: inout CanonicalWriter) {
        switch self {
        case .todos(let command): writer.message(1, command)
        case .posts(let command): writer.message(4, command)
        case .stars(let command): writer.message(5, command)
        case .repositories(let command): writer.message(6, command)
        }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        switch try cursor.nextField(in: bytes) {
        case 1: self = .todos(try cursor.singleMessage(bytes))
        case 4: self = .posts(try cursor.singleMessage(bytes))
        case 5: self = .stars(try cursor.singleMessage(bytes))
        case 6: self = .repositories(try cursor.singleMessage(bytes))
        case nil: throw CanonicalError(.missingField(1), at: cursor.offset)
        default: throw cursor.unknown()
        }
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
    }
}
