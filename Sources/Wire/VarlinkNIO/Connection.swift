internal import NIOCore
internal import Synchronization
internal import Varlink

/// The thin shell around one connection's state: moves bytes between it and the channel.
///
/// Bound to the event loop.
final class Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How far the closing of a connection has come.
    private enum Phase {
        case open
        /// All is said; waits until the last bytes are written.
        case flushing
        /// Waits for a peer that is still writing to read why it was refused: closing now would tear its write off.
        case lingering(until: NIODeadline)
        case closed
    }

    let peer: Peer
    /// Answers every call, for a peer that is not served.
    let refusal: CallError?
    /// Whether calls are being started now, so that who answers one need not see to it that the answer is written.
    private(set) var isStartingCalls = false

    private let server: ServerLoop
    private var state: ConnectionState
    private var phase = Phase.open
    private var context: ChannelHandlerContext?
    private var directOutput: DirectOutput?
    private var isReadHeld = false
    private var lifetimes: [ConnectionState.CallID: StreamLifetime] = [:]
    private var waitingItems: [StreamItem] = []
    private var watch = ConnectionWatch()
    private var callCount = 0

    init(server: ServerLoop, peer: Peer, refusal: CallError?) {
        self.server = server
        self.peer = peer
        self.refusal = refusal
        state = ConnectionState(limits: server.limits.connection, plainReader: server.handler.read)
    }
}

// MARK: - What the channel tells

extension Connection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        directOutput = DirectOutput(context.channel)
        if refusal != nil {
            watch.refused(at: .now())
            server.watchClock()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        closed()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closed()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        server.counters.bytesReceived.add(buffer.readableBytes, ordering: .relaxed)
        state.received(buffer.readableBytesSpan)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        work()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent else { return }
        if case .lingering = phase { return close() }
        state.inputEnded()
        work()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Only the socket can fail here, and then there is nobody left to tell.
        close()
    }

    func read(context: ChannelHandlerContext) {
        if wantsRead { context.read() } else { isReadHeld = true }
    }

    private var wantsRead: Bool {
        switch phase {
        case .open: state.wantsInput
        case .lingering: true
        case .flushing, .closed: false
        }
    }
}

// MARK: - What the calls' ends bring

extension Connection {
    /// Ends a call; ``work()`` writes the reply.
    func end(_ id: ConnectionState.CallID, _ ending: Mailbox.Ending) {
        if !lifetimes.isEmpty { lifetimes.removeValue(forKey: id)?.end() }
        switch ending {
        case .success(let parameters, let byteCount): state.succeed(id, byteCount: byteCount, parameters)
        case .failure(let error): fail(id, error)
        }
    }

    /// Takes note of how far a call has come whose frame is read elsewhere; ``work()`` goes on with those behind it.
    func large(_ id: ConnectionState.CallID, _ news: Mailbox.LargeCallNews) {
        switch news {
        case .read(let call): state.take(call, as: id)
        case .begun: state.begun(id)
        case .refused(let error): state.refuse(id, error)
        }
    }

    /// Takes note of a stream, so that its task ends with the connection.
    func begin(_ id: ConnectionState.CallID, _ lifetime: StreamLifetime) {
        guard !isClosed, state.isRunning(id) else { return lifetime.end() }
        lifetimes[id] = lifetime
        if server.isStopping, state.isStream(id) { lifetime.end() }
    }

    /// Takes a stream's reply; ``work()`` sends it when it is its turn and there is room.
    func item(_ item: StreamItem) {
        guard !isClosed, !server.isStopping, state.isRunning(item.id), !item.withdrawal.isWithdrawn.load(ordering: .acquiring)
        else {
            return item.continuation.resume(returning: false)
        }
        waitingItems.append(item)
    }

    /// Writes a reply of a stream; false if it is not the stream's turn or earlier replies are not written yet.
    func send(_ frame: ReplyFrame, to id: ConnectionState.CallID) -> Bool {
        guard case .open = phase, !server.isStopping, let context else { return false }
        if state.unwrittenBytes > 0 { state.noteUnwritten(unwrittenBytes) }
        guard isDrained, state.streamInTurn == id else { return false }
        write(frame, context)
        work()
        return true
    }

    /// Takes a reply that only tells how far a stream is; nobody is told it if it can't be written now.
    func offer(_ id: ConnectionState.CallID, _ parameters: ConnectionState.Encoder) {
        guard !isClosed, !server.isStopping else { return }
        if state.unwrittenBytes > 0 { state.noteUnwritten(unwrittenBytes) }
        state.offer(id, parameters)
    }

    /// Gives back a reply that waits and that nobody wants to send any more.
    func withdraw(_ withdrawal: Withdrawal) {
        guard let index = waitingItems.firstIndex(where: { $0.withdrawal === withdrawal }) else { return }
        waitingItems.remove(at: index).continuation.resume(returning: false)
    }

    private func sendItems(_ context: ChannelHandlerContext) {
        while isDrained, let index = waitingItems.firstIndex(where: { $0.frame == nil || $0.id == state.streamInTurn }) {
            let item = waitingItems.remove(at: index)
            if let frame = item.frame { write(frame, context) }
            item.continuation.resume(returning: true)
        }
    }

    /// Whether the socket has accepted all replies; only then may a stream send, so at most one of its replies is pending.
    private var isDrained: Bool { state.output.isEmpty && state.unwrittenBytes == 0 }
}

// MARK: - Work

extension Connection {
    /// Starts calls, sends what there is to send with one write, and reads on or closes as the state wants it.
    func work() {
        guard case .open = phase, !isStartingCalls, let context else { return }
        state.beginTurn()
        repeat {
            startCalls()
            sendItems(context)
        } while write(context)
        guard case .open = phase else { return }
        if state.isFinished { return finish(context) }
        if isReadHeld, state.wantsInput {
            isReadHeld = false
            context.read()
        }
        if watch.note(halfFrame: state.halfFrame, unwrittenBytes: state.unwrittenBytes) { server.watchClock() }
    }

    private func startCalls() {
        isStartingCalls = true
        defer { isStartingCalls = false }
        var wasRefused = false
        while let started = state.nextCall() {
            server.counters.calls.add(1, ordering: .relaxed)
            callCount += 1
            if let refusal {
                refuse(started, with: refusal)
                wasRefused = true
            } else {
                start(started)
            }
        }
        if wasRefused { state.closeInput() }
        guard let frame = state.nextLargeFrame() else { return }
        if let refusal {
            state.fail(frame.id, refusal)
            return state.closeInput()
        }
        server.counters.calls.add(1, ordering: .relaxed)
        server.read(LargeCall(frame: frame, reply: reply(to: frame.id, more: false)))
    }

    private func fail(_ id: ConnectionState.CallID, _ error: CallError) {
        server.counters.count(error)
        state.fail(id, error)
    }

    private func start(_ started: ConnectionState.StartedCall) {
        switch started.request {
        case .read(let input):
            server.handler.handle(read: input, from: peer, reply: reply(to: started.id, more: false))
        case .call(let call):
            server.handler.take(call, of: server.service, from: peer, reply: reply(to: started.id, more: call.more))
        }
    }

    private func refuse(_ started: ConnectionState.StartedCall, with error: CallError) {
        switch started.request {
        case .read: fail(started.id, error)
        case .call(let call):
            server.handler.refuse(call, with: error, from: peer, reply: reply(to: started.id, more: call.more))
        }
    }

    private func reply(to id: ConnectionState.CallID, more: Bool) -> ReplyHandle {
        ReplyHandle(
            connection: NIOLoopBound(self, eventLoop: server.eventLoop), id: id, mailbox: server.mailbox, jobs: server.jobs,
            peer: peer, more: more)
    }

    /// Hands the output to the channel; false when there was none.
    private func write(_ context: ChannelHandlerContext) -> Bool {
        let count = state.output.count
        guard count > 0 else { return false }
        server.counters.bytesSent.add(count, ordering: .relaxed)
        watch.handedBytes += count
        let written = state.unwrittenBytes == 0 ? directOutput?.write(state.output) ?? 0 : 0
        guard written < count else {
            state.outputTaken()
            state.noteUnwritten(0)
            return true
        }
        var buffer = context.channel.allocator.buffer(capacity: count - written)
        buffer.writeBytes(state.output[written...])
        // Taken before it is written: writing may tell at once that there is room, and more is encoded.
        state.outputTaken()
        writeRest(buffer, context)
        return true
    }

    /// Writes a frame that other connections may share, and copies nothing that the socket does not take.
    private func write(_ frame: ReplyFrame, _ context: ChannelHandlerContext) {
        var rest = frame.bytes
        server.counters.bytesSent.add(rest.readableBytes, ordering: .relaxed)
        watch.handedBytes += rest.readableBytes
        rest.moveReaderIndex(forwardBy: directOutput?.write(rest) ?? 0)
        guard rest.readableBytes > 0 else { return }
        // What is left of a large frame, which hardly anybody shares, does not keep all of it in memory.
        if rest.readableBytes < rest.storageCapacity / 2, rest.storageCapacity > 128 << 10 { rest = ByteBuffer(buffer: rest) }
        writeRest(rest, context)
    }

    private func writeRest(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { _ in
            self.state.noteUnwritten(self.unwrittenBytes)
            self.work()
        }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: written)
        state.noteUnwritten(unwrittenBytes)
    }

    /// What the channel has not got rid of.
    private var unwrittenBytes: Int {
        (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// What the peer has not read, as far as that was noted last.
    var unreadBytes: Int { state.unwrittenBytes }

    /// Judges by the clock whether the peer is too slow.
    func check(at now: NIODeadline, stalledSecondsMax: Double) {
        guard !isClosed else { return }
        if case .lingering(let end) = phase {
            if now >= end { close() }
            return
        }
        state.noteUnwritten(unwrittenBytes)
        let patience = waitingItems.reduce(stalledSecondsMax) { min($0, $1.stalledSecondsMax) }
        switch watch.verdict(
            at: now, unwrittenBytes: state.unwrittenBytes, callSecondsMax: server.limits.halfFrameSecondsMax,
            stalledSecondsMax: patience)
        {
        case .patience: work()
        case .halfFrame:
            guard case .open = phase else { return }
            server.counters.timeouts.add(1, ordering: .relaxed)
            let lateness = "message: not whole after \(server.limits.halfFrameSecondsMax) seconds"
            state.refuseInput(refusal ?? .invalidParameter(lateness))
            work()
        case .stalled:
            server.counters.timeouts.add(1, ordering: .relaxed)
            close()
        }
    }

    /// What it has done and what it costs.
    var client: ConnectionStatus {
        ConnectionStatus(
            peer: peer, calls: callCount, waitingBytes: unwrittenBytes + state.output.count, streams: lifetimes.count)
    }

    /// Whether the clock has to be watched for this connection.
    var needsWatching: Bool {
        if case .lingering = phase { return true }
        return watch.isNeeded
    }
}

// MARK: - The end

extension Connection {
    /// Ends streams, answers what runs, and closes.
    func stop() {
        state.closeInput()
        for (id, lifetime) in lifetimes where state.isStream(id) { lifetime.end() }
        giveBackItems()
        work()
    }

    /// Closes the channel now, whatever is not written.
    func close() {
        context?.close(promise: nil)
    }

    var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    /// Closes once the last bytes are written.
    private func finish(_ context: ChannelHandlerContext) {
        phase = .flushing
        watch.callsEnded()
        if state.unwrittenBytes > 0 { server.watchClock() }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in self.written() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: written)
    }

    private func written() {
        guard case .flushing = phase, let context else { return }
        guard state.hasRefusedInput else { return close() }
        phase = .lingering(until: .now() + ServerLoop.lingerTime)
        server.watchClock()
        context.close(mode: .output, promise: nil)
        if isReadHeld {
            isReadHeld = false
            context.read()
        }
    }

    private func closed() {
        guard !isClosed else { return }
        phase = .closed
        directOutput = nil
        state.closeInput()
        for lifetime in lifetimes.values { lifetime.end() }
        lifetimes = [:]
        giveBackItems()
        server.remove(self)
    }

    private func giveBackItems() {
        let items = waitingItems
        waitingItems = []
        for item in items { item.continuation.resume(returning: false) }
    }
}
