internal import NIOCore
internal import Synchronization
public import Varlink

/// How a call is ended: exactly once, from any thread.
///
/// What is said after the first end is ignored.
/// A handle that is dropped without an end leaves its call, and those behind it, without a reply until the peer leaves.
public struct ReplyHandle: Sendable {
    let connection: NIOLoopBound<Connection>
    let id: ConnectionState.CallID
    let mailbox: Mailbox
    let jobs: StreamJobs

    public let peer: Peer
    /// Whether the caller takes a stream of replies.
    public private(set) var more: Bool
    var observer: EndObserver?

    /// Ends the call with a result.
    ///
    /// - Parameters:
    ///   - byteCount: what the reply holds in memory until its turn comes.
    ///   - parameters: writes the parameters of the reply, one JSON object; runs on the event loop when it is the
    ///     call's turn and there is room.
    public func succeed(byteCount: Int = 0, _ parameters: @escaping @Sendable (inout [UInt8]) -> Void) {
        end(.success(parameters, byteCount: byteCount))
    }

    /// Ends the call with an error.
    public func fail(_ error: CallError) {
        end(.failure(error))
    }

    /// Answers the call from a task: with several replies if it has `more`, or with one that has to be waited for.
    ///
    /// The body is a child task of the server's. It is cancelled when the connection closes; when the server stops, at
    /// once for a call with `more` and at the deadline for any other. The call ends with what the body passes to
    /// ``ReplyStream/end(_:)``, else with the ``CallError`` that it throws, else with empty parameters.
    public func stream(_ body: @escaping @Sendable (ReplyStream) async throws -> Void) {
        let lifetime = StreamLifetime()
        if mailbox.eventLoop.inEventLoop, connection.value.isStartingCalls {
            connection.value.begin(id, lifetime)
        } else {
            mailbox.post(.begin(connection, id, lifetime))
        }
        jobs.add(StreamJob(reply: self, lifetime: lifetime, body: body))
    }

    /// The same handle, which also tells once how the call was ended: with an error, or nil for a result.
    public func noticingEnd(_ notice: @escaping @Sendable (CallError?) -> Void) -> ReplyHandle {
        var handle = self
        handle.observer = EndObserver(notice)
        return handle
    }

    /// The same handle for a call of which it is known only now whether it takes a stream.
    func taking(more: Bool) -> ReplyHandle {
        var handle = self
        handle.more = more
        return handle
    }

    private func end(_ ending: Mailbox.Ending) {
        observer?.tell(ending)
        // The way of an answer that is known at once: the connection is at work and will write it with the others.
        if mailbox.eventLoop.inEventLoop, connection.value.isStartingCalls {
            connection.value.end(id, ending)
        } else {
            mailbox.post(.end(connection, id, ending))
        }
    }
}

/// Tells of the first end of a call.
final class EndObserver: Sendable {
    private let notice: @Sendable (CallError?) -> Void
    private let isTold = Atomic<Bool>(false)

    init(_ notice: @escaping @Sendable (CallError?) -> Void) { self.notice = notice }

    func tell(_ ending: Mailbox.Ending) {
        guard !isTold.exchange(true, ordering: .relaxed) else { return }
        switch ending {
        case .success: notice(nil)
        case .failure(let error): notice(error)
        }
    }
}
