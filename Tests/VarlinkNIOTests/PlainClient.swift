import Glibc
import Varlink

/// A blocking client that only uses system calls and times out after a minute.
final class PlainClient {
    struct SystemError: Error {
        var call: String
        var code: Int32

        init(_ call: String) {
            self.call = call
            code = errno
        }
    }

    private(set) var descriptor: Int32
    private var decoder = FrameDecoder(frameBytesMax: 1 << 24)

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                Glibc.connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SystemError("connect") }
        limitWaiting()
    }

    /// Takes ownership of one end of a socket pair.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        limitWaiting()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private func limitWaiting() {
        var time = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Writes all bytes, or as many as the peer accepts before it closes; returns the count.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Int {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return written }
            written += count
        }
        return written
    }

    func write(_ text: String) {
        write(Array(text.utf8))
    }

    /// Writes several calls at once.
    func send(_ calls: Call...) {
        send(calls)
    }

    func send(_ calls: [Call]) {
        var bytes: [UInt8] = []
        for call in calls { call.write(into: &bytes) }
        write(bytes)
    }

    /// Closes the connection in both directions, as if the process had ended.
    func closeNow() {
        close(descriptor)
        descriptor = -1
    }

    /// Shuts down the sending direction.
    func endWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Returns the next reply; nil if the server has closed the connection.
    func reply() throws -> Reply? {
        while true {
            let parsed = try decoder.next { frame in Result { () throws(CallError) in try Reply(parsing: frame) } }
            if let parsed { return try parsed.get() }
            guard try readSome() else { return nil }
        }
    }

    /// Blocks until bytes arrive; false at the end.
    func readSome(bytesMax: Int = 65_536) throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        var count = 0
        // Waiting is interrupted if the process was stopped.
        repeat {
            count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        } while count < 0 && errno == EINTR
        if count < 0, errno == ECONNRESET || errno == EPIPE { return false }
        guard count >= 0 else { throw SystemError("read") }
        decoder.append(bytes.span.extracting(first: count).bytes)
        return count > 0
    }

    /// Returns all replies of one call.
    func repliesThroughLast() throws -> [Reply] {
        var replies: [Reply] = []
        while let reply = try reply() {
            replies.append(reply)
            guard reply.continues else { break }
        }
        return replies
    }

    /// Returns all replies until the server closes the connection.
    func repliesUntilClosed() throws -> [Reply] {
        var replies: [Reply] = []
        while let reply = try reply() { replies.append(reply) }
        return replies
    }
}
