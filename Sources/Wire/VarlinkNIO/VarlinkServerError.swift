internal import Glibc

/// Why a server can't serve.
public struct VarlinkServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was tried, for people.
    public var message: String
    /// What the system said, an `errno`; 0 if it was not asked.
    public var errno: Int32

    /// Says what was tried and what the system said.
    public init(_ message: String, _ errno: Int32) {
        self.message = message
        self.errno = errno
    }

    /// What was tried and why it failed.
    public var description: String {
        errno == 0 ? message : "\(message): \(String(cString: strerror(errno)))"
    }
}
