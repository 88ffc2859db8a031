import Glibc
public import Varlink

/// A blocking connection to a Varlink service: calls out, replies in, in the order of the calls.
///
/// No call is made twice, and a lost connection is not made again: its owner knows whether that would do harm.
public final class VarlinkClient {
    /// Bytes of a reply without its NUL: more than a service should send, and little enough to keep.
    public static let replyBytesMax = 64 << 20

    /// The socket, to be polled.
    public let descriptor: Int32
    /// The process that listens at the socket.
    public let serverPID: Int32

    /// Timeout in milliseconds for each read and write; `nil` for no timeout.
    public var patience: Int? { didSet { Self.limitSends(on: descriptor, patience) } }
    /// Called when the service was silent for `patience`; returns to wait again, or throws.
    public var whenSilent: () throws(VarlinkClientError) -> Void = { () throws(VarlinkClientError) in throw .timedOut }
    /// How many bytes have come.
    public private(set) var bytesReceived = 0
    private var decoder = FrameDecoder(frameBytesMax: replyBytesMax)
    private var piece = [UInt8](repeating: 0, count: 65_536)

    /// Connects to a Unix stream socket.
    ///
    /// - Parameter trust: refuses the user who listens, before anything is sent. Of a socket of systemd's that is who started systemd.
    /// - Throws: `unreachable`, `timedOut` where the service accepts no connection for `patience`, or what `trust` throws.
    public init(
        _ path: String, patience: Int? = nil, trust: ((UInt32) throws(VarlinkClientError) -> Void)? = nil
    ) throws(VarlinkClientError) {
        self.patience = patience
        descriptor = try Self.connected(to: path, patience)
        let server = Self.server(of: descriptor)
        serverPID = server?.pid ?? 0
        guard let server else { throw .unreachable(errno) }
        try trust?(server.uid)
    }

    deinit { close(descriptor) }
}

// MARK: - Bytes and frames

extension VarlinkClient {
    /// Sends bytes as they are: calls, each with its NUL.
    ///
    /// A server that hangs up before it has read them all may have said why: that is a reply, and then this returns as if all were sent.
    public func send(_ bytes: [UInt8]) throws(VarlinkClientError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    try whenSilent()
                    continue
                }
                while !hasReply { try receiveBytes() }
                return
            }
            sent += count
        }
    }

    /// Sends of some bytes those that there is room for, without waiting for more.
    ///
    /// - Returns: how many were sent.
    public func sendAvailable(_ bytes: ArraySlice<UInt8>) throws(VarlinkClientError) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.dropFirst(sent).withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN { break }
                throw .closed
            }
            sent += count
        }
        return sent
    }

    /// Waits for the next reply, and reads it.
    public func receive() throws(VarlinkClientError) -> Reply {
        let reply = try next { frame in Result { () throws(CallError) in try Reply(parsing: frame) } }
        do {
            return try reply.get()
        } catch {
            throw .notVarlink(error.parameters.first?.value.text ?? "its reply can't be read")
        }
    }

    /// Waits for the next reply, and gives its bytes, without the NUL.
    public func receiveFrame() throws(VarlinkClientError) -> [UInt8] {
        try next { frame in frame.bytes.withUnsafeBytes { Array($0) } }
    }

    /// Whether the next reply is here already.
    public var hasReply: Bool {
        // One that is too long is found by who reads it.
        do { return try decoder.nextBytes() != nil } catch { return true }
    }

    /// Reads what has come, once a poll says that something has; waits for nothing more.
    public func receiveAvailable() throws(VarlinkClientError) { try receiveBytes() }

    private func next<Value>(_ read: (Span<UInt8>) -> Value) throws(VarlinkClientError) -> Value {
        while true {
            do {
                if let value = try decoder.next(read) { return value }
            } catch {
                throw .notVarlink("a reply has more than \(error.frameBytesMax) bytes")
            }
            if let patience { try waitForBytes(patience) }
            try receiveBytes()
        }
    }

    private func receiveBytes() throws(VarlinkClientError) {
        // Taken out while it is used: a span of a property of a class can't be lent.
        var piece: [UInt8] = []
        swap(&piece, &self.piece)
        defer { swap(&piece, &self.piece) }
        let count = recv(descriptor, &piece, piece.count, 0)
        if count < 0, errno == EINTR { return }
        guard count > 0 else { throw .closed }
        bytesReceived += count
        decoder.append(piece.span.extracting(first: count).bytes)
    }

    private func waitForBytes(_ patience: Int) throws(VarlinkClientError) {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var deadline = Self.uptime() + patience
        while true {
            let count = poll(&polled, 1, Int32(clamping: max(0, deadline - Self.uptime())))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw .closed }
            guard count == 0 else { continue }
            try whenSilent()
            deadline = Self.uptime() + patience
        }
    }

    /// Milliseconds that only ever grow.
    private static func uptime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

// MARK: - Calls

extension VarlinkClient {
    /// Makes a call, and waits for the parameters of its one reply.
    public func call(_ call: Call) throws(VarlinkClientError) -> [Value.Field] {
        try send(call)
        return try Self.parameters(of: try receive())
    }

    /// Makes a call without waiting for its reply.
    public func send(_ call: Call) throws(VarlinkClientError) {
        var bytes: [UInt8] = []
        call.write(into: &bytes)
        try send(bytes)
    }

    /// Hands over the parameters of each reply to the call that was sent first, through the last one.
    public func replies(_ take: ([Value.Field]) throws(VarlinkClientError) -> Void) throws(VarlinkClientError) {
        while true {
            let reply = try receive()
            try take(try Self.parameters(of: reply))
            if !reply.continues { return }
        }
    }

    /// What a reply says.
    ///
    /// - Throws: `refused`.
    public static func parameters(of reply: Reply) throws(VarlinkClientError) -> [Value.Field] {
        do { return try reply.get() } catch { throw .refused(error) }
    }
}

// MARK: - The socket

extension VarlinkClient {
    private static func server(of descriptor: Int32) -> (pid: Int32, uid: UInt32)? {
        // The layout of struct ucred, which Glibc shows only to C.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        return (credentials.pid, credentials.uid)
    }

    private static func limitSends(on descriptor: Int32, _ patience: Int?) {
        let milliseconds = patience.map { max($0, 1) } ?? 0
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func connected(to path: String, _ patience: Int?) throws(VarlinkClientError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity else { throw .unreachable(ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .unreachable(errno) }
        limitSends(on: descriptor, patience)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        // The socket calls of C take a pointer to any kind of address.
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard result == 0 else {
            let error = errno
            close(descriptor)
            if error == EAGAIN { throw .timedOut }
            throw .unreachable(error)
        }
        return descriptor
    }
}
