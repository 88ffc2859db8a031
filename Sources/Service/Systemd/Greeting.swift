/// What the daemon prints when a person started it and it can be used.
struct Greeting: Sendable, Equatable {
    /// The name of the daemon.
    var name: String
    /// What of the client is worth trying first.
    var firstTries: [String]
    /// The path of the socket.
    var socket: String
    /// The client as a person can call it: `todoctl`, with a directory where it lies beside the daemon.
    var client: String
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
    init(_ program: Program, socket: String, usualSockets: [String], path: String, exists: (String) -> Bool) {
        name = program.name
        firstTries = program.firstTries
        self.socket = socket
        isUsual = usualSockets.first { $0 == socket || exists($0) } == socket
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        client = !directory.isEmpty && exists("\(directory)todoctl") ? "\(directory)todoctl" : "todoctl"
    }

    /// The socket and the commands to try, one a line.
    var text: String {
        let client = Self.quoted(client) + (isUsual ? "" : " --socket \(Self.quoted(socket))")
        return "\(name) listens on \(socket)\nTry in another terminal:" + firstTries.map { "\n  \(client) \($0)" }.joined()
    }

    private static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "-")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "+")
        }
        return plain ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
