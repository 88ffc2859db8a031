import Glibc

/// Two connected descriptors that no other process inherits by chance, as a pipe that is made in two steps would be.
public struct Channel: Sendable {
    /// The end that stays here.
    public let ours: Int32
    /// The one that another process is given.
    public let theirs: Int32

    /// Connects two.
    public init() throws {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw SystemFailure(what: "socketpair")
        }
        (ours, theirs) = (pair[0], pair[1])
    }
}
