import TodoAPI
import Varlink

extension ForkPlace {
    /// Hands on to a daemon what happened in it: all of it, so that it is told from other forks however little of it is taken over.
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

    /// Whether the log that it was made from has all of it, as the daemon there says.
    ///
    /// A note here would know nothing of what was undone there, nor into which log it was merged. Where that can't be told, it has not.
    func isTakenOver() throws(Failure) -> Bool {
        let socket = try read().socket
        guard let target = try? Client(socket: socket), let upload = try? handOn(to: target).upload,
            let would = try? target.call(MergeForkMethod.self, .init(upload: upload, dryRun: true))
        else { return false }
        return would.isNothing
    }
}
