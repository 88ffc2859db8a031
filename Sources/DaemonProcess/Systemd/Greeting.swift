/// What the daemon prints when a person started it and it can be used.
public struct Greeting: Sendable, Equatable {
    /// The path of the socket.
    public var socket: String
    /// The client as a person can call it: `todoctl`, with a directory where it lies beside the daemon.
    public var client: String
    /// Whether the client finds the socket without being told.
    public var isUsual: Bool

    /// Takes the socket, and the client that lies beside the daemon if the daemon was called by its path.
    ///
    /// - Parameters:
    ///   - socket: The path of the socket.
    ///   - usualSockets: The sockets that the client looks for by itself, in its order.
    ///   - program: The daemon as it was called, the first word of its command line.
    ///   - exists: Whether a file can be executed.
    public init(socket: String, usualSockets: [String], program: String, exists: (String) -> Bool) {
        self.socket = socket
        isUsual = usualSockets.first { $0 == socket || exists($0) } == socket
        let directory = program.lastIndex(of: "/").map { program[...$0] } ?? ""
        client = !directory.isEmpty && exists("\(directory)todoctl") ? "\(directory)todoctl" : "todoctl"
    }

    /// The socket and three commands to try, one a line.
    public var text: String {
        let client = Self.quoted(client) + (isUsual ? "" : " --socket \(Self.quoted(socket))")
        return """
            todod listens on \(socket)
            Try in another terminal:
              \(client) add Buy the milk
              \(client) list
              \(client) watch
            """
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
