import Glibc

/// A socket that systemd opened before the daemon started, by the protocol of sd_listen_fds(3).
package struct InheritedSocket: Sendable, Equatable {
    /// What can be done with it.
    package enum Kind: Sendable, Equatable {
        /// New connections are accepted from it.
        case listening
        /// It is one connection, already accepted (`Accept=yes`).
        case connected
    }

    /// Its number; whoever takes it closes it.
    package var descriptor: Int32
    /// Its name from `FileDescriptorName=`; empty without one.
    package var name: String
    /// What can be done with it.
    package var kind: Kind

    /// Its own path where it is bound to one; nil without.
    package var path: String? { UnixSocket.path(of: descriptor) }

    /// Takes the sockets meant for this process, once: closes them to child processes and removes the variables.
    ///
    /// - Throws: `StartFailure` with status 78 when one of them is no Unix stream socket.
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
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var sockets: [InheritedSocket] = []
        for offset in 0..<count {
            let descriptor = first + offset
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, let kind = UnixSocket.kind(of: descriptor) else {
                throw StartFailure(
                    .configuration,
                    "The descriptor \(descriptor) in LISTEN_FDS is no Unix stream socket; see ListenStream= of the unit.")
            }
            let name = Int(offset) < names.count ? String(names[Int(offset)]) : ""
            sockets.append(InheritedSocket(descriptor: descriptor, name: name == "unknown" ? "" : name, kind: kind))
        }
        return sockets
    }
}
