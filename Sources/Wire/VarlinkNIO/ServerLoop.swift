internal import NIOCore
internal import Synchronization
internal import Varlink

/// The connections of a server; bound to its event loop.
final class ServerLoop {
    /// Time that a refused peer may continue to write before its connection is closed.
    static let lingerTime = TimeAmount.seconds(1)
    /// Refused connections that are kept open to receive an error; any further ones are closed without one.
    static let refusedConnectionsMax = 64
    /// Stream items written, or connections checked, per batch.
    static let batchItemsMax = 16
    /// Delay between two batches; the event loop polls its sockets only when no task is due.
    static let pause = TimeAmount.microseconds(10)
    /// Number of closed connections after which memory is returned to the system, five seconds later.
    static let releasedMin = 64
    /// Capacity of the message buffer that is kept.
    static let messagesKeptMax = 4_096
    let server: VarlinkServer
    let queue: EventLoopQueue
    private(set) var handler: any VarlinkHandler
    /// The messages being delivered; the buffer is reused.
    var messages: [EventLoopQueue.Message] = []
    /// Whether no further calls are started.
    private(set) var isStopping = false
    private var listeners: [any Channel] = []
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var servedCount = 0
    private var releasedCount = 0
    private var servedByUser: [UInt32: Int] = [:]
    private let reader: any EventLoop
    private var largeCalls = FairQueue<LargeCall>()
    /// Whether a large frame is being parsed.
    var isReading = false
    private var streamItems = FairQueue<(connection: Connection, item: StreamItem)>()
    private var isSendingItems = false
    /// The `GroupMembers` by their groups.
    private var groups: [ObjectIdentifier: AnyObject] = [:]
    private var isServing = false
    private var isWatchingClock = false

    /// - Parameter reader: the thread that parses large frames.
    init(server: VarlinkServer, queue: EventLoopQueue, reader: any EventLoop) {
        (self.server, self.queue, self.reader, handler) = (server, queue, reader, server.handler)
    }

    func count(_ change: (inout VarlinkCounters) -> Void) { server.counts.withLock { change(&$0) } }

    func schedule(in time: TimeAmount, _ work: @escaping () -> Void) {
        queue.eventLoop.assumeIsolated().scheduleTask(in: time, work)
    }
}

// MARK: - Connections

extension ServerLoop {
    private struct Refused: Error {}

    /// Adds a connection for a new channel; the channel is closed if this throws.
    func admit(_ channel: any Channel) throws {
        count { $0.accepted += 1 }
        guard !isStopping, let socket = ChannelSocket(channel), let peer = socket.peer else { throw Refused() }
        let served = (all: servedCount, user: servedByUser[peer.uid, default: 0])
        let hasRoom = served.all < server.limits.connectionsMax && served.user < server.limits.connectionsPerUserMax
        let refusal = handler.refusal(of: peer) ?? (hasRoom ? nil : server.errors.tooManyConnections)
        if refusal == nil {
            servedCount += 1
            servedByUser[peer.uid, default: 0] += 1
        } else {
            count { $0.refused += 1 }
            guard connections.count - servedCount < Self.refusedConnectionsMax else { throw Refused() }
        }
        let connection = Connection(loop: self, socket: socket, peer: peer, refusal: refusal)
        connections[ObjectIdentifier(connection)] = connection
        count { $0.connections = connections.count }
        try channel.pipeline.syncOperations.addHandler(connection)
    }

    /// All open connections, including refused ones.
    var clients: [ConnectionStatus] { connections.values.map(\.client) }

    func remove(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        count { $0.connections = connections.count }
        if connection.refusal == nil {
            servedCount -= 1
            let others = servedByUser[connection.peer.uid, default: 1] - 1
            servedByUser[connection.peer.uid] = others > 0 ? others : nil
            releasedCount += 1
            if releasedCount == Self.releasedMin {
                // Five seconds later, because the tasks of the connections end after them.
                schedule(in: .seconds(5)) { [self] in
                    releasedCount = 0
                    reader.execute { [handler] in handler.noticed(.connectionsReleased) }
                }
            }
        }
        finishIfDone()
    }

    /// Replaces the handler for future calls and closes the connections that the new handler refuses.
    func replace(_ handler: any VarlinkHandler) {
        self.handler = handler
        for connection in connections.values where connection.refusal == nil && handler.refusal(of: connection.peer) != nil {
            connection.close()
        }
    }

    /// Processes the messages of other threads, with one write per connection.
    func deliver() {
        var touched: [Connection] = []
        touched.reserveCapacity(messages.count)
        var tasks: [@Sendable (ServerLoop) -> Void] = []
        // Removed one by one, because a copy would keep alive everything that a message references.
        messages.reverse()
        while let message = messages.popLast() {
            let connection: Connection
            switch message {
            case .end(let reference, let id, let ending):
                connection = reference.value
                connection.end(id, ending)
            case .change(let reference, let change):
                connection = reference.value
                change(connection)
            case .run(let task):
                tasks.append(task)
                continue
            }
            if touched.last !== connection { touched.append(connection) }
        }
        if messages.capacity > Self.messagesKeptMax { messages = [] }
        for connection in touched { connection.work() }
        readNext()
        for task in tasks { task(self) }
        if !isSendingItems { sendItems() }
    }

    /// Queues a large frame to be parsed and its call to be started, fairly among users.
    func read(_ call: LargeCall) {
        largeCalls.add(call, of: call.reply.peer.uid)
        readNext()
    }

    private func readNext() {
        while !isReading, let call = largeCalls.next() {
            guard !call.reply.connection.value.isClosed else { continue }
            isReading = true
            reader.execute { [handler, service = server.service] in call.start(by: handler, service) }
        }
    }

    /// Queues a stream item, which is passed to its connection fairly among users.
    func add(_ item: StreamItem, to connection: Connection) { streamItems.add((connection, item), of: connection.peer.uid) }

    private func sendItems() {
        isSendingItems = false
        for _ in 0..<Self.batchItemsMax {
            guard let (connection, item) = streamItems.next() else { return }
            connection.item(item)
            connection.work()
        }
        isSendingItems = true
        schedule(in: Self.pause) { self.sendItems() }
    }

    /// Changes the members of a group, which exist while the group has any.
    func change<Position>(_ group: ReplyGroup<Position>, _ change: (GroupMembers<Position>) -> Void) {
        let id = ObjectIdentifier(group)
        let members = groups[id] as? GroupMembers<Position> ?? GroupMembers(of: group, on: queue.eventLoop)
        change(members)
        groups[id] = members.isEmpty ? nil : members
    }
}

// MARK: - The clock

extension ServerLoop {
    /// Checks timeouts periodically while a connection needs it.
    func watchClock() {
        guard !isWatchingClock else { return }
        isWatchingClock = true
        let shortest = min(server.limits.halfFrameSecondsMax, server.limits.stalledReaderSecondsMax)
        schedule(in: TimeAmount(.seconds(min(max(shortest / 4, 0.01), 1)))) { [self] in
            let unread = connections.values.reduce(into: [:]) { $0[$1.peer.uid, default: 0] += $1.unreadBytes }
            check(connections.values[...], overQuota: unread.filter { $0.value > server.limits.unreadBytesPerUserMax })
        }
    }

    /// Checks a few connections per batch: closing one that never read takes about 0.1 ms.
    /// - Parameter overQuota: unread bytes of the users that exceed their limit.
    private func check(_ rest: Slice<[ObjectIdentifier: Connection].Values>, overQuota: [UInt32: Int]) {
        let now = NIODeadline.now()
        for connection in rest.prefix(Self.batchItemsMax) {
            let patience = server.limits.stalledReaderSecondsMax
            connection.check(at: now, stalledSecondsMax: overQuota[connection.peer.uid] == nil ? patience : min(1, patience))
        }
        let rest = rest.dropFirst(Self.batchItemsMax)
        guard rest.isEmpty else { return schedule(in: Self.pause) { self.check(rest, overQuota: overQuota) } }
        isWatchingClock = false
        if connections.values.contains(where: { $0.needsWatching }) { watchClock() }
    }
}

// MARK: - Start and stop

extension ServerLoop {
    /// Starts serving; from now on the server ends when it is stopped, or when no listener and no connection is left.
    func serve(_ listeners: [any Channel]) {
        self.listeners = listeners
        isServing = true
        if isStopping { closeListeners() }
        finishIfDone()
    }

    /// Stops accepting connections and starting calls, and closes the remaining connections after a timeout.
    func stop(within time: TimeAmount) {
        if !isStopping {
            isStopping = true
            closeListeners()
            for connection in connections.values { connection.stop() }
            finishIfDone()
        }
        guard time > .zero else { return closeConnections() }
        schedule(in: time) { self.closeConnections() }
    }

    private func closeListeners() {
        for listener in listeners { listener.close(promise: nil) }
        listeners = []
    }

    private func closeConnections() { for connection in connections.values { connection.close() } }

    private func finishIfDone() {
        guard isServing, connections.isEmpty, isStopping || listeners.isEmpty else { return }
        queue.jobs.finish()
    }
}

/// A call that is parsed and started on the thread for large frames.
struct LargeCall: Sendable {
    let frame: LargeFrame
    let reply: ReplyHandle

    /// Reports the call's flags to the event loop, starts the call, then reports that it was started.
    func start(by handler: any VarlinkHandler, _ service: ServiceDescription) {
        var failure: CallError?
        do {
            let request = try frame.request()
            if case .call(let call) = request {
                let (id, more, oneway) = (frame.id, call.more, call.oneway)
                reply.queue.post(.change(reply.connection) { $0.state.setFlags(of: id, more: more, oneway: oneway) })
            }
            handler.start(request, of: service, from: reply.peer, reply: reply)
        } catch {
            failure = error
        }
        reply.queue.post(.change(reply.connection) { [id = frame.id, failure] in $0.endReading(id, failure) })
    }
}

/// A queue that serves users round-robin: each waiting user gets one element before any user gets a second.
struct FairQueue<Element> {
    private var waiting: [UInt32: [Element]] = [:]
    private var users: [UInt32] = []

    mutating func add(_ element: Element, of user: UInt32) {
        if waiting[user] == nil { users.append(user) }
        waiting[user, default: []].append(element)
    }

    mutating func next() -> Element? {
        guard !users.isEmpty else { return nil }
        let user = users.removeFirst()
        let element = waiting[user]?.removeFirst()
        if waiting[user]?.isEmpty ?? true { waiting[user] = nil } else { users.append(user) }
        return element
    }
}

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
