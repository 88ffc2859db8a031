import Glibc

/// Two connected descriptors that no other process inherits by chance, as a pipe that is made in two steps would be.
struct Channel {
    let ours: Int32
    let theirs: Int32

    init() throws {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw SystemFailure(what: "socketpair")
        }
        (ours, theirs) = (pair[0], pair[1])
    }
}
