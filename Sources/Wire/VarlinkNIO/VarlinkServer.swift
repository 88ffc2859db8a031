internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization
public import Varlink

/// Serves Varlink calls on Unix sockets, with one event loop on a thread of its own, and another thread that reads large calls.
///
/// Calls to `org.varlink.service`, and calls that don't fit the description of their method, never reach the handler.
public final class VarlinkServer: Sendable {
    private enum Control {
        case idle
        case running(Mailbox)
        case stopped
    }

    private let handler: any VarlinkHandler
    private let service: ServiceDescription
    private let errors: VarlinkErrors
    private let limits: VarlinkLimits
    private let cells = CounterCells()
    private let control = Mutex(Control.idle)

    /// Puts a server together; ``run(on:ready:)`` starts it.
    public init(
        handler: any VarlinkHandler, service: ServiceDescription, errors: VarlinkErrors, limits: VarlinkLimits = VarlinkLimits()
    ) {
        self.handler = handler
        self.service = service
        self.errors = errors
        self.limits = limits
    }

    /// What the server has done since it began.
    public var counters: VarlinkCounters { cells.values }

    /// Serves until it is stopped, its task is cancelled, or all that it was given were connections and they are closed.
    ///
    /// A server runs once.
    ///
    /// - Parameter ready: called when the sockets accept.
    /// - Throws: which socket could not be made or taken, and why.
    public func run(
        on listeners: [VarlinkListener], ready: @Sendable () async -> Void = {}
    ) async throws(VarlinkServerError) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let result: Result<Void, VarlinkServerError>
        do throws(VarlinkServerError) {
            try await run(on: listeners, ready: ready, eventLoop: group.next(), reader: group.next())
            result = .success(())
        } catch {
            result = .failure(error)
        }
        control.withLock { $0 = .stopped }
        // Only a group that was shut down before fails here.
        try? await group.shutdownGracefully()
        try result.get()
    }

    /// Stops: nothing more is accepted or started, streams end with an error, and running calls are answered.
    ///
    /// What is not done within the time is cut off. A second call may shorten the time of the first.
    public func stop(within time: Duration) {
        let mailbox = control.withLock { control -> Mailbox? in
            if case .running(let mailbox) = control { return mailbox }
            control = .stopped
            return nil
        }
        mailbox?.post(.stop(TimeAmount(time)))
    }

    /// Has the calls to come answered by another handler of the same interfaces.
    ///
    /// Those that are under way end with the one before. Connections of peers whom the new one does not serve are closed. Does
    /// nothing to a server that does not run.
    public func replaceHandler(with handler: any VarlinkHandler) {
        control.withLock { if case .running(let mailbox) = $0 { mailbox.post(.replace(handler)) } }
    }

    /// Tells who is connected, from the event loop; nobody while the server does not run.
    public func listClients(_ tell: @escaping @Sendable ([ConnectionStatus]) -> Void) {
        let mailbox = control.withLock { control -> Mailbox? in
            if case .running(let mailbox) = control { mailbox } else { nil }
        }
        if let mailbox { mailbox.post(.list(tell)) } else { tell([]) }
    }

    /// Returns when the event loop has got round to it; at once when the server does not run.
    public func probe() async {
        let eventLoop = control.withLock { control -> (any EventLoop)? in
            if case .running(let mailbox) = control { mailbox.eventLoop } else { nil }
        }
        // A loop that was shut down meanwhile fails it, and has nothing to answer for any more.
        try? await eventLoop?.scheduleTask(in: .zero) {}.futureResult.get()
    }

    private func run(
        on listeners: [VarlinkListener], ready: @Sendable () async -> Void, eventLoop: any EventLoop,
        reader: any EventLoop
    ) async throws(VarlinkServerError) {
        let jobs = StreamJobs(countMax: limits.connectionsMax * limits.connection.pipelinedCallsMax, errors: errors)
        let (loop, mailbox) = await begin(jobs, eventLoop, reader)
        let mayRun = control.withLock { control in
            guard case .idle = control else { return false }
            control = .running(mailbox)
            return true
        }
        let opened: Result<[any Channel], VarlinkServerError>
        do throws(VarlinkServerError) {
            opened = .success(mayRun ? try await open(listeners, on: loop, eventLoop) : [])
        } catch {
            opened = .failure(error)
        }
        if mayRun, case .success(let listening) = opened {
            await serve(listening, loop, jobs, ready, eventLoop)
        }
        await perform(on: eventLoop) { loop.value.dissolve() }
        _ = try opened.get()
    }

    private func serve(
        _ listening: [any Channel], _ loop: NIOLoopBound<ServerLoop>, _ jobs: StreamJobs, _ ready: @Sendable () async -> Void,
        _ eventLoop: any EventLoop
    ) async {
        await withTaskCancellationHandler {
            await perform(on: eventLoop) { loop.value.serve(listening) }
            await ready()
            await withDiscardingTaskGroup { group in
                for await job in jobs.jobs { group.addTask { await job.run() } }
                // A cancelled task gets no further jobs; what its bodies still send must find every connection closed.
                group.cancelAll()
            }
        } onCancel: {
            stop(within: .zero)
        }
    }

    private func begin(
        _ jobs: StreamJobs, _ eventLoop: any EventLoop, _ reader: any EventLoop
    ) async -> (NIOLoopBound<ServerLoop>, Mailbox) {
        await withCheckedContinuation { continuation in
            eventLoop.execute { [self] in
                let loop = ServerLoop(
                    eventLoop: eventLoop, reader: reader, handler: handler, service: service, errors: errors, limits: limits,
                    counters: cells,
                    jobs: jobs)
                continuation.resume(returning: (NIOLoopBound(loop, eventLoop: eventLoop), loop.mailbox))
            }
        }
    }

    private func perform(on eventLoop: any EventLoop, _ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            eventLoop.execute {
                work()
                continuation.resume()
            }
        }
    }

    private func open(
        _ listeners: [VarlinkListener], on loop: NIOLoopBound<ServerLoop>, _ eventLoop: any EventLoop
    ) async throws(VarlinkServerError) -> [any Channel] {
        var opened: [any Channel] = []
        let admit: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            channel.eventLoop.makeCompletedFuture { try loop.value.admit(channel) }
        }
        for listener in listeners {
            do {
                switch try listener.open() {
                case .listening(let descriptor):
                    let bootstrap = ServerBootstrap(group: eventLoop).childChannelInitializer(admit)
                        .serverChannelInitializer { channel in
                            channel.eventLoop.makeCompletedFuture {
                                let shortage = DescriptorShortage(loop.value, listener: descriptor)
                                try channel.pipeline.syncOperations.addHandler(shortage)
                            }
                        }
                        .childChannelOption(.allowRemoteHalfClosure, value: true)
                    opened.append(try await bootstrap.withBoundSocket(descriptor).get())
                    // The channel has set its own, smaller backlog.
                    _ = listen(descriptor, VarlinkListener.backlog)
                case .connected(let descriptor):
                    let bootstrap = ClientBootstrap(group: eventLoop).channelInitializer(admit)
                        .channelOption(.allowRemoteHalfClosure, value: true)
                    _ = try await bootstrap.withConnectedSocket(descriptor).get()
                }
            } catch {
                for channel in opened { channel.close(promise: nil) }
                throw error as? VarlinkServerError ?? VarlinkServerError("can't serve \(listener): \(error)", 0)
            }
        }
        return opened
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
    }
}
