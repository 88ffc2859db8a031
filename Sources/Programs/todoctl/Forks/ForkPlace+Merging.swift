import TodoAPI
import Varlink

extension ForkPlace {
    /// Uploads its log to a daemon: all of it, so that the target can tell forks apart even if few records are merged.
    func handOn(to target: Client) throws(Failure) -> (copy: LogCopy, upload: UInt64) {
        let first = try read().sequence + 1
        let daemon = try ForkDaemon(place: self).client()
        let base = try daemon.call(StatusMethod.self, NoFields()).base ?? 0
        guard base < first else {
            let error = APIError.compactedFork(through: base)
            throw Failure(CallError(error.name, error.parameters), socket: target.socket)
        }
        return try LogCopy.copied(.init(from: Point(sequence: first)), from: daemon, to: target)
    }

    /// Whether the original log contains all its changes, according to its daemon.
    ///
    /// A note in the fork would not know about undos there, or which log it was merged into. If the daemon can't tell, the answer
    /// is no.
    func isTakenOver() throws(Failure) -> Bool {
        let socket = try read().socket
        guard let target = try? Client(socket: socket), let upload = try? handOn(to: target).upload,
            let would = try? target.call(MergeForkMethod.self, .init(upload: upload, dryRun: true))
        else { return false }
        return would.isNothing
    }
}
