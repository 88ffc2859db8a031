/// The subject of a subscription.
public enum Watched: Hashable, Sendable {
    /// The state, or a scope of it: an index in `Feature.scopes`.
    case state(scope: Int?)
    /// A child's view, or without children a field of the root's view, and the scope that determines it.
    case view(String, scope: Int?)

    /// The only scope whose changes affect it; `nil`: any change may.
    public var scope: Int? {
        switch self {
        case .state(let scope), .view(_, let scope): scope
        }
    }
}
