import Dispatch
import Synchronization

/// Sends requests over libcurl: HTTP/1.1 with or without TLS, without proxies, cookies, redirects or compression.
///
/// All clients of the process share one thread and its connections. Nothing blocks the thread of an async caller.
public final class HTTPClient: Sendable {
    private let hasSent = Atomic(false)
    private let isStopped = Atomic(false)

    public init() {}

    deinit { stop() }

    /// Sends a request and suspends until the head of its response has arrived.
    ///
    /// Cancelling the task ends the transfer.
    public func response(to request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        let exchange = try start(request, isStreamed: true)
        await exchange.wait(for: .head)
        return HTTPResponse(try exchange.head(), exchange)
    }

    /// Starts a request whose response is kept until it is complete.
    ///
    /// It goes on if the task is cancelled.
    public func call(_ request: HTTPRequest) throws(HTTPError) -> HTTPCall {
        HTTPCall(try start(request, isStreamed: false))
    }

    /// Ends all requests of this client with an error, and refuses later ones.
    public func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        // A client that sent nothing does not load the library.
        if hasSent.load(ordering: .relaxed) { TransferThread.shared?.send(.stop(ObjectIdentifier(self))) }
    }

    private func start(_ request: HTTPRequest, isStreamed: Bool) throws(HTTPError) -> Exchange {
        guard !isStopped.load(ordering: .relaxed) else { throw HTTPError(.stopped, mayHaveBeenSent: false) }
        guard let thread = TransferThread.shared else { throw HTTPError(.missingLibrary, mayHaveBeenSent: false) }
        hasSent.store(true, ordering: .relaxed)
        let exchange = Exchange(request, of: ObjectIdentifier(self), isStreamed: isStreamed)
        thread.send(.start(exchange))
        return exchange
    }
}

public struct HTTPHead: Sendable {
    /// Numeric address of the server.
    public var address: String
    public var status: Int
    public var headers: [(name: String, value: String)]

    /// The value of the first header with a name, which is compared without case.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}

/// A complete response.
public struct HTTPAnswer: Sendable {
    public var head: HTTPHead
    public var body: [UInt8]
}

/// A response whose body is read while it arrives.
///
/// Releasing it ends the transfer.
public final class HTTPResponse: Sendable {
    public let head: HTTPHead
    private let exchange: Exchange

    init(_ head: HTTPHead, _ exchange: Exchange) { (self.head, self.exchange) = (head, exchange) }

    deinit { exchange.cancel() }

    /// The next bytes of the body; `nil` at its end.
    public func piece() async throws(HTTPError) -> [UInt8]? {
        await exchange.wait(for: .bytes)
        return try exchange.takeBytes()
    }
}

/// A request whose response is not complete yet.
public struct HTTPCall: Sendable {
    private let exchange: Exchange

    init(_ exchange: Exchange) { self.exchange = exchange }

    /// Blocks the calling thread until the response is complete.
    @available(*, noasync, message: "it blocks the thread")
    public func wait() throws(HTTPError) -> HTTPAnswer {
        let isOver = DispatchSemaphore(value: 0)
        exchange.wait(for: .end) { isOver.signal() }
        isOver.wait()
        return try exchange.answer()
    }

    /// Suspends until the response is complete, also if the task is cancelled.
    public func answer() async throws(HTTPError) -> HTTPAnswer {
        await withCheckedContinuation { continuation in exchange.wait(for: .end) { continuation.resume() } }
        return try exchange.answer()
    }
}
