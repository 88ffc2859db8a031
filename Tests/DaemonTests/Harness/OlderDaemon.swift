import Foundation
import Glibc
import ProcessTesting

/// A fake daemon that answers every call from a table of methods and frames.
///
/// An empty frame hangs up.
final class OlderDaemon: Sendable {
    private let listener: Int32

    init(_ path: String, answering replies: [(method: String, reply: String)]) throws {
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let descriptor = listener
        var address = try SocketAddress(path)
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 16) == 0 else {
            throw SystemFailure(what: "listen \(path)")
        }
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { Self.serve(connection, replies) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    // The client sends one short call at a time.
    private static func serve(_ connection: Int32, _ replies: [(method: String, reply: String)]) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { break }
            let call = String(decoding: bytes[..<count], as: UTF8.self)
            for (method, reply) in replies where call.contains("\"\(method)\"") {
                if reply.isEmpty { return _ = close(connection) }
                let frame = Array(reply.utf8) + [0]
                _ = send(connection, frame, frame.count, Int32(MSG_NOSIGNAL))
            }
        }
        close(connection)
    }
}
