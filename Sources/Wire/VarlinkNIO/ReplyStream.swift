internal import Synchronization
internal import Varlink

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
    /// - Parameter parameters: writes the parameters, one JSON object; runs on the event loop when there is room.
    /// - Throws: ``Closed`` when the connection closes or the server stops, `CancellationError` when the task is
    ///   cancelled, `org.varlink.service.ExpectedMore` for a call without `more`.
    public func send(_ parameters: @escaping @Sendable (inout [UInt8]) -> Void) async throws {
        guard reply.more else { throw CallError.expectedMore }
        try Task.checkCancellation()
        let withdrawn = Withdrawal()
        let isSent = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let item = StreamItem(id: reply.id, parameters: parameters, withdrawal: withdrawn, continuation: continuation)
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
        reply.succeed { $0 += parameters }
    }
}

/// A reply that waits for its turn, and whoever waits for it.
struct StreamItem: Sendable {
    let id: ConnectionState.CallID
    let parameters: ConnectionState.Encoder
    let withdrawal: Withdrawal
    /// Told whether the item was sent, once.
    let continuation: CheckedContinuation<Bool, Never>
}

/// Whether the task that sends an item was cancelled meanwhile.
final class Withdrawal: Sendable {
    let isWithdrawn = Atomic<Bool>(false)
}
