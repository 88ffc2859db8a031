internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization
public import Varlink

/// A Varlink server on Unix sockets, with one event loop thread and one thread that parses large calls.
///
/// The handler never sees calls to `org.varlink.service` or calls that don't match their method description.
public final class VarlinkServer: Sendable {
    /// Maximum number of connections waiting to be accepted; the kernel limit may be lower.
    private static let backlog: Int32 = 4_096
    let handler: any VarlinkHandler
    let service: ServiceDescription
    let errors: VarlinkErrors
    let limits: VarlinkLimits
    let counts = Mutex(VarlinkCounters())
    private let control = Mutex<(queue: EventLoopQueue?, isStopped: Bool)>((nil, false))

    public init(
        handler: any VarlinkHandler, service: ServiceDescription, errors: VarlinkErrors, limits: VarlinkLimits = VarlinkLimits()
    ) { (self.handler, self.service, self.errors, self.limits) = (handler, service, errors, limits) }

    public var counters: VarlinkCounters { counts.withLock { $0 } }

    /// Serves until the server is stopped, its task is cancelled, or all of its inherited connections are closed.
    ///
    /// Call it only once.
    /// - Parameters:
    ///   - sockets: the descriptors of sockets that listen or are connected; the server closes them.
    ///   - ready: called when the sockets accept connections.
    /// - Throws: the socket that could not be opened, and the reason.
    public func run(on sockets: [Int32], ready: @Sendable () async -> Void = {}) async throws(VarlinkServerError) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let result: Result<Void, VarlinkServerError>
        do throws(VarlinkServerError) {
            result = .success(try await serve(sockets, ready, on: group.next(), reader: group.next()))
        } catch {
            result = .failure(error)
        }
        control.withLock { $0 = (nil, true) }
        // Fails only if the group was already shut down.
        try? await group.shutdownGracefully()
        try result.get()
    }

    /// Stops the server: refuses new connections and calls, ends streams with an error and answers running calls.
    ///
    /// After the timeout, remaining connections are closed. A second call may shorten the timeout.
    public func stop(within time: Duration) {
        let queue = control.withLock { control in
            control.isStopped = true
            return control.queue
        }
        queue?.post(.run { $0.stop(within: TimeAmount(time)) })
    }

    /// Replaces the handler for future calls with one for the same interfaces.
    ///
    /// Running calls end with the old handler. Connections of peers that the new handler refuses are closed. Has no effect if the
    /// server is not running.
    public func replaceHandler(with handler: any VarlinkHandler) { queue?.post(.run { $0.replace(handler) }) }

    /// Passes the connections to a closure on the event loop; an empty array at once if the server is not running.
    public func listClients(_ report: @escaping @Sendable ([ConnectionStatus]) -> Void) {
        if let queue { queue.post(.run { report($0.clients) }) } else { report([]) }
    }

    /// Returns when the event loop has run a task; at once if the server is not running.
    public func probe() async {
        // Fails if the loop was shut down concurrently; then there is nothing to probe.
        try? await queue?.eventLoop.submit {}.get()
    }

    private var queue: EventLoopQueue? { control.withLock { $0.queue } }

    private func serve(
        _ sockets: [Int32], _ ready: @Sendable () async -> Void, on eventLoop: any EventLoop, reader: any EventLoop
    ) async throws(VarlinkServerError) {
        // One job for each running call at most.
        let jobsMax = limits.connectionsMax * limits.connection.pipelinedCallsMax
        let (jobs, continuation) = AsyncStream.makeStream(of: StreamJob.self, bufferingPolicy: .bufferingOldest(jobsMax))
        let queue = EventLoopQueue(eventLoop, jobs: continuation, errors: errors)
        let loop = NIOLoopBoundBox.makeBoxSendingValue(
            ServerLoop(server: self, queue: queue, reader: reader), eventLoop: eventLoop)
        queue.open(loop)
        defer { queue.close() }
        let mayRun = control.withLock { control in
            if !control.isStopped { control.queue = queue }
            return !control.isStopped
        }
        guard mayRun else { return }
        let listening = try await open(sockets, on: loop, eventLoop)
        await withTaskCancellationHandler {
            queue.post(.run { $0.serve(listening) })
            await ready()
            await withDiscardingTaskGroup { group in
                for await job in jobs { group.addTask { await job.run() } }
                // A cancelled task gets no further jobs. Its running bodies must find every connection closed.
                group.cancelAll()
            }
        } onCancel: {
            stop(within: .zero)
        }
    }

    private func open(
        _ sockets: [Int32], on loop: NIOLoopBoundBox<ServerLoop>, _ eventLoop: any EventLoop
    ) async throws(VarlinkServerError) -> [any Channel] {
        var opened: [any Channel] = []
        let admit: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            channel.eventLoop.makeCompletedFuture { try loop.value.admit(channel) }
        }
        for descriptor in sockets {
            do {
                var isListening: Int32 = 0
                var length = socklen_t(MemoryLayout<Int32>.size)
                guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0 else {
                    throw VarlinkServerError("descriptor \(descriptor) is no socket", errno)
                }
                if isListening != 0 {
                    let bootstrap = ServerBootstrap(group: eventLoop).childChannelInitializer(admit)
                        .serverChannelInitializer { channel in
                            channel.eventLoop.makeCompletedFuture {
                                let shortage = DescriptorShortage(loop.value, listener: descriptor)
                                try channel.pipeline.syncOperations.addHandler(shortage)
                            }
                        }
                        .childChannelOption(.allowRemoteHalfClosure, value: true)
                    opened.append(try await bootstrap.withBoundSocket(descriptor).get())
                    // NIO has already set a smaller backlog.
                    _ = listen(descriptor, Self.backlog)
                } else {
                    let bootstrap = ClientBootstrap(group: eventLoop).channelInitializer(admit)
                        .channelOption(.allowRemoteHalfClosure, value: true)
                    _ = try await bootstrap.withConnectedSocket(descriptor).get()
                }
            } catch {
                for channel in opened { channel.close(promise: nil) }
                throw error as? VarlinkServerError ?? VarlinkServerError("can't serve descriptor \(descriptor): \(error)", 0)
            }
        }
        return opened
    }
}

/// Counters since the server started.
public struct VarlinkCounters: Sendable, Equatable {
    /// Open connections, including refused ones.
    public var connections = 0
    /// All connections so far, including refused ones.
    public var accepted = 0
    /// Connections refused by the handler or by a limit.
    public var refused = 0
    /// Number of times `accept` failed because no file descriptor was free.
    public var acceptFailures = 0
    public var calls = 0
    public var bytesReceived = 0
    public var bytesSent = 0
    /// Connections closed because the peer was too slow to write a call or to read replies.
    public var timeouts = 0
    /// Error replies by error name.
    public private(set) var errors: [String: Int] = [:]

    /// Maximum number of distinct error names; further names are counted under "".
    private static let errorNamesMax = 256

    mutating func count(_ error: CallError) {
        let isNew = errors[error.name] == nil
        errors[isNew && errors.count >= Self.errorNamesMax ? "" : error.name, default: 0] += 1
    }
}

/// Statistics of one connection.
public struct ConnectionStatus: Sendable, Equatable {
    public var peer: Peer
    /// Number of calls started.
    public var calls: Int
    /// Bytes that the peer has not read yet.
    public var waitingBytes: Int
    /// Number of running calls that a task answers.
    public var streams: Int
}

/// Why a server can't serve.
public struct VarlinkServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The attempted operation, for people.
    public var message: String
    /// The `errno` of the failed system call; 0 if there was none.
    public var errno: Int32

    public init(_ message: String, _ errno: Int32) { (self.message, self.errno) = (message, errno) }

    public var description: String { errno == 0 ? message : "\(message): \(String(cString: strerror(errno)))" }
}
