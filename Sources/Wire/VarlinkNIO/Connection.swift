internal import NIOCore
internal import Varlink

/// Connects a ``ConnectionState`` to its channel; bound to the event loop.
final class Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case open
        /// All replies are produced; waits until the last bytes are written.
        case flushing
        /// Waits until a peer that is still writing has read its refusal; an immediate close would reset the connection.
        case lingering(until: NIODeadline)
        case closed
    }

    let peer: Peer
    /// The error that answers every call of a peer that is not served.
    let refusal: CallError?
    /// Whether calls are being started now; their replies are written together afterwards.
    private(set) var isStartingCalls = false
    private let loop: ServerLoop
    var state: ConnectionState
    private var phase = Phase.open
    private var context: ChannelHandlerContext?
    /// Nil when the channel is closed, because its descriptor may then belong to another file.
    private var socket: ChannelSocket?
    private var isReadHeld = false
    private var lifetimes: [ConnectionState.CallID: StreamLifetime] = [:]
    private var waitingItems: [StreamItem] = []
    private var watch = ConnectionWatch()
    private var callCount = 0

    init(loop: ServerLoop, socket: ChannelSocket, peer: Peer, refusal: CallError?) {
        (self.loop, self.socket, self.peer, self.refusal) = (loop, socket, peer, refusal)
        state = ConnectionState(limits: loop.server.limits.connection, plainReader: loop.handler.read)
    }
}

// MARK: - Events of the channel

extension Connection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if refusal != nil {
            watch.refused(at: .now())
            loop.watchClock()
        }
    }

    func channelInactive(context: ChannelHandlerContext) { closed() }

    func handlerRemoved(context: ChannelHandlerContext) {
        closed()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        loop.count { $0.bytesReceived += buffer.readableBytes }
        state.received(buffer.readableBytesSpan)
    }

    func channelReadComplete(context: ChannelHandlerContext) { work() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent else { return }
        if case .lingering = phase { return close() }
        state.inputEnded()
        work()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Only the socket can fail here, so no reply is possible.
        close()
    }

    func read(context: ChannelHandlerContext) { if wantsRead { context.read() } else { isReadHeld = true } }

    private var wantsRead: Bool {
        switch phase {
        case .open: state.wantsInput
        case .lingering: true
        case .flushing, .closed: false
        }
    }
}

// MARK: - Replies of handlers

extension Connection {
    /// Ends a call; `work()` writes the reply.
    func end(_ id: ConnectionState.CallID, _ ending: ConnectionState.Ending) {
        if !lifetimes.isEmpty, let lifetime = lifetimes.removeValue(forKey: id) {
            lifetime.end()
            waitingItems.removeAll { $0.id == id }
        }
        if case .failure(let error) = ending { loop.count { $0.count(error) } }
        state.end(id, ending)
    }

    /// Records that a large call was started, or that its frame is malformed; `work()` resumes the calls after it.
    func endReading(_ id: ConnectionState.CallID, _ error: CallError?) {
        if let error { state.refuse(id, error) } else { state.begun(id) }
        loop.isReading = false
    }

    /// Registers a stream, so that its task ends with the connection.
    func begin(_ id: ConnectionState.CallID, _ lifetime: StreamLifetime) {
        guard !isClosed, state.isRunning(id) else { return lifetime.end() }
        lifetimes[id] = lifetime
        if loop.isStopping, state.isStream(id) { lifetime.end() }
    }

    /// Queues a reply of a stream; `work()` sends it after all earlier replies if there is room.
    func item(_ item: StreamItem) {
        guard !isClosed, !loop.isStopping, state.isRunning(item.id) else { return item.isSent.set(false) }
        if !item.isSent.isSet { waitingItems.append(item) }
    }

    /// Writes a reply of a stream; false if earlier replies are pending.
    func send(_ frame: ReplyFrame, to id: ConnectionState.CallID) -> Bool {
        guard case .open = phase, !loop.isStopping, let context else { return false }
        if state.unwrittenBytes > 0 { state.noteUnwritten(unwrittenBytes) }
        guard isDrained, state.sendableStream == id else { return false }
        write(frame, context)
        work()
        return true
    }

    /// Sends a progress report, or drops it if it can't be written now.
    func offer(_ id: ConnectionState.CallID, _ parameters: ConnectionState.Encoder) {
        guard !isClosed, !loop.isStopping else { return }
        if state.unwrittenBytes > 0 { state.noteUnwritten(unwrittenBytes) }
        state.offer(id, parameters)
    }

    private func sendItems(_ context: ChannelHandlerContext) {
        while isDrained, let index = waitingItems.firstIndex(where: { $0.frame == nil || $0.id == state.sendableStream }) {
            let item = waitingItems.remove(at: index)
            if let frame = item.frame, !item.isSent.isSet { write(frame, context) }
            item.isSent.set(true)
        }
    }

    /// Whether the socket has accepted all replies; only then may a stream send, so at most one of its replies is pending.
    private var isDrained: Bool { state.output.isEmpty && state.unwrittenBytes == 0 }
}

// MARK: - Work

extension Connection {
    /// Starts calls, sends pending output in one write, then reads on or closes.
    func work() {
        guard case .open = phase, !isStartingCalls, let context else { return }
        state.beginBatch()
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
        if watch.note(halfFrame: state.halfFrame, unwrittenBytes: state.unwrittenBytes) { loop.watchClock() }
    }

    private func startCalls() {
        isStartingCalls = true
        defer { isStartingCalls = false }
        var mustClose = false
        while let started = state.nextCall() {
            loop.count { $0.calls += 1 }
            callCount += 1
            let reply = reply(to: started.id)
            guard let refusal else {
                loop.handler.start(started.request, of: loop.server.service, from: peer, reply: reply)
                continue
            }
            switch started.request {
            case .read: reply.fail(refusal)
            case .call(let call): loop.handler.refuse(call, with: refusal, from: peer, reply: reply)
            }
            mustClose = true
        }
        if mustClose { state.closeInput() }
        guard let frame = state.nextLargeFrame() else { return }
        if let refusal {
            state.end(frame.id, .failure(refusal))
            return state.closeInput()
        }
        loop.count { $0.calls += 1 }
        loop.read(LargeCall(frame: frame, reply: reply(to: frame.id)))
    }

    private func reply(to id: ConnectionState.CallID) -> ReplyHandle {
        ReplyHandle(connection: NIOLoopBound(self, eventLoop: loop.queue.eventLoop), id: id, queue: loop.queue, peer: peer)
    }

    /// Hands the output to the channel; false if it was empty.
    private func write(_ context: ChannelHandlerContext) -> Bool {
        let count = state.output.count
        guard count > 0 else { return false }
        loop.count { $0.bytesSent += count }
        watch.handedBytes += count
        let written = state.unwrittenBytes == 0 ? socket?.write(state.output) ?? 0 : 0
        guard written < count else {
            state.outputTaken()
            state.noteUnwritten(0)
            return true
        }
        var buffer = context.channel.allocator.buffer(capacity: count - written)
        buffer.writeBytes(state.output[written...])
        // Taken first, because the write may report free space at once and encode more replies.
        state.outputTaken()
        writeRest(buffer, context)
        return true
    }

    /// Writes a frame that connections may share; copies only the bytes that the socket doesn't accept.
    private func write(_ frame: ReplyFrame, _ context: ChannelHandlerContext) {
        var rest = frame.bytes
        loop.count { $0.bytesSent += rest.readableBytes }
        watch.handedBytes += rest.readableBytes
        rest.moveReaderIndex(forwardBy: socket?.write(rest) ?? 0)
        guard rest.readableBytes > 0 else { return }
        // The rest of a large frame is copied, so that it doesn't keep the whole frame in memory. Large frames are rarely shared.
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

    private var unwrittenBytes: Int { (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Bytes that the peer has not read, as last recorded.
    var unreadBytes: Int { state.unwrittenBytes }

    /// Closes the connection if the peer is too slow.
    func check(at now: NIODeadline, stalledSecondsMax: Double) {
        guard !isClosed else { return }
        if case .lingering(let end) = phase {
            if now >= end { close() }
            return
        }
        state.noteUnwritten(unwrittenBytes)
        let stalledSecondsMax = waitingItems.reduce(stalledSecondsMax) { min($0, $1.stalledSecondsMax) }
        switch watch.verdict(
            at: now, unwrittenBytes: state.unwrittenBytes, callSecondsMax: loop.server.limits.halfFrameSecondsMax,
            stalledSecondsMax: stalledSecondsMax)
        {
        case .ok: work()
        case .halfFrame:
            guard case .open = phase else { return }
            loop.count { $0.timeouts += 1 }
            let lateness = "message: not whole after \(loop.server.limits.halfFrameSecondsMax) seconds"
            state.refuseInput(refusal ?? .invalidParameter(lateness))
            work()
        case .stalled:
            loop.count { $0.timeouts += 1 }
            close()
        }
    }

    var client: ConnectionStatus {
        ConnectionStatus(
            peer: peer, calls: callCount, waitingBytes: unwrittenBytes + state.output.count, streams: lifetimes.count)
    }

    /// Whether the connection needs periodic timeout checks.
    var needsWatching: Bool {
        if case .lingering = phase { return true }
        return watch.isNeeded
    }
}

// MARK: - The end

extension Connection {
    /// Ends streams, answers running calls and closes.
    func stop() {
        state.closeInput()
        for (id, lifetime) in lifetimes where state.isStream(id) { lifetime.end() }
        giveBackItems()
        work()
    }

    /// Closes the channel immediately and discards unwritten output.
    func close() {
        socket = nil
        context?.close(promise: nil)
    }

    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// Closes the channel after the last bytes are written.
    private func finish(_ context: ChannelHandlerContext) {
        phase = .flushing
        watch.callsEnded()
        if state.unwrittenBytes > 0 { loop.watchClock() }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in self.written() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: written)
    }

    private func written() {
        guard case .flushing = phase, let context else { return }
        guard state.hasRefusedInput else { return close() }
        phase = .lingering(until: .now() + ServerLoop.lingerTime)
        loop.watchClock()
        context.close(mode: .output, promise: nil)
        if isReadHeld {
            isReadHeld = false
            context.read()
        }
    }

    private func closed() {
        guard !isClosed else { return }
        phase = .closed
        socket = nil
        state.closeInput()
        for lifetime in lifetimes.values { lifetime.end() }
        lifetimes = [:]
        giveBackItems()
        loop.remove(self)
    }

    private func giveBackItems() {
        let items = waitingItems
        waitingItems = []
        for item in items { item.isSent.set(false) }
    }
}
