import Glibc
import TodoAPI

extension Failure {
    /// The daemon can't be reached, with what to do about it.
    init(_ loss: Connection.Loss, socket: String) {
        switch loss {
        case .unreachable(let number) where number == EACCES || number == EPERM:
            let remedy =
                socket == SocketLocation.system
                ? "Members of the group todod may: sudo adduser \"$USER\" todod, then log in again."
                : "It belongs to another user, or to a group that you are not in (the system's daemon: todod)."
            self.init(.notPermitted, "You may not use the socket \(socket).\n\(remedy)")
        case .unreachable(let number):
            let reason = String(cString: strerror(number))
            self.init(.unreachable, "No daemon answers at \(socket) (\(reason)).\n" + Failure.start(socket: socket))
        case .closed:
            self.init(
                .unreachable,
                "The daemon at \(socket) closed the connection and did not come back.\n" + Failure.start(socket: socket))
        case .notVarlink(let reason):
            self.init(
                .unreachable,
                "What answers at \(socket) is not todod (\(reason)). Name todod's socket with --socket, or set TODOD_SOCKET.")
        case .untrusted(let message):
            self.init(.notPermitted, message)
        }
    }

    private static func start(socket: String) -> String {
        if socket == SocketLocation.system { return "Start it with: sudo systemctl start todod.socket" }
        let location = SocketLocation(environment: Environment.variable, uid: getuid())
        if socket == location.user { return "Start it with: systemctl --user start todod.socket\nor, without systemd: todod" }
        return "Start it with: todod --socket \(socket)"
    }
}
