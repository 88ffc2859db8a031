import Glibc
import TodoAPI

enum SocketChoice {
    /// The first of: `--socket`, the fork in TODOD_FORK, TODOD_SOCKET, the existing socket of the user or the system, the user's
    /// socket.
    ///
    /// If another user owns the user's runtime directory, the user's socket is skipped.
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

    static func path(
        option: String?, environment: (String) -> String? = Environment.variable
    ) throws(Failure) -> String {
        try path(option: option, environment: environment, uid: getuid()) { access($0, F_OK) == 0 || errno == EACCES }
    }
}

/// Where to look for the daemon, and how long to wait for it.
struct SocketSearch {
    /// The socket; called again while no daemon is found.
    let place: () throws(Failure) -> String
    /// How long to wait for a daemon that does not run yet, in microseconds.
    let patience: Int64

    init(patience: Int64 = 0, _ place: @escaping () throws(Failure) -> String) {
        (self.patience, self.place) = (patience, place)
    }

    /// Seconds for `--wait` without a number.
    static let secondsUsual = 30
    static let secondsMax = 86_400

    /// Reads `--socket` and the environment.
    ///
    /// - Throws: if TODOD_WAIT is not a number.
    init(option: String?) throws(Failure) {
        let seconds = try Self.seconds("TODOD_WAIT", "--wait", usual: 0)
        self.init(patience: Int64(seconds) * 1_000_000) { () throws(Failure) in try SocketChoice.path(option: option) }
    }

    /// Reads the variable of a global option.
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

enum Environment {
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
