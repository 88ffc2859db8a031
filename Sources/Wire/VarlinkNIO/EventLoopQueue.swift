internal import NIOCore
internal import Synchronization
internal import Varlink

/// Queues messages of other threads for the event loop, which takes them in batches.
///
/// Each wake-up of the loop is a system call, so only the first message of a batch causes one.
final class EventLoopQueue: Sendable {
    /// Work for the event loop; the end of a call allocates nothing, because it is the most frequent.
    enum Message: Sendable {
        case end(NIOLoopBound<Connection>, ConnectionState.CallID, ConnectionState.Ending)
        /// Changes a connection, in order with the ends of its calls.
        case change(NIOLoopBound<Connection>, @Sendable (Connection) -> Void)
        /// Runs after the replies to calls, because it may take long.
        case run(@Sendable (ServerLoop) -> Void)
    }

    private struct Contents {
        var loop: NIOLoopBoundBox<ServerLoop>?
        var messages: [Message] = []
        var isScheduled = false
    }

    let eventLoop: any EventLoop
    let errors: VarlinkErrors
    private let contents = Mutex(Contents())
    /// The streams, which run as child tasks of the server.
    let jobs: AsyncStream<StreamJob>.Continuation

    init(_ eventLoop: any EventLoop, jobs: AsyncStream<StreamJob>.Continuation, errors: VarlinkErrors) {
        (self.eventLoop, self.jobs, self.errors) = (eventLoop, jobs, errors)
    }

    func open(_ loop: NIOLoopBoundBox<ServerLoop>) { contents.withLock { $0.loop = loop } }

    func post(_ message: Message) {
        let mustSchedule = contents.withLock { contents in
            // The event loop may already be shut down.
            guard contents.loop != nil else { return false }
            contents.messages.append(message)
            defer { contents.isScheduled = true }
            return !contents.isScheduled
        }
        if mustSchedule { eventLoop.execute { self.drain() } }
    }

    /// Releases the loop; later messages are dropped.
    func close() {
        // Released outside the lock, because a message may hold the last reference to an object that posts when it is freed.
        _ = contents.withLock { contents in
            defer { contents = Contents() }
            return contents
        }
    }

    private func drain() {
        let loop = contents.withLock { contents in
            contents.isScheduled = false
            if let loop = contents.loop { swap(&loop.value.messages, &contents.messages) }
            return contents.loop
        }
        loop?.value.deliver()
    }
}
