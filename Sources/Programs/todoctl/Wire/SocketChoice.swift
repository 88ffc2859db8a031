import Glibc
import TodoAPI

/// Which socket to connect to.
enum SocketChoice {
    /// `--socket`, else TODOD_SOCKET, else the first that exists of the user's and the system's; the user's, if none does.
    ///
    /// Where somebody else has taken the place of the user's own directory, the user has no socket there.
    static func path(
        option: String?, environment: (String) -> String?, uid: UInt32, exists: (String) -> Bool
    ) throws(Failure) -> String {
        if let option { return option }
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
    static func path(option: String?) throws(Failure) -> String {
        try path(option: option, environment: Environment.variable, uid: getuid()) { access($0, F_OK) == 0 || errno == EACCES }
    }
}

/// What surrounds the process.
enum Environment {
    /// A variable of the environment; nil if it is unset.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
