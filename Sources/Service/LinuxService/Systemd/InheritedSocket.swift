import Glibc

/// A socket that systemd opened before the daemon started, by the protocol of sd_listen_fds(3).
package struct InheritedSocket: Sendable, Equatable {
    /// The descriptor; the caller closes it.
    package var descriptor: Int32
    /// False for an accepted connection (`Accept=yes`).
    package var isListening: Bool

    /// Takes the sockets meant for this process, once: child processes don't inherit them or their variables.
    /// - Throws: `StartFailure` with status 78 if one of them is no Unix stream socket.
    package static func takeAll(environment: [String: String]) throws(StartFailure) -> [InheritedSocket] {
        let sockets = try take(environment: environment, pid: getpid(), first: 3)
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        return sockets
    }

    /// The sockets from a first number on, if they are meant for a process.
    package static func take(environment: [String: String], pid: Int32, first: Int32) throws(StartFailure) -> [InheritedSocket] {
        guard environment["LISTEN_PID"] == String(pid), let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0,
            count <= 4096
        else { return [] }
        var sockets: [InheritedSocket] = []
        for offset in 0..<count {
            let descriptor = first + offset
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, let isListening = UnixSocket.isListening(descriptor) else {
                throw StartFailure(
                    .configuration,
                    "The descriptor \(descriptor) in LISTEN_FDS is no Unix stream socket; see ListenStream= of the unit.")
            }
            sockets.append(InheritedSocket(descriptor: descriptor, isListening: isListening))
        }
        return sockets
    }
}
