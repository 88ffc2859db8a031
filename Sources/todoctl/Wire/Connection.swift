import Glibc
import TodoAPI
import Varlink

/// A blocking connection to a Varlink server: whole frames in, whole frames out.
final class Connection {
    /// Why the connection is of no more use.
    enum Loss: Error, Equatable {
        /// No server answers at the socket; the number is that of errno.
        case unreachable(Int32)
        /// It was there and went away.
        case closed
        /// It does not speak Varlink.
        case notVarlink(String)
        /// Somebody may answer there who is none of those that are trusted; a sentence that says who, and what to do.
        case untrusted(String)
    }

    let descriptor: Int32
    private var received: [UInt8] = []
    /// Where the next frame begins in `received`.
    private var start = 0
    private var scratch = [UInt8](repeating: 0, count: 65_536)

    /// Connects to a Unix stream socket, if whoever can answer there is trusted.
    init(path: String) throws(Loss) {
        do throws(SocketPlace.Refusal) {
            let uid = getuid()
            let place = try SocketPlace(path, uid: uid)
            descriptor = try Connection.connected(to: path)
            let own = SocketLocation(environment: Environment.variable, uid: uid).user
            try place.check(server: try Connection.server(of: descriptor), own: own)
        } catch {
            switch error {
            case .unreachable(let number): throw .unreachable(number)
            case .untrusted(let message): throw .untrusted(message)
            }
        }
    }

    deinit { close(descriptor) }

    /// Sends a frame; the NUL at its end is added.
    func send(_ frame: [UInt8]) throws(Loss) {
        let bytes = frame + [0]
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .closed
            }
            sent += count
        }
    }

    /// Waits for the next frame and reads it.
    func receive() throws(Loss) -> Reply {
        var searched = start
        while true {
            if let end = received[searched...].firstIndex(of: 0) {
                let reply = try Connection.reply(Array(received[start..<end]))
                start = end + 1
                if start == received.count {
                    received.removeAll(keepingCapacity: true)
                    start = 0
                }
                return reply
            }
            searched = received.count
            if start > 0 {
                received.removeSubrange(..<start)
                searched -= start
                start = 0
            }
            let count = read(descriptor, &scratch, scratch.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .closed }
            received.append(contentsOf: scratch[..<count])
        }
    }

    /// Whether a whole frame is here already.
    var hasFrame: Bool { received[start...].contains(0) }

    /// The user who listens, as the kernel says; of a socket of systemd's that is who started systemd.
    private static func server(of descriptor: Int32) throws(SocketPlace.Refusal) -> UInt32 {
        // The layout of struct ucred, which Glibc shows only to C.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { throw .unreachable(errno) }
        return credentials.uid
    }

    private static func connected(to path: String) throws(SocketPlace.Refusal) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity else { throw .unreachable(ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .unreachable(errno) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        // The socket calls of C take a pointer to any kind of address.
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard result == 0 else {
            let error = errno
            close(descriptor)
            throw .unreachable(error)
        }
        return descriptor
    }

    private static func reply(_ frame: [UInt8]) throws(Loss) -> Reply {
        do {
            return try Reply(parsing: frame.span)
        } catch {
            throw .notVarlink(Visible.text(error.parameters.first?.value.string ?? "its reply can't be read"))
        }
    }
}
