import Glibc
import TodoAPI

public struct Program: Sendable {
    /// The name of its command, directories, units and metrics; in capitals, the prefix of its settings.
    public let name: String
    /// For example `1.4.2`.
    public let version: String
    /// The purpose, as a sentence.
    public let abstract: String
    /// Client commands to try first, without the client's name.
    public let firstTries: [String]
    /// The prefix of its interfaces: `org.example.links` for `org.example.links.Store`.
    public let interfaces: String
    /// Identifies the code that folds the log: snapshots of another fingerprint are not used.
    public let fingerprint: String
    package let settings: SettingTable

    /// - Parameters:
    ///   - interfaces: a reverse domain; by default that of the library.
    ///   - settings: the rows of the settings beyond those of every daemon; see `TypedSetting`.
    ///   - fingerprint: by default, every change of the executable counts as other code.
    public init(
        name: String, version: String,
        abstract: String = "Keeps its state as a log of actions and serves it on a Unix socket.",
        firstTries: [String] = ["state", "watch", "log"], interfaces: String = "org.chronicle",
        settings: [Setting] = [], fingerprint: String? = nil
    ) {
        (self.name, self.version, self.abstract, self.firstTries) = (name, version, abstract, firstTries)
        self.interfaces = interfaces
        self.fingerprint = fingerprint ?? FileIdentity.ofExecutable
        self.settings = SettingTable(program: name, interfaces: interfaces, further: settings)
    }

    /// The full name of a setting, for messages: `TODOD_HTTP_SECONDS`.
    public func name<Value>(of setting: TypedSetting<Value>) -> String { settings.name(of: setting.row) }

    /// The version number in records: 10,000 * major + 100 * minor + patch.
    package var build: UInt32 { version.split(separator: ".").prefix(3).reduce(0) { $0 * 100 + (UInt32($1) ?? 0) } }
}

/// The paths of a daemon without configuration: those of the system, or of one user.
///
/// The system's paths apply if the system's systemd started it (it then sets STATE_DIRECTORY or RUNTIME_DIRECTORY). Otherwise, even the
/// superuser gets the user's own.
package struct DefaultPaths: Sendable, Equatable {
    /// The directory of the log; `nil` if the user's home is unknown.
    package var dataDirectory: String?
    package var socket: String
    /// The default configuration file; `nil` if the user's home is unknown.
    package var configurationFile: String?
    package var uid: UInt32
    /// The only user served, if a user's systemd started the daemon.
    var soleUID: UInt32?

    package init(program: String, environment: [String: String], uid: UInt32, pid: Int32, home: String?, userSocket: String) {
        self.uid = uid
        // A list of directories, separated by colons; the first is the one of the unit's first name.
        let stateDirectory = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        let runtimeDirectory = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        let isUsers = environment["MANAGERPID"] != nil
        if !isUsers, stateDirectory != nil || runtimeDirectory != nil {
            dataDirectory = stateDirectory ?? "/var/lib/\(program)"
            let name = userSocket.split(separator: "/").last ?? ""
            socket = "\(runtimeDirectory ?? "/run/\(program)")/\(name)"
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
        // Programs started by a desktop inherit its MANAGERPID; only the unit's main process finds its own id here.
        if isUsers, environment["SYSTEMD_EXEC_PID"] == String(pid) { soleUID = uid }
    }

    package static func ofProcess(_ program: Program, _ environment: [String: String]) -> DefaultPaths {
        let uid = geteuid()
        let directory = SocketLocation(program: program.name, environment: { environment[$0] }, uid: uid).runtimeDirectory
        return DefaultPaths(
            program: program.name, environment: environment, uid: uid, pid: getpid(), home: Users.home(of: uid),
            userSocket: SocketLocation.socket(in: "\(directory)/\(program.name)", of: program.interfaces))
    }
}

package enum ProcessEnvironment {
    /// The variables; invalid UTF-8 is repaired, and the first of duplicates counts, as for getenv.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, variables[String(parts[0])] == nil { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }

    package static func absolute(_ path: String, in directory: String = workingDirectory) -> String {
        path.hasPrefix("/") ? path : (directory == "/" ? "/" : directory + "/") + path
    }

    /// The working directory; the root if it was removed.
    static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }
}
