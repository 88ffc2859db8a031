import Glibc
import ProcessTesting

/// A mock service manager: the messages that a daemon sends to its NOTIFY_SOCKET.
final class NotifySocket: Sendable {
    let path: String
    let descriptor: Int32

    init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure(what: "socket") }
        var address = try SocketAddress(path)
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else { throw SystemFailure(what: "bind \(path)") }
        chmod(path, 0o666)
    }

    deinit { close(descriptor) }

    /// The assignments of the next message, or nil if there is no message.
    func next() -> [String]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Waits for a message with an assignment that has this prefix.
    ///
    /// Returns nil if the process ends first or the time is over.
    func await(_ prefix: String, from process: ChildProcess, seconds: Double = 60) throws -> [String]? {
        let deadline = Deadline(seconds: seconds)
        while true {
            while let message = next() {
                if message.contains(where: { $0.hasPrefix(prefix) }) { return message }
            }
            guard process.isRunning, try deadline.awaitReadable(descriptor, process.ended) else { return nil }
        }
    }
}

/// The address of a socket in the file system.
struct SocketAddress {
    private var address = sockaddr_un()

    init(_ path: String) throws {
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemFailure(what: path, number: ENAMETOOLONG)
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    mutating func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
