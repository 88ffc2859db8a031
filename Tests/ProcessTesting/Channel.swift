import Glibc

/// Two connected descriptors that no other process can inherit by chance, unlike those of a pipe that is made in two steps.
public struct Channel: Sendable {
    /// The end for this process.
    public let ours: Int32
    /// The end for another process.
    public let theirs: Int32

    public init() throws {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw SystemFailure(what: "socketpair")
        }
        (ours, theirs) = (pair[0], pair[1])
    }
}
