import Glibc
import LinuxService
import TodoAPI
import VarlinkNIO

/// The sockets to serve: those from systemd, or else our own.
struct Sockets {
    let listeners: [VarlinkListener]
    /// Whether the sockets accept new connections.
    let areListening: Bool
    private let own: ListeningSocket?

    /// Makes our own socket under the log's lock: a stale socket file then belongs to no running daemon.
    init(_ program: Program, _ configuration: Configuration, _ environment: [String: String]) throws(StartFailure) {
        let inherited = try InheritedSocket.takeAll(environment: environment)
        guard inherited.isEmpty else {
            listeners = inherited.map { .inherited($0.descriptor) }
            areListening = inherited.contains { $0.kind == .listening }
            own = nil
            return
        }
        try Self.checkSubstitute(program, configuration, environment)
        let path = try SocketPath(configuration.socket)
        try path.makeDirectory()
        try path.removeStaleSocketUnderLock()
        let own = try path.listen()
        listeners = [.inherited(own.descriptor)]
        areListening = true
        self.own = own
    }

    // In a directory that all users can write to, another user may have created our socket's path first.
    private static func checkSubstitute(
        _ program: Program, _ configuration: Configuration, _ environment: [String: String]
    ) throws(StartFailure) {
        let location = SocketLocation(program: program.name, environment: { environment[$0] }, uid: geteuid())
        guard configuration.socket == location.user else { return }
        do { try location.make(uid: geteuid()) } catch { throw StartFailure(.notPermitted, error.message) }
    }

    func remove() { own?.removeFile() }
}
