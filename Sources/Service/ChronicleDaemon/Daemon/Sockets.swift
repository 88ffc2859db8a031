import Glibc
import LinuxService
import TodoAPI

/// The sockets to serve: those from systemd, or else our own.
struct Sockets {
    let descriptors: [Int32]
    let areListening: Bool
    private let own: ListeningSocket?

    func remove() { own?.removeFile() }
}

extension Sockets {
    /// Creates our own socket under the log's lock: a stale socket file then belongs to no running daemon.
    init(_ program: Program, _ configuration: Configuration, _ environment: [String: String]) throws(StartFailure) {
        let inherited = try InheritedSocket.takeAll(environment: environment)
        guard inherited.isEmpty else {
            self.init(descriptors: inherited.map(\.descriptor), areListening: inherited.contains(where: \.isListening), own: nil)
            return
        }
        try Self.checkSubstitute(program, configuration, environment)
        try self.init(at: configuration.socket)
    }

    init(at path: String) throws(StartFailure) {
        let path = try SocketPath(path)
        try path.makeDirectory()
        try path.removeStaleSocketUnderLock()
        let own = try path.listen()
        self.init(descriptors: [own.descriptor], areListening: true, own: own)
    }

    // In a directory that all users can write to, another user may have created our socket's path first.
    private static func checkSubstitute(
        _ program: Program, _ configuration: Configuration, _ environment: [String: String]
    ) throws(StartFailure) {
        let location = SocketLocation(program: program.name, environment: { environment[$0] }, uid: geteuid())
        guard configuration.socket.hasPrefix(location.runtimeDirectory + "/") else { return }
        do { try location.make(uid: geteuid()) } catch { throw StartFailure(.notPermitted, error.message) }
    }
}
