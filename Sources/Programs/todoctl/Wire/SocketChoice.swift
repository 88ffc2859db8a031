import Glibc
import TodoAPI

/// Which socket to connect to.
enum SocketChoice {
    /// `--socket`, else that of the fork in TODOD_FORK, else TODOD_SOCKET, else the first that exists of the user's and the system's; the user's, if none does.
    ///
    /// Where somebody else has taken the place of the user's own directory, the user has no socket there.
    static func path(
        option: String?, environment: (String) -> String?, uid: UInt32, exists: (String) -> Bool
    ) throws(Failure) -> String {
        if let option { return option }
        if let fork = environment("TODOD_FORK"), !fork.isEmpty { return try ForkPlace(existing: fork).ownSocket() }
        if let named = environment("TODOD_SOCKET"), !named.isEmpty { return named }
        let location = SocketLocation(environment: environment, uid: uid)
        do throws(SocketLocation.Distrust) {
            try location.check(uid: uid)
        } catch {
            guard error.isForeign, exists(SocketLocation.system) else { throw Failure(.notPermitted, error.message) }
            return SocketLocation.system
        }
        return [location.user, SocketLocation.system].first(where: exists) ?? location.user
    }

    /// The same, for this process.
    static func path(
        option: String?, environment: (String) -> String? = Environment.variable
    ) throws(Failure) -> String {
        try path(option: option, environment: environment, uid: getuid()) { access($0, F_OK) == 0 || errno == EACCES }
    }
}

/// Where the daemon is looked for, and how long it is waited for where none is.
struct SocketSearch {
    /// The place; asked for again as long as no daemon was found.
    let place: () throws(Failure) -> String
    /// How long a daemon that is not there yet is waited for, in microseconds.
    let patience: Int64

    init(patience: Int64 = 0, _ place: @escaping () throws(Failure) -> String) {
        (self.patience, self.place) = (patience, place)
    }

    /// Seconds that `--wait` without a number waits.
    static let secondsUsual = 30
    /// Seconds that it waits at most.
    static let secondsMax = 86_400

    /// What `--socket` and the environment of this process say.
    ///
    /// - Throws: where TODOD_WAIT is no number of seconds.
    init(option: String?) throws(Failure) {
        let seconds = try Self.seconds("TODOD_WAIT", "--wait", usual: 0)
        self.init(patience: Int64(seconds) * 1_000_000) { () throws(Failure) in try SocketChoice.path(option: option) }
    }

    /// Reads the environment variable that the option sets.
    static func seconds(_ variable: String, _ option: String, usual: Int) throws(Failure) -> Int {
        let text = Environment.variable(variable) ?? ""
        guard let seconds = text.isEmpty ? usual : Int(text), (0...secondsMax).contains(seconds) else {
            throw Failure(
                .usage,
                "Invalid \(option) or \(variable) \(Visible.text(text)): expected whole seconds from 0 to \(secondsMax).")
        }
        return seconds
    }
}

/// What surrounds the process.
enum Environment {
    /// A variable of the environment; nil if it is unset.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
