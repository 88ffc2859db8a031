import Glibc

public struct StartFailure: Error, Sendable, Equatable, CustomStringConvertible {
    public var status: ExitStatus
    /// The failed attempt and the remedy, as sentences; may have several lines.
    public var message: String

    public init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    public var description: String { message }

    /// A failed system call: no permission for EACCES or EPERM, otherwise an I/O error.
    package static func system(_ attempt: String, code: Int32) -> StartFailure {
        let status: ExitStatus = code == EACCES || code == EPERM ? .notPermitted : .inputOutput
        return StartFailure(status, "\(attempt): \(SystemError(code: code)).")
    }
}

struct SystemError: Error, Equatable, CustomStringConvertible {
    var code: Int32

    static var last: SystemError { SystemError(code: errno) }

    var description: String {
        // The pointer that strerror returns is only valid until the next call.
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}

/// The message of a daemon started at a terminal, when it is ready.
package struct StartMessage: Sendable, Equatable {
    package var name: String
    package var firstTries: [String]
    package var socket: String
    /// The client as a person can call it: `todoctl`, with its directory if it lies beside the daemon.
    package var client: String
    /// Whether the client finds the socket by default.
    var isUsual: Bool

    /// Takes the socket, and the client beside the daemon if the daemon was called by its path.
    /// - Parameters:
    ///   - usualSockets: the default sockets of the client, in its order.
    ///   - path: the first word of the daemon's command line.
    ///   - exists: whether a file can be executed.
    package init(_ program: Program, socket: String, usualSockets: [String], path: String, exists: (String) -> Bool) {
        name = program.name
        firstTries = program.firstTries
        self.socket = socket
        isUsual = usualSockets.first { $0 == socket || exists($0) } == socket
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        client = !directory.isEmpty && exists("\(directory)todoctl") ? "\(directory)todoctl" : "todoctl"
    }

    package var text: String {
        let client = ShellWord.text(of: client) + (isUsual ? "" : " --socket \(ShellWord.text(of: socket))")
        return "\(name) listens on \(socket)\nTry in another terminal:" + firstTries.map { "\n  \(client) \($0)" }.joined()
    }
}

package enum ShellWord {
    package static func text(of word: String) -> String {
        guard word.isEmpty || !word.utf8.allSatisfy({ plain.contains($0) }) else { return word }
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%".utf8)
}
