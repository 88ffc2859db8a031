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
    /// What can happen in the daemon: one case for each feature.
    public enum Action: Sendable, Equatable {
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
    }
}

extension App.Action: ValueConvertible {
    /// One field, the feature: `{"counter": {"increment": {}}}`.
    public var value: Value {
        switch self {
        case .todos(let action): ["todos": action.value]
        case .counter(let action): ["counter": action.value]
        case .alerts(let action): ["alerts": action.value]
        case .posts(let action): ["posts": action.value]
        case .stars(let action): ["stars": action.value]
        case .repositories(let action): ["repositories": action.value]
        case .flows(let action): ["flows": action.value]
        }
    }

    /// Reads one field, the feature.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            switch choice.name {
            case "todos": self = .todos(try Todos.Action(choice.value))
            case "counter": self = .counter(try Counter.Action(choice.value))
            case "alerts": self = .alerts(try Alerts.Action(choice.value))
            case "posts": self = .posts(try Posts.Action(choice.value))
            case "stars": self = .stars(try Stars.Action(choice.value))
            case "repositories": self = .repositories(try Repositories.Action(choice.value))
            case "flows": self = .flows(try Flows.Action(choice.value))
            default: throw ValueMismatch("", "there is no such feature")
            }
        } catch { throw error.under(choice.name) }
    }
}

extension App.Action: CanonicalCodable {
    /// One field, the feature, with its action: 1 todos, 2 counter, 3 alerts, 4 posts, 5 stars, 6 repositories, 7 flows.
    public func encode(into writer: inout CanonicalWriter) {
        switch self {
        case .todos(let action): writer.message(1, action)
        case .counter(let action): writer.message(2, action)
        case .alerts(let action): writer.message(3, action)
        case .posts(let action): writer.message(4, action)
        case .stars(let action): writer.message(5, action)
        case .repositories(let action): writer.message(6, action)
        case .flows(let action): writer.message(7, action)
        }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        switch try cursor.nextField(in: bytes) {
        case 1: self = .todos(try cursor.singleMessage(bytes))
        case 2: self = .counter(try cursor.singleMessage(bytes))
        case 3: self = .alerts(try cursor.singleMessage(bytes))
        case 4: self = .posts(try cursor.singleMessage(bytes))
        case 5: self = .stars(try cursor.singleMessage(bytes))
        case 6: self = .repositories(try cursor.singleMessage(bytes))
        case 7: self = .flows(try cursor.singleMessage(bytes))
        case nil: throw CanonicalError(.missingField(1), at: cursor.offset)
        default: throw cursor.unknown()
        }
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
    }
}
