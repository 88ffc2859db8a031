internal import NIOCore
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
    ///
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
        if let connection = startingConnection {
            connection.end(id, ending)
        } else {
            queue.post(.end(connection, id, ending))
        }
    }

    /// The connection while it starts calls on this thread; it then writes their replies together.
    private var startingConnection: Connection? {
        queue.eventLoop.inEventLoop && connection.value.isStartingCalls ? connection.value : nil
    }
}
