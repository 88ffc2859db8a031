import DaemonProcess
import Glibc
import TodoAPI

extension Premises {
    /// The places of this process.
    static func ofProcess(_ environment: [String: String]) throws(StartFailure) -> Premises {
        let uid = geteuid()
        let location = SocketLocation(environment: { environment[$0] }, uid: uid)
        return Premises(
            environment: environment, uid: uid, pid: getpid(), home: Users.home(of: uid), userSocket: location.user)
    }
}
