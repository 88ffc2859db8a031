internal import Glibc

/// Where a server gets its connections from.
public enum VarlinkListener: Sendable, Equatable {
    /// A socket file to make, open to its owner (`mode` 0600) or also to a group (0660).
    ///
    /// The file must not exist: who holds the service's lock removes a stale one. It is not removed at the end either.
    case path(String, mode: UInt32, group: UInt32?)
    /// An inherited descriptor, as systemd passes it: a listening socket, or one that is connected already.
    case inherited(Int32)

    /// A socket that is ready to be served.
    enum Socket {
        case listening(Int32)
        case connected(Int32)
    }

    /// Connections that may wait to be accepted; the kernel's own limit may be lower.
    static let backlog: Int32 = 4_096

    /// Makes the socket, or finds out what was inherited.
    func open() throws(VarlinkServerError) -> Socket {
        switch self {
        case .path(let path, let mode, let group):
            return .listening(try Self.bind(path, mode: mode, group: group))
        case .inherited(let descriptor):
            var isListening: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0 else {
                throw VarlinkServerError("descriptor \(descriptor) is no socket", errno)
            }
            return isListening == 0 ? .connected(descriptor) : .listening(descriptor)
        }
    }

    private static func bind(_ path: String, mode: UInt32, group: UInt32?) throws(VarlinkServerError) -> Int32 {
        guard var address = sockaddr_un(path: path) else {
            throw VarlinkServerError("\(path) is too long for a socket", ENAMETOOLONG)
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw VarlinkServerError("no socket for \(path)", errno) }
        func check(_ result: Int32, _ message: String) throws(VarlinkServerError) {
            guard result != 0 else { return }
            let error = VarlinkServerError(message, errno)
            close(descriptor)
            throw error
        }
        // The file gets the mode that the socket has at bind, less the umask: it is never open wider than in the end.
        try check(fchmod(descriptor, 0o600), "can't set the mode of \(path)")
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                Glibc.bind(descriptor, generic, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try check(bound, "can't make the socket \(path)")
        if let group { try check(chown(path, uid_t.max, group), "can't give \(path) to group \(group)") }
        try check(chmod(path, mode), "can't set the mode of \(path)")
        try check(listen(descriptor, backlog), "can't listen on \(path)")
        return descriptor
    }
}

extension sockaddr_un {
    /// The address of a socket file, nil if its path is too long for one.
    fileprivate init?(path: String) {
        self.init()
        sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &sun_path) { bytes in
            guard path.utf8.count < bytes.count else { return false }
            bytes.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return nil }
    }
}
