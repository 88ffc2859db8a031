/// The message that a daemon started by a person prints when it is ready.
package struct StartMessage: Sendable, Equatable {
    package var name: String
    /// Client commands to try first.
    package var firstTries: [String]
    package var socket: String
    /// The client as a person can call it: `todoctl`, with a directory where it lies beside the daemon.
    package var client: String
    /// Whether the client finds the socket without being told.
    var isUsual: Bool

    /// Takes the socket, and the client that lies beside the daemon if the daemon was called by its path.
    ///
    /// - Parameters:
    ///   - program: The daemon.
    ///   - socket: The path of the socket.
    ///   - usualSockets: The sockets that the client looks for by itself, in its order.
    ///   - path: The daemon as it was called, the first word of its command line.
    ///   - exists: Whether a file can be executed.
    package init(_ program: Program, socket: String, usualSockets: [String], path: String, exists: (String) -> Bool) {
        name = program.name
        firstTries = program.firstTries
        self.socket = socket
        isUsual = usualSockets.first { $0 == socket || exists($0) } == socket
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        client = !directory.isEmpty && exists("\(directory)todoctl") ? "\(directory)todoctl" : "todoctl"
    }

    /// The socket and the commands to try, one a line.
    package var text: String {
        let client = ShellWord.text(of: client) + (isUsual ? "" : " --socket \(ShellWord.text(of: socket))")
        return "\(name) listens on \(socket)\nTry in another terminal:" + firstTries.map { "\n  \(client) \($0)" }.joined()
    }
}

/// A text as one word of a shell's command line.
package enum ShellWord {
    /// The text as it is typed: in quotes, where the shell would not take it as it stands.
    package static func text(of word: String) -> String {
        guard word.isEmpty || !word.utf8.allSatisfy({ plain.contains($0) }) else { return word }
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%".utf8)
}
