internal import NIOCore
public import Varlink

/// Sends the replies of one call.
public struct ReplyStream: Sendable {
    let reply: ReplyHandle

    /// The peer has closed its connection, or the server stops.
    public struct Closed: Error, Sendable, Equatable {
        public init() {}
    }

    /// Sends a reply that is not the last; suspends while too much output is pending.
    ///
    /// - Throws: ``Closed`` if the connection closes or the server stops, `CancellationError` if the task is
    ///   cancelled, `org.varlink.service.ExpectedMore` for a call without `more`.
    public func send(_ frame: ReplyFrame) async throws { try await wait(toSend: frame, .infinity) }

    /// Waits until the socket has accepted all earlier replies, so that the next reply is encoded only when it can be sent.
    ///
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
    ///
    /// - Parameter parameters: writes the parameters as one JSON object; runs on the event loop.
    public func offer(_ parameters: @escaping @Sendable (inout [UInt8]) -> Void) {
        guard reply.more else { return }
        reply.queue.post(.change(reply.connection) { [id = reply.id] in $0.offer(id, parameters) })
    }

    /// Sends the last reply; later replies are ignored.
    ///
    /// - Parameter parameters: writes the parameters as one JSON object; runs on the event loop.
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
