import Glibc
import Varlink

/// A blocking Varlink client, with a deadline on everything, that can also send what no client should.
final class Client {
    enum Failure: Error, Equatable {
        case closed
        case timedOut
        case refused(String)
    }

    let descriptor: Int32
    /// How long a reply may take.
    var seconds: Double
    /// How many bytes have come.
    private(set) var bytesReceived = 0
    private var buffer: [UInt8] = []
    private var start = 0
    private var scanned = 0
    // Generic loops over bytes are what these tests would spend their time with, above all in an instrumented build.
    private var chunk = [UInt8](repeating: 0, count: 65_536)

    init(_ path: String, seconds: Double = 60) throws {
        self.seconds = seconds
        descriptor = try Self.connected(path)
    }

    private static func connected(_ path: String) throws -> Int32 {
        var address = try SocketAddress(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure(what: "socket") }
        guard address.withPointer({ connect(descriptor, $0, $1) }) == 0 else {
            let failure = SystemFailure(what: "connect \(path)")
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    deinit { close(descriptor) }

    // MARK: - Bytes and frames

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            let number = errno
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if number == EPIPE || number == ECONNRESET {
                throw Failure.closed
            } else if number != EINTR {
                throw SystemFailure(what: "send", number: number)
            }
        }
    }

    /// Says that no more calls come.
    func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next frame, without its NUL.
    func receiveFrame() throws -> [UInt8] {
        let deadline = Deadline(seconds: seconds)
        while true {
            if let end = endOfFrame() {
                defer { compact(after: end) }
                return Array(buffer[start..<end])
            }
            scanned = buffer.count
            guard try deadline.awaitReadable(descriptor) else { throw Failure.timedOut }
            guard try receiveBytes() else { throw Failure.closed }
        }
    }

    private func endOfFrame() -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let end = memchr(start + scanned, 0, bytes.count - scanned) else { return nil }
            return UnsafeRawPointer(end) - start
        }
    }

    private func compact(after end: Int) {
        start = end + 1
        scanned = start
        guard start == buffer.count || start > 1 << 20 else { return }
        buffer.removeFirst(start)
        start = 0
        scanned = 0
    }

    private func receiveBytes() throws -> Bool {
        let count = recv(descriptor, &chunk, chunk.count, 0)
        let number = errno
        if count > 0 { buffer += chunk[..<count] }
        if count < 0, number != EINTR, number != ECONNRESET { throw SystemFailure(what: "recv", number: number) }
        bytesReceived += max(0, count)
        return count > 0 || (count < 0 && number == EINTR)
    }

    /// Whether the daemon closes the connection within the time; what still comes is thrown away.
    func isClosed(seconds: Double) throws -> Bool {
        let deadline = Deadline(seconds: seconds)
        while try deadline.awaitReadable(descriptor) {
            guard try receiveBytes() else { return true }
            buffer = []
            start = 0
            scanned = 0
        }
        return false
    }

    /// Whether the daemon closes the connection within the time, while nothing of it is read.
    func isHungUp(seconds: Double) throws -> Bool {
        var polled = pollfd(fd: descriptor, events: 0, revents: 0)
        let count = poll(&polled, 1, Deadline(seconds: seconds).milliseconds)
        return count == 1 && polled.revents & Int16(POLLHUP) != 0
    }

    // MARK: - Calls and replies

    func send(_ method: String, _ parameters: JSON = [:], more: Bool = false, oneway: Bool = false) throws {
        var bytes: [UInt8] = []
        Call(method, parameters.object ?? [], more: more, oneway: oneway).write(into: &bytes)
        try send(bytes)
    }

    func receive() throws -> Reply {
        let frame = try receiveFrame()
        return try Reply(parsing: frame.span)
    }

    /// Calls and takes one reply, whatever it is.
    func ask(_ method: String, _ parameters: JSON = [:], more: Bool = false) throws -> Reply {
        try send(method, parameters, more: more)
        return try receive()
    }

    /// Calls and takes the parameters of the reply, which must not be an error.
    func call(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
        try Self.result(try ask(method, parameters))
    }

    /// Calls and takes all replies of a stream that ends.
    func stream(_ method: String, _ parameters: JSON = [:]) throws -> [JSON] {
        try send(method, parameters, more: true)
        var items: [JSON] = []
        while true {
            let reply = try receive()
            items.append(try Self.result(reply))
            if !reply.continues { return items }
        }
    }

    static func result(_ reply: Reply) throws -> JSON {
        guard let error = reply.error else { return .object(reply.parameters) }
        throw Failure.refused("\(error) \(reply.parameters["message"]?.string ?? "")")
    }
}
