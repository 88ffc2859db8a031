import CCurl
import CMachine

/// A request on its way: curl's handle, and the memory that it refers to.
///
/// Used on the transfer thread alone.
final class Transfer {
    let exchange: Exchange
    let handle: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// The decisions about the addresses tried so far.
    private var permissions: Set<Bool> = []
    /// curl asks for the body only once there is a connection.
    private(set) var mayHaveBeenSent = false
    /// Connections that had been made then.
    private var connectsWhenSent = 0
    private var bytesSent = 0
    private var head = HTTPHead(address: "", status: 0, headers: [])
    private var headBytes = 0
    private var isHeadComplete = false
    private var bodyBytes = 0
    private var isTooLarge = false
    private let start = monotonic_nanoseconds()
    /// When bytes were last sent or received.
    private var lastSign: UInt64

    private static let headBytesMax = 64 << 10
    /// Bytes of a request that may be on their way unnoticed, and how many of them a slow line carries in a second.
    private static let unsentBytesMax = 16 << 10
    private static let onTheWayBytesMax = 64 << 10
    private static let bytesPerSecondMin = 64 << 10
    /// Middleboxes forget connections that are idle for longer.
    private static let idleSecondsMax = 60

    init?(_ exchange: Exchange, on multi: UnsafeMutableRawPointer) {
        guard let handle = ccurl_easy_init() else {
            message.deallocate()
            return nil
        }
        (self.exchange, self.handle, self.multi) = (exchange, handle, multi)
        lastSign = start
        message.pointee = 0
        setTransport(exchange.request)
        setRequest(exchange.request)
        setCallbacks()
        ccurl_multi_add_handle(multi, handle)
    }

    /// Ends the transfer.
    ///
    /// The connection is closed unless the response is complete.
    func end(_ error: HTTPError?) {
        ccurl_multi_remove_handle(multi, handle)
        ccurl_easy_cleanup(handle)
        ccurl_slist_free_all(headers)
        message.deallocate()
        exchange.end(error)
    }

    func resume() {
        lastSign = monotonic_nanoseconds()
        exchange.unpause()
        ccurl_easy_pause(handle, CURLPAUSE_CONT)
    }

    func error(_ code: CURLcode) -> HTTPError? {
        guard code != CURLE_OK else { return nil }
        if permissions == [false] { return HTTPError(.forbidden, mayHaveBeenSent: false) }
        if isTooLarge { return HTTPError(.bodyTooLarge, mayHaveBeenSent: true) }
        // Only the first request on a connection can meet the server's verdict on the client's certificate.
        let isFirst = ccurl_number(handle, CURLINFO_NUM_CONNECTS) > 0
        var reason = HTTPError.Reason(
            code, systemError: CInt(ccurl_number(handle, CURLINFO_OS_ERRNO)),
            verification: ccurl_number(handle, CURLINFO_SSL_VERIFYRESULT),
            alert: isFirst ? HTTPError.Reason.alert(in: String(cString: message)) : nil)
        // A reused connection turned out to be closed. The request was not sent on a second one, however connecting to it failed.
        if mayHaveBeenSent {
            switch reason {
            case .unknownHost, .unreachable, .connectTimeout, .other(CURLE_ABORTED_BY_CALLBACK.rawValue): reason = .closed
            default: if ccurl_number(handle, CURLINFO_NUM_CONNECTS) > connectsWhenSent { reason = .closed }
            }
        }
        return HTTPError(reason, mayHaveBeenSent: mayHaveBeenSent)
    }

    // MARK: Timeouts

    /// When the transfer is to be looked at again, on the monotonic clock.
    var deadline: UInt64 {
        let timeouts = exchange.request.timeouts
        var deadline = timeouts.total.map { start + $0.wholeNanoseconds } ?? .max
        if !mayHaveBeenSent {
            deadline = min(deadline, start + timeouts.connect.wholeNanoseconds)
        } else if let silence = timeouts.silence, !exchange.isPaused {
            let onTheWay = isHeadComplete ? 0 : min(bytesSent, Self.onTheWayBytesMax)
            deadline = min(
                deadline, lastSign + silence.wholeNanoseconds + UInt64(onTheWay) * 1_000_000_000 / UInt64(Self.bytesPerSecondMin))
        }
        return deadline
    }

    func overdue(at now: UInt64) -> HTTPError.Reason? {
        guard now >= deadline else { return nil }
        let isOver = exchange.request.timeouts.total.map { now >= start + $0.wholeNanoseconds } ?? false
        return mayHaveBeenSent || isOver ? .timeout : .connectTimeout
    }

    // MARK: Options

    private func setTransport(_ request: HTTPRequest) {
        ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        ccurl_set_number(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // An empty proxy also disables those of the environment.
        ccurl_set_text(handle, CURLOPT_PROXY, "")
        ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        ccurl_set_number(handle, CURLOPT_MAXAGE_CONN, Self.idleSecondsMax)
        ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(request.timeouts.connect.wholeNanoseconds / 1_000_000) + 1)
        // Otherwise the end of a transfer would wait for the thread that looks up its host.
        ccurl_set_number(handle, CURLOPT_QUICK_EXIT, 1)
        if request.permits != nil {
            ccurl_set_number(handle, CURLOPT_FRESH_CONNECT, 1)
            ccurl_set_number(handle, CURLOPT_FORBID_REUSE, 1)
        }
        request.certificates.set(on: handle)
    }

    private func setRequest(_ request: HTTPRequest) {
        ccurl_set_text(handle, CURLOPT_URL, request.url)
        ccurl_set_number(handle, CURLOPT_PATH_AS_IS, 1)
        var lines = request.headers.map { "\($0.name): \($0.value)" }
        // An empty value keeps curl from sending its own.
        for name in ["Accept", "Expect"] where !request.headers.contains(where: { $0.name.lowercased() == name.lowercased() }) {
            lines.append("\(name):")
        }
        if let body = request.body {
            ccurl_set_number(handle, CURLOPT_POST, 1)
            ccurl_set_number(handle, CURLOPT_POSTFIELDSIZE, body.count)
        } else if request.method == .put {
            lines.append("Content-Length: 0")
        }
        if request.method != (request.body == nil ? .get : .post) {
            ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
        for line in lines { headers = ccurl_slist_append(headers, line) ?? headers }
        ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, headers)
    }

    private func setCallbacks() {
        let own = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, message)
        ccurl_set_pointer(handle, CURLOPT_PREREQDATA, own)
        ccurl_set_prerequest(handle) { argument, address, _, _, _ in
            Transfer.of(argument).noteConnection(address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        ccurl_set_number(handle, CURLOPT_UPLOAD_BUFFERSIZE, Self.unsentBytesMax)
        ccurl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, own)
        ccurl_set_open_socket(handle) { argument, _, address in
            guard let address, Transfer.of(argument).permits(address) else { return CURL_SOCKET_BAD }
            return ccurl_socket(address, CInt(Transfer.unsentBytesMax))
        }
        ccurl_set_pointer(handle, CURLOPT_HEADERDATA, own)
        ccurl_set_transfer(handle, CURLOPT_HEADERFUNCTION) { bytes, _, count, argument in
            Transfer.of(argument).read(header: UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
        }
        ccurl_set_pointer(handle, CURLOPT_WRITEDATA, own)
        ccurl_set_transfer(handle, CURLOPT_WRITEFUNCTION) { bytes, _, count, argument in
            Transfer.of(argument).read(body: UnsafeRawBufferPointer(start: bytes, count: count))
        }
        ccurl_set_pointer(handle, CURLOPT_READDATA, own)
        ccurl_set_transfer(handle, CURLOPT_READFUNCTION) { bytes, _, count, argument in
            Transfer.of(argument).write(to: UnsafeMutableRawBufferPointer(start: bytes, count: count))
        }
    }

    private static func of(_ argument: UnsafeMutableRawPointer?) -> Transfer {
        guard let argument else { preconditionFailure("curl lost the transfer") }
        return Unmanaged<Transfer>.fromOpaque(argument).takeUnretainedValue()
    }

    // MARK: Callbacks

    private func permits(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
        let isPermitted = exchange.request.permits?(String(cString: ccurl_numeric(address))) ?? true
        permissions.insert(isPermitted)
        return isPermitted
    }

    /// Returns whether the request may be sent.
    ///
    /// curl sends it again if a kept connection turns out to be closed. The server may have executed the first one, so a body is never
    /// sent twice.
    private func noteConnection(_ address: UnsafePointer<CChar>?) -> Bool {
        defer { (mayHaveBeenSent, lastSign) = (true, monotonic_nanoseconds()) }
        head.address = address.map { String(cString: $0) } ?? ""
        if !mayHaveBeenSent { connectsWhenSent = ccurl_number(handle, CURLINFO_NUM_CONNECTS) }
        return !mayHaveBeenSent || exchange.request.body == nil
    }

    private func write(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        lastSign = monotonic_nanoseconds()
        guard let body = exchange.request.body else { return 0 }
        let count = min(buffer.count, body.count - bytesSent)
        body.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[bytesSent..<(bytesSent + count)])) }
        bytesSent += count
        return count
    }

    /// Reads a line of the head.
    ///
    /// Lines after the body are ignored.
    private func read(header line: UnsafeRawBufferPointer) -> Bool {
        lastSign = monotonic_nanoseconds()
        headBytes += line.count
        guard headBytes <= Self.headBytesMax else { return false }
        guard !isHeadComplete else { return true }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            head.headers = []
        } else if text == "\r\n" || text == "\n" {
            head.status = ccurl_number(handle, CURLINFO_RESPONSE_CODE)
            // Interim responses precede the final one.
            guard head.status >= 200 else { return true }
            // curl would unpack it, to any size.
            guard ["", "chunked"].contains(head.header("transfer-encoding")?.lowercased() ?? "") else { return false }
            isHeadComplete = true
            exchange.receive(head)
        } else if let colon = text.firstIndex(of: ":") {
            head.headers.append((String(text[..<colon]), text[text.index(after: colon)...].trimmed))
        }
        return true
    }

    private func read(body piece: UnsafeRawBufferPointer) -> Int {
        lastSign = monotonic_nanoseconds()
        isTooLarge = bodyBytes + piece.count > exchange.request.bodyBytesMax
        guard !isTooLarge else { return Int(CURL_WRITEFUNC_ERROR) }
        guard exchange.receive(piece) else { return Int(CURL_WRITEFUNC_PAUSE) }
        bodyBytes += piece.count
        return piece.count
    }
}

extension Duration {
    fileprivate var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(seconds, 0)) * 1_000_000_000 + UInt64(max(attoseconds, 0)) / 1_000_000_000
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let rest = drop { $0.isWhitespace }
        return String(rest[..<(rest.lastIndex { !$0.isWhitespace }.map(rest.index(after:)) ?? rest.startIndex)])
    }
}
