/// What a subscriber follows.
public enum Watched: Hashable, Sendable {
    /// The state, or a scope of it: an index in `Feature.scopes`.
    case state(scope: Int?)
    /// What the child of a name shows, or in an app without children that field of what it shows, and the scope from which that is made.
    case view(String, scope: Int?)

    /// Outside of which nothing changes it; `nil`: anything may.
    public var scope: Int? {
        switch self {
        case .state(let scope), .view(_, let scope): scope
        }
    }
}
