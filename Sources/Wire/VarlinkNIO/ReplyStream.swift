internal import NIOCore
internal import Synchronization
public import Varlink

/// The replies of one call, as its body sends them.
public struct ReplyStream: Sendable {
    let reply: ReplyHandle

    /// The peer has closed its connection, or the server stops.
    public struct Closed: Error, Sendable, Equatable {
        /// Says that nobody reads any more.
        public init() {}
    }

    /// Sends a reply that another follows; suspends while the peer has too much to read.
    ///
    /// - Parameter parameters: writes the parameters, one JSON object; runs at once, so that the event loop encodes nothing.
    /// - Throws: ``Closed`` when the connection closes or the server stops, `CancellationError` when the task is
    ///   cancelled, `org.varlink.service.ExpectedMore` for a call without `more`.
    public func send(_ parameters: ConnectionState.Encoder) async throws {
        guard reply.more else { throw CallError.expectedMore }
        try await send(ReplyFrame(parameters))
    }

    /// Sends an encoded reply that is not the last; suspends while too much output is pending.
    ///
    /// - Throws: as the other `send`.
    public func send(_ frame: ReplyFrame) async throws {
        try await wait(toSend: frame, .infinity)
    }

    /// Waits until the socket has accepted all earlier replies, so that the next reply is encoded only when it can be sent.
    ///
    /// - Parameter seconds: time without reading after which the connection is closed.
    /// - Throws: as `send`.
    public func drained(within seconds: Double) async throws {
        try await wait(toSend: nil, seconds)
    }

    private func wait(toSend frame: ReplyFrame?, _ stalledSecondsMax: Double) async throws {
        guard reply.more else { throw CallError.expectedMore }
        try Task.checkCancellation()
        let withdrawn = Withdrawal()
        let isSent = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let item = StreamItem(
                    id: reply.id, frame: frame, stalledSecondsMax: stalledSecondsMax, withdrawal: withdrawn,
                    continuation: continuation)
                reply.mailbox.post(.item(reply.connection, item))
            }
        } onCancel: {
            withdrawn.isWithdrawn.store(true, ordering: .releasing)
            // Should this letter come before the item's, the item is found withdrawn when it is delivered.
            reply.mailbox.post(.withdraw(reply.connection, withdrawn))
        }
        guard !isSent else { return }
        try Task.checkCancellation()
        throw Closed()
    }

    /// Sends a reply that another follows; suspends while the peer has too much to read.
    ///
    /// - Parameter parameters: one JSON object as text.
    /// - Throws: as the other `send`.
    public func send(_ parameters: [UInt8]) async throws {
        try await send { $0 += parameters }
    }

    /// Sends a reply that another follows if the peer has read all that came before, and otherwise drops it.
    ///
    /// For what only tells how far a call is: of that the newest counts, and work must not wait for whoever looks on.
    ///
    /// - Parameter parameters: writes the parameters, one JSON object; runs on the event loop.
    public func offer(_ parameters: @escaping @Sendable (inout [UInt8]) -> Void) {
        guard reply.more else { return }
        reply.mailbox.post(.offer(reply.connection, reply.id, parameters))
    }

    /// Sends the last reply.
    ///
    /// What is sent after it is not.
    ///
    /// - Parameter parameters: writes the parameters, one JSON object; runs on the event loop.
    public func end(_ parameters: @escaping @Sendable (inout [UInt8]) -> Void) {
        reply.succeed(parameters)
    }

    /// Sends the last reply.
    ///
    /// What is sent after it is not.
    ///
    /// - Parameter parameters: one JSON object as text.
    public func end(_ parameters: [UInt8]) {
        reply.succeed(byteCount: parameters.count) { $0 += parameters }
    }
}

/// An encoded reply that is not the last; all streams that send it share its bytes.
public struct ReplyFrame: Sendable {
    let bytes: ByteBuffer

    /// Encodes a reply.
    ///
    /// - Parameter parameters: writes the parameters, one JSON object.
    public init(_ parameters: ConnectionState.Encoder) {
        bytes = ByteBuffer(bytes: Reply.item(parameters))
    }

    var byteCount: Int { bytes.readableBytes }
}

/// A stream that waits until its socket accepts more.
struct StreamItem: Sendable {
    let id: ConnectionState.CallID
    /// The reply to send then; `nil` if the stream encodes it later.
    let frame: ReplyFrame?
    /// Time without reading after which the connection is closed.
    let stalledSecondsMax: Double
    let withdrawal: Withdrawal
    /// Resumed once; `false` if the connection closes first.
    let continuation: CheckedContinuation<Bool, Never>
}

/// Whether the task that sends an item was cancelled meanwhile.
final class Withdrawal: Sendable {
    let isWithdrawn = Atomic<Bool>(false)
}
