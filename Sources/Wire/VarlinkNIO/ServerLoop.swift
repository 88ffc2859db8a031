internal import NIOCore
internal import Synchronization
internal import Varlink

/// All connections of a server, bound to its event loop.
final class ServerLoop {
    /// How long a refused peer may go on writing before it is cut off.
    static let lingerTime = TimeAmount.seconds(1)
    /// How many connections beyond the limits are kept open to be told why; others are closed without a word.
    static let refusedConnectionsMax = 64
    /// Stream items that are written, or connections that are checked, before others get their turn.
    static let turnItemsMax = 16
    /// Closed connections after which memory is returned to the system, a second later.
    static let releasedMin = 64
    /// Letters for which the room is kept.
    static let lettersKeptMax = 4_096

    let eventLoop: any EventLoop
    private(set) var handler: any VarlinkHandler
    let service: ServiceDescription
    let errors: VarlinkErrors
    let limits: VarlinkLimits
    let counters: CounterCells
    let jobs: StreamJobs
    private(set) lazy var mailbox = Mailbox(loop: NIOLoopBound(self, eventLoop: eventLoop), eventLoop: eventLoop)

    /// What the mailbox brought; with the room for what it brings next.
    var letters: [Mailbox.Letter] = []
    /// Whether no further call is started.
    private(set) var isStopping = false

    private var listeners: [any Channel] = []
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var servedCount = 0
    private var releasedCount = 0
    private var servedByUser: [UInt32: Int] = [:]
    private let reader: any EventLoop
    private var largeCalls = FairQueue<LargeCall>()
    private var isReading = false
    private var streamItems = FairQueue<(connection: Connection, item: StreamItem)>()
    private var isSendingItems = false
    private var groups: [ObjectIdentifier: GroupMembers] = [:]
    private var isServing = false
    private var isWatchingClock = false

    /// - Parameter reader: the thread on which large frames are read.
    init(
        eventLoop: any EventLoop, reader: any EventLoop, handler: any VarlinkHandler, service: ServiceDescription,
        errors: VarlinkErrors,
        limits: VarlinkLimits, counters: CounterCells, jobs: StreamJobs
    ) {
        self.eventLoop = eventLoop
        self.reader = reader
        self.handler = handler
        self.service = service
        self.errors = errors
        self.limits = limits
        self.counters = counters
        self.jobs = jobs
    }
}

// MARK: - Connections

extension ServerLoop {
    private enum Refusal: Error {
        case unknownPeer
        case tooMany
        case stopping
    }

    /// Puts a connection on a new channel; the channel is closed if this throws.
    func admit(_ channel: any Channel) throws {
        counters.accepted.add(1, ordering: .relaxed)
        guard !isStopping else { throw Refusal.stopping }
        guard let peer = try Peer(of: channel) else { throw Refusal.unknownPeer }
        let refusal = handler.refusal(of: peer) ?? (hasRoom(for: peer) ? nil : errors.tooManyConnections)
        if refusal == nil {
            servedCount += 1
            servedByUser[peer.uid, default: 0] += 1
        } else {
            counters.refused.add(1, ordering: .relaxed)
            guard connections.count - servedCount < Self.refusedConnectionsMax else { throw Refusal.tooMany }
        }
        let connection = Connection(server: self, peer: peer, refusal: refusal)
        connections[ObjectIdentifier(connection)] = connection
        counters.connections.store(connections.count, ordering: .relaxed)
        try channel.pipeline.syncOperations.addHandler(connection)
    }

    /// The connections that are open now, refused ones included.
    var clients: [ConnectionStatus] { connections.values.map(\.client) }

    /// Forgets a connection that is closed.
    func remove(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        counters.connections.store(connections.count, ordering: .relaxed)
        if connection.refusal == nil {
            servedCount -= 1
            let others = (servedByUser[connection.peer.uid] ?? 1) - 1
            servedByUser[connection.peer.uid] = others > 0 ? others : nil
            releasedCount += 1
            if releasedCount == Self.releasedMin { releaseMemory() }
        }
        finishIfDone()
    }

    /// Tells the handler that many connections have closed, after their tasks have had time to end.
    private func releaseMemory() {
        eventLoop.assumeIsolated().scheduleTask(in: .seconds(5)) { [self] in
            releasedCount = 0
            reader.execute { [handler] in handler.noticed(.connectionsReleased) }
        }
    }

    /// Has the calls to come answered by another handler, and closes the connections of whom it does not serve.
    private func replace(_ handler: any VarlinkHandler) {
        self.handler = handler
        for connection in connections.values where connection.refusal == nil && handler.refusal(of: connection.peer) != nil {
            connection.close()
        }
    }

    private func hasRoom(for peer: Peer) -> Bool {
        servedCount < limits.connectionsMax && servedByUser[peer.uid, default: 0] < limits.connectionsPerUserMax
    }

    /// Does what other threads asked for, with one write for each connection.
    func deliver() {
        var touched: [Connection] = []
        touched.reserveCapacity(letters.count)
        var groupEvents: [(GroupName, GroupEvent)] = []
        // Taken out one by one: a copy would hold on to all that a letter refers to.
        letters.reverse()
        while let letter = letters.popLast() {
            let connection: Connection
            switch letter {
            case .end(let reference, let id, let ending):
                connection = reference.value
                connection.end(id, ending)
            case .begin(let reference, let id, let lifetime):
                connection = reference.value
                connection.begin(id, lifetime)
            case .item(let reference, let item):
                streamItems.add((reference.value, item), of: reference.value.peer.uid)
                continue
            case .offer(let reference, let id, let parameters):
                connection = reference.value
                connection.offer(id, parameters)
            case .withdraw(let reference, let withdrawal):
                connection = reference.value
                connection.withdraw(withdrawal)
            case .large(let reference, let id, let news):
                connection = reference.value
                connection.large(id, news)
                if case .read = news { continue }
                isReading = false
            case .group(let name, let event):
                groupEvents.append((name, event))
                continue
            case .stop(let time):
                stop(within: time)
                continue
            case .list(let tell):
                tell(clients)
                continue
            case .replace(let handler):
                replace(handler)
                continue
            }
            if touched.last !== connection { touched.append(connection) }
        }
        if letters.capacity > Self.lettersKeptMax { letters = [] }
        for connection in touched { connection.work() }
        readNext()
        if !isSendingItems { sendItems() }
        // After those who wait for an answer: what goes to many takes longest.
        for (name, event) in groupEvents { take(event, of: name) }
    }

    /// Has a large frame read and its call started, in the turn of its user.
    func read(_ call: LargeCall) {
        largeCalls.add(call, of: call.reply.peer.uid)
        readNext()
    }

    private func readNext() {
        while !isReading, let call = largeCalls.next() {
            guard !call.reply.connection.value.isClosed else { continue }
            isReading = true
            reader.execute { [handler, service] in call.start(by: handler, service) }
        }
    }

    /// Passes stream items to their connections, a few at a time, alternating between users.
    private func sendItems() {
        isSendingItems = false
        for _ in 0..<Self.turnItemsMax {
            guard let (connection, item) = streamItems.next() else { return }
            connection.item(item)
            connection.work()
        }
        isSendingItems = true
        eventLoop.assumeIsolated().scheduleTask(in: GroupMembers.pause) { self.sendItems() }
    }

    private func take(_ event: GroupEvent, of name: GroupName) {
        let members = groups[ObjectIdentifier(name)] ?? GroupMembers(eventLoop: eventLoop)
        members.add(event)
        groups[ObjectIdentifier(name)] = members.isEmpty ? nil : members
    }
}

// MARK: - The clock

extension ServerLoop {
    /// Looks at the clock from time to time, for as long as a connection needs it.
    func watchClock() {
        guard !isWatchingClock else { return }
        isWatchingClock = true
        let shortest = min(limits.halfFrameSecondsMax, limits.stalledReaderSecondsMax)
        let interval = TimeAmount(seconds: min(max(shortest / 4, 0.01), 1))
        eventLoop.assumeIsolated().scheduleTask(in: interval) {
            let unread = self.connections.values.reduce(into: [:]) { $0[$1.peer.uid, default: 0] += $1.unreadBytes }
            self.check(self.connections.values[...], crowded: unread.filter { $0.value > self.limits.unreadBytesPerUserMax })
        }
    }

    /// Checks a few connections per turn: closing one that never read takes about 0.1 ms.
    ///
    /// - Parameter crowded: the users whose connections leave too much unread.
    private func check(_ rest: Slice<[ObjectIdentifier: Connection].Values>, crowded: [UInt32: Int]) {
        let now = NIODeadline.now()
        for connection in rest.prefix(Self.turnItemsMax) {
            let patience = limits.stalledReaderSecondsMax
            connection.check(at: now, stalledSecondsMax: crowded[connection.peer.uid] == nil ? patience : min(1, patience))
        }
        let rest = rest.dropFirst(Self.turnItemsMax)
        guard rest.isEmpty else {
            eventLoop.assumeIsolated().scheduleTask(in: GroupMembers.pause) { self.check(rest, crowded: crowded) }
            return
        }
        isWatchingClock = false
        if connections.values.contains(where: { $0.needsWatching }) { watchClock() }
    }
}

// MARK: - Start and stop

extension ServerLoop {
    /// Takes charge of what was opened; from now on the server ends when it is stopped or nothing is left to serve.
    func serve(_ listeners: [any Channel]) {
        self.listeners = listeners
        isServing = true
        if isStopping { closeListeners() }
        finishIfDone()
    }

    /// Accepts nothing and starts nothing any more, and closes what is not done within a time.
    func stop(within time: TimeAmount) {
        if !isStopping {
            isStopping = true
            closeListeners()
            for connection in connections.values { connection.stop() }
            finishIfDone()
        }
        guard time > .zero else { return closeConnections() }
        eventLoop.assumeIsolated().scheduleTask(in: time) { self.closeConnections() }
    }

    private func closeListeners() {
        for listener in listeners { listener.close(promise: nil) }
        listeners = []
    }

    private func closeConnections() {
        for connection in connections.values { connection.close() }
    }

    /// Lets go of the mailbox, which holds on to this loop, once nobody can write to it any more.
    func dissolve() {
        mailbox.close()
    }

    private func finishIfDone() {
        guard isServing, connections.isEmpty, isStopping || listeners.isEmpty else { return }
        jobs.finish()
    }
}
