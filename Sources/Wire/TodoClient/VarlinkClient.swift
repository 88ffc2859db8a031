import Glibc
public import TodoAPI
public import Varlink

/// A blocking connection to a Varlink service that receives replies in the order of the calls.
///
/// It never retries a call and never reconnects, because only the caller knows whether repeating a call is safe. Only calls that a service
/// refuses because its interfaces have another prefix are sent again, with its names (``NameTranslation``).
public final class VarlinkClient {
    /// Maximum size of a reply in bytes, without its NUL; no service should send more.
    public static let replyBytesMax = 64 << 20

    /// The socket, for `poll`.
    public let descriptor: Int32
    /// Process ID of the listener.
    public let serverPID: Int32

    /// Timeout in milliseconds for each read and write; `nil` for no timeout.
    public var patience: Int? { didSet { Self.limitSends(on: descriptor, patience) } }
    /// Called when nothing was received for `patience`; returns to keep waiting, or throws.
    public var whenSilent: () throws(VarlinkClientError) -> Void = { () throws(VarlinkClientError) in throw .timedOut }
    public private(set) var bytesReceived = 0
    /// Bytes of calls that the socket has not accepted yet.
    public private(set) var unsent: ArraySlice<UInt8> = []
    private var translation = NameTranslation()
    public var names: InterfaceNames { translation.names }
    private var decoder = FrameDecoder(frameBytesMax: replyBytesMax)
    /// Replies taken from `decoder` while the names were unknown.
    private var replies: [[UInt8]] = []
    private var piece = [UInt8](repeating: 0, count: 65_536)

    /// Connects to a Unix stream socket.
    /// - Parameter trust: checks the user ID of the listener before anything is sent, and throws to reject it. For a socket that
    ///   systemd opened, this is the user that runs systemd.
    /// - Throws: `unreachable`, `timedOut` if the service does not accept the connection within `patience`, or the error of `trust`.
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

    public func call<M: Method>(_ method: M.Type, _ input: M.Input) throws(VarlinkClientError) -> M.Output {
        try send(M.frame(input))
        return try M.output(Self.parameters(of: try receive()))
    }

    public func call<M: Method>(_ method: M.Type) throws(VarlinkClientError) -> M.Output where M.Input == NoFields {
        try call(method, NoFields())
    }

    /// Makes a call with `more` and passes each reply to `take`, including the last one.
    public func stream<M: Method>(
        _ method: M.Type, _ input: M.Input, _ take: (M.Output) throws(VarlinkClientError) -> Void
    ) throws(VarlinkClientError) {
        try send(M.frame(input, more: true))
        try replies { parameters throws(VarlinkClientError) in try take(try M.output(parameters)) }
    }
}

// MARK: - Bytes and frames

extension VarlinkClient {
    /// Sends encoded calls, each with its NUL; returns normally if the server has closed the connection after a reply.
    public func send(_ bytes: [UInt8]) throws(VarlinkClientError) {
        unsent += translation.send(bytes)
        try flush()
    }

    /// Sends as many of the unsent bytes and of these calls as the socket accepts without blocking.
    public func sendAvailable(_ bytes: [UInt8] = []) throws(VarlinkClientError) {
        unsent += translation.send(bytes)
        try flush(MSG_DONTWAIT)
    }

    private func flush(_ flag: Int = 0) throws(VarlinkClientError) {
        while !unsent.isEmpty {
            let flags = Int32(MSG_NOSIGNAL | flag)
            let count = unsent.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
            switch (count, errno) {
            case (0..., _): unsent = unsent.dropFirst(count)
            case (_, EINTR): continue
            case (_, EAGAIN) where flag != 0: return
            case (_, EAGAIN): try whenSilent()
            case _ where flag != 0: throw .closed
            default:
                unsent = []
                while !hasReply { try receiveBytes() }
            }
        }
    }

    public func receive() throws(VarlinkClientError) -> Reply {
        let reply = try next { frame in Result { () throws(CallError) in try Reply(parsing: frame) } }
        do {
            return try reply.get()
        } catch {
            throw .notVarlink(error.parameters.first?.value.text ?? "its reply can't be read")
        }
    }

    public func receiveFrame() throws(VarlinkClientError) -> [UInt8] {
        try next { frame in frame.bytes.withUnsafeBytes { Array($0) } }
    }

    public var hasReply: Bool {
        // The next read reports a reply that is too long.
        do { return try !replies.isEmpty || decoder.nextBytes() != nil } catch { return true }
    }

    /// Reads the available bytes; call it only after `poll` has reported some, otherwise it blocks.
    public func receiveAvailable() throws(VarlinkClientError) { try receiveBytes() }

    private func next<Value>(_ read: (Span<UInt8>) -> Value) throws(VarlinkClientError) -> Value {
        while true {
            do {
                if replies.isEmpty, translation.isIdentity {
                    if let value = try decoder.next(read) { return value }
                } else if let frame = try replies.isEmpty ? decoder.take() : replies.removeFirst() {
                    let reply = translation.translated(reply: frame)
                    return read(reply.span)
                }
            } catch {
                throw .notVarlink("a reply has more than \(error.frameBytesMax) bytes")
            }
            try flush()
            if let patience { try waitForBytes(patience) }
            try receiveBytes()
        }
    }

    private func receiveBytes() throws(VarlinkClientError) {
        // Moved out during the call, because a span of a class property can't be borrowed.
        var piece: [UInt8] = []
        swap(&piece, &self.piece)
        defer { swap(&piece, &self.piece) }
        let count = recv(descriptor, &piece, piece.count, 0)
        if count < 0, errno == EINTR { return }
        guard count > 0 else { throw .closed }
        bytesReceived += count
        decoder.append(piece.span.extracting(first: count).bytes)
        // A frame that is too long is reported when it is read.
        while !translation.isComplete, let frame = try? decoder.take() {
            let received = translation.receive(frame)
            replies += received.replies
            unsent += received.calls
        }
        try flush(MSG_DONTWAIT)
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

    private static func uptime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

// MARK: - Calls

extension VarlinkClient {
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

    /// Passes the parameters of each reply to the oldest call to `take`, including the last one.
    public func replies(_ take: ([Value.Field]) throws(VarlinkClientError) -> Void) throws(VarlinkClientError) {
        while true {
            let reply = try receive()
            try take(try Self.parameters(of: reply))
            if !reply.continues { return }
        }
    }

    /// Returns the parameters of a successful reply; throws `refused` for an error reply.
    public static func parameters(of reply: Reply) throws(VarlinkClientError) -> [Value.Field] {
        do { return try reply.get() } catch { throw .refused(error) }
    }
}

// MARK: - The socket

extension VarlinkClient {
    private static func server(of descriptor: Int32) -> (pid: Int32, uid: UInt32)? {
        // The layout of C's struct ucred, which Glibc does not export to Swift.
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
        // connect(2) takes a pointer to a generic sockaddr.
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

extension Method {
    /// Encodes a call as a frame, including its NUL, without building a `Value` tree.
    public static func frame(_ input: Input, more: Bool = false) -> [UInt8] {
        var parameters: [UInt8] = []
        input.write(into: &parameters)
        return Call.frame(name, parameters: parameters, more: more)
    }

    /// Decodes the parameters of a reply, without unknown fields of a newer service; throws `unexpected`.
    public static func output(_ parameters: [Value.Field]) throws(VarlinkClientError) -> Output {
        do { return try Output(output: parameters) } catch { throw .unexpected(error.message) }
    }
}

/// Why a call has no usable reply.
public enum VarlinkClientError: Error, Sendable, Equatable {
    /// The connection failed with this `errno`.
    case unreachable(Int32)
    /// The listener is not trusted; the text names it and the remedy.
    case untrusted(String)
    case closed
    case timedOut
    /// The received bytes are not a valid Varlink reply; the text gives the reason.
    case notVarlink(String)
    case refused(CallError)
    /// The reply doesn't match the interface; the text names the field.
    case unexpected(String)
}
