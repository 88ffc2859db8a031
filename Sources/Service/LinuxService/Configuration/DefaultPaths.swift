import Glibc
import TodoAPI

/// Where a daemon lives before anything is configured: the system's own places, or those of one user.
///
/// The system's are taken when the system's systemd started it (it then sets STATE_DIRECTORY or RUNTIME_DIRECTORY);
/// by hand everybody, the superuser too, gets their own.
package struct DefaultPaths: Sendable, Equatable {
    /// The directory of the log; nil when nothing says where the user's home is.
    package var dataDirectory: String?
    /// The path of the socket.
    package var socket: String
    /// The configuration file that is read when no other is named; nil when nothing says where the user's home is.
    package var configurationFile: String?
    /// The effective uid of the daemon.
    package var uid: UInt32
    /// The only user served, when a user's systemd started the daemon.
    var soleUID: UInt32?

    /// Finds the places.
    ///
    /// - Parameters:
    ///   - program: The name of the program, as its directories have it.
    ///   - environment: The environment of the process; paths in XDG variables that are not absolute are ignored.
    ///   - uid: The effective uid.
    ///   - pid: The process's own id, by which a unit's main process knows itself.
    ///   - home: The user's home where HOME is unset, from the list of users.
    ///   - userSocket: The path of the socket of a user's daemon, where clients look for it.
    package init(
        program: String, environment: [String: String], uid: UInt32, pid: Int32, home: String?, userSocket: String
    ) {
        self.uid = uid
        // A directory may be several, with colons between; the first is the one of the unit's first name.
        let stateDirectory = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        let runtimeDirectory = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        let isUsers = environment["MANAGERPID"] != nil
        if !isUsers, stateDirectory != nil || runtimeDirectory != nil {
            dataDirectory = stateDirectory ?? "/var/lib/\(program)"
            socket = SocketLocation.socket(in: runtimeDirectory ?? "/run/\(program)")
            configurationFile = "/etc/\(program)/\(program).env"
            return
        }
        let named = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = named ?? home
        let absolute = { (name: String) in environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        dataDirectory = (absolute("XDG_STATE_HOME") ?? home.map { "\($0)/.local/state" }).map { "\($0)/\(program)" }
        if let stateDirectory { dataDirectory = stateDirectory }
        socket = userSocket
        configurationFile = (absolute("XDG_CONFIG_HOME") ?? home.map { "\($0)/.config" }).map {
            "\($0)/\(program)/\(program).env"
        }
        // Programs that a desktop starts inherit MANAGERPID from it; only the unit's own process finds its id here.
        if isUsers, environment["SYSTEMD_EXEC_PID"] == String(pid) { soleUID = uid }
    }

    /// The places of this process.
    package static func ofProcess(_ program: Program, _ environment: [String: String]) -> DefaultPaths {
        let uid = geteuid()
        let location = SocketLocation(program: program.name, environment: { environment[$0] }, uid: uid)
        return DefaultPaths(
            program: program.name, environment: environment, uid: uid, pid: getpid(), home: Users.home(of: uid),
            userSocket: location.user)
    }
}

/// The environment of the process.
package enum ProcessEnvironment {
    /// Its variables; invalid UTF-8 is repaired, and the first of duplicates counts, as for getenv.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        // The C library keeps them as a list of C strings that ends with nil.
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, variables[String(parts[0])] == nil { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }

    /// A path from a directory, the one that the process runs in unless another is named.
    package static func absolute(_ path: String, in directory: String = workingDirectory) -> String {
        path.hasPrefix("/") ? path : (directory == "/" ? "/" : directory + "/") + path
    }

    /// The directory it runs in; the root when that is gone.
    static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }
}
