internal import NIOCore
internal import Synchronization
public import Varlink

/// Ends a call, from any thread.
///
/// Only the first end has an effect. If a handle is dropped without an end, its call and all later calls of the connection stay
/// unanswered until the peer disconnects.
public struct ReplyHandle: Sendable {
    let connection: NIOLoopBound<Connection>
    let id: ConnectionState.CallID
    let queue: EventLoopQueue
    public let peer: Peer
    /// Whether the caller accepts several replies.
    public internal(set) var more = false
    private(set) var observer: (@Sendable (CallError?) -> Void)?

    /// Ends the call with a result.
    /// - Parameters:
    ///   - byteCount: memory that the reply occupies until it is encoded.
    ///   - parameters: writes the parameters of the reply as one JSON object; runs on the event loop after all earlier calls
    ///     are answered and there is room.
    public func succeed(byteCount: Int = 0, _ parameters: @escaping @Sendable (inout [UInt8]) -> Void) {
        observer?(nil)
        end(.success(parameters, byteCount: byteCount))
    }

    public func fail(_ error: CallError) {
        observer?(error)
        end(.failure(error))
    }

    /// Answers the call from a task: with several replies if it has `more`, or with a single reply that takes time.
    ///
    /// The body runs in a child task of the server. It is cancelled when the connection closes. When the server stops, it is
    /// cancelled at once for a call with `more`, and at the deadline for any other call. The call ends with the parameters that the
    /// body passes to ``ReplyStream/end(_:)``, or the ``CallError`` that it throws, or empty parameters.
    public func stream(_ body: @escaping @Sendable (ReplyStream) async throws -> Void) {
        let lifetime = StreamLifetime()
        if let connection = startingConnection {
            connection.begin(id, lifetime)
        } else {
            queue.post(.change(connection) { [id] in $0.begin(id, lifetime) })
        }
        guard case .enqueued = queue.jobs.yield(StreamJob(reply: self, lifetime: lifetime, body: body)) else {
            return fail(queue.errors.stopping)
        }
    }

    /// Returns a handle that also reports once how the call ended: with an error, or nil for a result.
    public func noticingEnd(_ notice: @escaping @Sendable (CallError?) -> Void) -> ReplyHandle {
        let end = OneShot<Void>()
        var handle = self
        handle.observer = { error in end.set(()) { notice(error) } }
        return handle
    }

    private func end(_ ending: ConnectionState.Ending) {
        if let connection = startingConnection { connection.end(id, ending) } else { queue.post(.end(connection, id, ending)) }
    }

    /// The connection while it starts calls on this thread; it then writes their replies together.
    private var startingConnection: Connection? {
        queue.eventLoop.inEventLoop && connection.value.isStartingCalls ? connection.value : nil
    }
}

public struct ReplyStream: Sendable {
    let reply: ReplyHandle

    /// The peer has closed its connection, or the server stops.
    public struct Closed: Error, Sendable, Equatable {
        public init() {}
    }

    /// Sends a reply that is not the last; suspends while too much output is pending.
    /// - Throws: ``Closed`` if the connection closes or the server stops, `CancellationError` if the task is
    ///   cancelled, `org.varlink.service.ExpectedMore` for a call without `more`.
    public func send(_ frame: ReplyFrame) async throws { try await wait(toSend: frame, .infinity) }

    /// Waits until the socket has accepted all earlier replies, so that the next reply is encoded only when it can be sent.
    /// - Parameter seconds: time without reading after which the connection is closed.
    /// - Throws: the same errors as `send`.
    public func drained(within seconds: Double) async throws { try await wait(toSend: nil, seconds) }

    private func wait(toSend frame: ReplyFrame?, _ stalledSecondsMax: Double) async throws {
        guard reply.more else { throw CallError.expectedMore }
        try Task.checkCancellation()
        let item = StreamItem(id: reply.id, frame: frame, stalledSecondsMax: stalledSecondsMax)
        let isSent = await withTaskCancellationHandler {
            reply.queue.post(.run { [connection = reply.connection] in $0.add(item, to: connection.value) })
            return await item.isSent.value()
        } onCancel: {
            item.isSent.set(false)
        }
        guard !isSent else { return }
        try Task.checkCancellation()
        throw Closed()
    }

    /// Sends a progress report if the peer has read all earlier replies; otherwise drops it.
    ///
    /// Only the newest report matters, and work must not wait for a slow reader.
    /// - Parameter parameters: writes the parameters as one JSON object; runs on the event loop.
    public func offer(_ parameters: @escaping @Sendable (inout [UInt8]) -> Void) {
        guard reply.more else { return }
        reply.queue.post(.change(reply.connection) { [id = reply.id] in $0.offer(id, parameters) })
    }

    /// Sends the last reply; later replies are ignored, and the closure runs on the event loop.
    public func end(_ parameters: @escaping @Sendable (inout [UInt8]) -> Void) { reply.succeed(parameters) }

    /// Sends the last reply, whose parameters are one JSON object as text.
    public func end(_ parameters: [UInt8]) { reply.succeed(byteCount: parameters.count) { $0 += parameters } }
}

/// An encoded reply that is not the last; all streams that send it share its bytes.
public struct ReplyFrame: Sendable {
    let bytes: ByteBuffer

    /// - Parameter parameters: writes the parameters as one JSON object; runs immediately.
    public init(_ parameters: ConnectionState.Encoder) { bytes = ByteBuffer(bytes: Reply.item(parameters)) }
}

/// A stream that waits until its socket accepts more.
final class StreamItem: Sendable {
    let id: ConnectionState.CallID
    /// The reply to send then; nil if the stream encodes it later.
    let frame: ReplyFrame?
    /// Time without reading after which the connection is closed.
    let stalledSecondsMax: Double
    /// Set to false if the task is cancelled or the connection closes first.
    let isSent = OneShot<Bool>()

    init(id: ConnectionState.CallID, frame: ReplyFrame?, stalledSecondsMax: Double) {
        (self.id, self.frame, self.stalledSecondsMax) = (id, frame, stalledSecondsMax)
    }
}

/// A stream to run as a child task of the server, until its body ends or its lifetime ends.
struct StreamJob: Sendable {
    let reply: ReplyHandle
    let lifetime: StreamLifetime
    let body: @Sendable (ReplyStream) async throws -> Void

    func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await runBody()
                    lifetime.end()
                }
                await lifetime.value()
                group.cancelAll()
            }
        } onCancel: {
            lifetime.end()
        }
    }

    private func runBody() async {
        do {
            try await body(ReplyStream(reply: reply))
            // Has no effect if the body has already sent its last reply.
            reply.succeed { $0 += "{}".utf8 }
        } catch let error as CallError {
            reply.fail(error)
        } catch is CancellationError, is ReplyStream.Closed {
            reply.fail(reply.queue.errors.stopping)
        } catch {
            reply.fail(reply.queue.errors.failed)
        }
    }
}

/// Ends the task of a stream when its connection closes, the server stops or its body returns.
typealias StreamLifetime = OneShot<Void>

extension OneShot<Void> {
    func end() { set(()) }
}

/// A value that is set once and that one task may await.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case unset
        case awaited(CheckedContinuation<Value, Never>)
        case set(Value)
    }

    private let state = Mutex(State.unset)

    var isSet: Bool {
        state.withLock { state in
            if case .set = state { true } else { false }
        }
    }

    /// Sets the value, unless it is set.
    /// - Parameter first: runs before the value is visible.
    func set(_ value: Value, first: () -> Void = {}) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            if case .set = state { return nil }
            first()
            defer { state = .set(value) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: value)
    }

    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if case .set(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
