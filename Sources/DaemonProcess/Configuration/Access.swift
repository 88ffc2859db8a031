/// What a user may do at the socket.
public enum Access: Int, Sendable, Comparable {
    /// Nothing; every call is refused.
    case none
    /// Read the state and the log.
    case read
    /// Read, and dispatch actions.
    case readWrite

    /// Orders by what is allowed: the smaller allows less.
    public static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }
}
