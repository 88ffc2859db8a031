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

    /// Removes a closed connection.
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
    ///
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
