internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOTLS

/// What came of a call of gRPC.
struct RPCReply: Sendable {
    /// The status of HTTP; anything but 200 is no member's.
    var status: Int?
    /// The code of gRPC; 0: it was done; `nil`: the answer ended without one.
    var code: Int?
    /// What was said of a code that is not 0.
    var said = ""
    /// The bytes that came: a message behind its length.
    var bytes: [UInt8] = []

    /// The message, if there is one and nothing else.
    var message: ArraySlice<UInt8>? {
        guard bytes.count >= Self.prefixBytes, bytes[0] == 0 else { return nil }
        let length = bytes[1..<Self.prefixBytes].reduce(0) { $0 << 8 | Int($1) }
        return bytes.count == Self.prefixBytes + length ? bytes[Self.prefixBytes...] : nil
    }

    /// Bytes before a message: that it is not compressed, and its length.
    static let prefixBytes = 5
}

/// Why a call of gRPC has no answer.
enum RPCError: Error {
    /// There was no connection, or the member says that it began nothing, so that nothing was done; why, or `nil`: not in time.
    case unconnected((any Error)?)
    /// Whoever answers speaks TLS, and no HTTP/2.
    case otherProtocol
    /// The member took it, and said nothing for too long.
    case silence
    /// The connection ended, or the member ended the call.
    case ended
    /// The answer has more bytes than any.
    case answerTooLarge
    /// The connection failed while the call ran; where the member had answered no call before, it may not accept the certificate.
    case broken(any Error, hasAnswered: Bool)
}

/// One connection to a member, on which calls of gRPC go side by side; used on its event loop alone.
final class RPCConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    struct Call {
        var headers: HPACKHeaders
        var message: [UInt8]
        /// Bytes that its answer may have.
        var bytesMax: Int
        /// How long the member may be silent.
        var silenceMax: TimeAmount
        /// When it must be over.
        var end: NIODeadline
        var promise: EventLoopPromise<RPCReply>
    }

    private struct Running {
        var call: Call
        var reply = RPCReply()
        /// Whether all of it was sent.
        var isSent = false
        /// When the member took or gave something.
        var lastSign = NIODeadline.now()
        var timer: Scheduled<Void>?

        /// What goes on its way before the member has to say anything takes a while to arrive.
        var timeout: NIODeadline {
            let bytes = reply.status == nil ? min(call.message.count, RPCConnection.unreportedBytesMax) : 0
            let way = TimeAmount.milliseconds(Int64(bytes) * 1_000 / RPCConnection.bytesPerSecondMin)
            return min(lastSign + call.silenceMax + way, call.end)
        }
    }

    private enum State {
        /// Nothing is sent yet.
        case connecting([Call])
        case open
        /// Those that run may end; no other is taken.
        case ending
        case closed
    }

    private let isEncrypted: Bool
    private let connectTimeMax: TimeAmount
    private let streamsMax: Int
    private var context: ChannelHandlerContext?
    private var state = State.connecting([])
    private var running: [HTTP2StreamID: Running] = [:]
    private var nextStream = 1
    private var lastUse = NIODeadline.now()
    /// Whether the member has answered a call.
    private var hasAnswered = false
    /// The last stream on which the member does anything; `nil`: on all.
    private var lastStream: HTTP2StreamID?
    /// Bytes that came since the member was told that there is room for more.
    private var unreportedBytes = 0

    /// - Parameters:
    ///   - connectTimeMax: how long both sides may take to agree on TLS.
    ///   - streamsMax: the number behind those of all calls.
    init(isEncrypted: Bool, connectTimeMax: TimeAmount, streamsMax: Int) {
        self.isEncrypted = isEncrypted
        self.streamsMax = streamsMax
        self.connectTimeMax = connectTimeMax
    }

    /// Whether it takes another call: it may, and is not one of which somebody between may know nothing any more.
    var isTaking: Bool {
        switch state {
        case .connecting: true
        case .open: nextStream < streamsMax && (!running.isEmpty || .now() - lastUse < Self.idleTimeMax)
        case .ending, .closed: false
        }
    }

    func make(_ call: Call) {
        lastUse = .now()
        switch (state, context) {
        case (.connecting(let calls), _): state = .connecting(calls + [call])
        case (.open, let context?): send(call, on: context)
        case (.open, nil), (.ending, _), (.closed, _): call.promise.fail(RPCError.unconnected(nil))
        }
    }

    /// Ends all that is under way.
    func close() { end(RPCError.ended) }

    /// Has it end as soon as no call runs on it any more.
    func retire() {
        if case .open = state { state = .ending }
        if case .ending = state, running.isEmpty { close() }
    }

    private func open(_ context: ChannelHandlerContext) {
        guard case .connecting(let calls) = state else { return context.close(promise: nil) }
        state = .open
        let room = HTTP2Frame(streamID: .rootStream, payload: .windowUpdate(windowSizeIncrement: Self.roomBytes))
        context.writeAndFlush(Self.wrapOutboundOut(room), promise: nil)
        for call in calls { send(call, on: context) }
    }

    private func send(_ call: Call, on context: ChannelHandlerContext) {
        let id = HTTP2StreamID(nextStream)
        nextStream += 2
        running[id] = Running(call: call)
        let head = HTTP2Frame(streamID: id, payload: .headers(.init(headers: call.headers)))
        context.write(Self.wrapOutboundOut(head), promise: nil)
        var rest = context.channel.allocator.buffer(capacity: RPCReply.prefixBytes + call.message.count)
        rest.writeInteger(UInt8(0))
        rest.writeInteger(UInt32(call.message.count))
        rest.writeBytes(call.message)
        // A member says of each frame that it has come, and not before that: small ones show that a large call goes on.
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.frameBytes)) {
            let isLast = rest.readableBytes == 0
            let frame = HTTP2Frame(streamID: id, payload: .data(.init(data: .byteBuffer(piece), endStream: isLast)))
            guard isLast else {
                context.write(Self.wrapOutboundOut(frame), promise: nil)
                continue
            }
            let sent = context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.assumeIsolated().whenSuccess { [self] in running[id]?.isSent = true }
            context.write(Self.wrapOutboundOut(frame), promise: sent)
            break
        }
        context.flush()
        watch(id, on: context)
    }

    /// Ends all once a call gets no answer: whoever is silent for so long is not there, or nobody reaches him.
    private func watch(_ id: HTTP2StreamID, on context: ChannelHandlerContext) {
        guard let timeout = running[id]?.timeout else { return }
        guard timeout > .now() else { return end(RPCError.silence) }
        running[id]?.timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: timeout) { [self] in
            watch(id, on: context)
        }
    }

    /// Ends it: whoever waits is told at once, since a member that is silent takes no leave either.
    private func end(_ error: any Error) {
        let known = state
        state = .closed
        let (ended, failure) = (running.values, error as? RPCError ?? .broken(error, hasAnswered: hasAnswered))
        running = [:]
        if case .connecting(let calls) = known { for call in calls { call.promise.fail(RPCError.unconnected(error)) } }
        for one in ended {
            one.timer?.cancel()
            one.call.promise.fail(failure)
        }
        context?.close(promise: nil)
    }

    private func takeOut(_ id: HTTP2StreamID) -> Running? {
        guard let ended = running.removeValue(forKey: id) else { return nil }
        lastUse = .now()
        ended.timer?.cancel()
        return ended
    }

    // MARK: - What comes

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        if isEncrypted {
            context.eventLoop.assumeIsolated().scheduleTask(in: connectTimeMax) { [self] in
                if case .connecting = state { end(RPCError.unconnected(nil)) }
            }
        } else {
            open(context)
        }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let negotiated):
            if negotiated == Self.protocolName { open(context) } else { end(RPCError.otherProtocol) }
        // An answer that is whole was taken before.
        case let event as StreamClosedEvent:
            let isLeft = event.reason == .refusedStream || lastStream.map { event.streamID > $0 } == true
            if let ended = takeOut(event.streamID) {
                // Whoever has begun an answer, and says that nothing was begun, is not believed.
                ended.call.promise.fail(isLeft && ended.reply.status == nil ? RPCError.unconnected(nil) : .ended)
            }
            if case .ending = state { retire() }
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers): read(headers, of: frame.streamID)
        case .data(let data):
            unreportedBytes += data.paddingBytes.map { $0 + 1 } ?? 0
            if case .byteBuffer(let buffer) = data.data { read(buffer, of: frame.streamID, context) }
            renew { _ in true }
        // What is sent of a large call goes on.
        case .windowUpdate: renew { !$0.isSent }
        case .goAway(let last, _, _):
            lastStream = last
            retire()
        default: break
        }
        guard frame.payload.endsStream, let ended = takeOut(frame.streamID) else { return }
        hasAnswered = true
        if !ended.isSent {
            // It is refused before all of it was there; the rest must not arrive behind that.
            let reset = HTTP2Frame(streamID: frame.streamID, payload: .rstStream(.cancel))
            context.writeAndFlush(Self.wrapOutboundOut(reset), promise: nil)
        }
        // Nobody can have done what had not come.
        let isSound = ended.isSent || ended.reply.code.map { $0 != 0 } == true
        if isSound { ended.call.promise.succeed(ended.reply) } else { ended.call.promise.fail(RPCError.ended) }
        if case .ending = state { retire() }
    }

    /// One line has all calls: what goes on for one keeps the others waiting.
    private func renew(_ isKept: (Running) -> Bool) {
        for (id, call) in running where isKept(call) { running[id]?.lastSign = .now() }
    }

    private func read(_ frame: HTTP2Frame.FramePayload.Headers, of id: HTTP2StreamID) {
        running[id]?.lastSign = .now()
        if let status = frame.headers.first(name: ":status") { running[id]?.reply.status = Int(status) }
        // Only the last word has a code, and has one.
        let codes = frame.headers["grpc-status"]
        guard frame.endStream, codes.count == 1, codes[0].utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return
        }
        running[id]?.reply.code = Int(codes[0])
        if let said = frame.headers.first(name: "grpc-message") { running[id]?.reply.said = said }
    }

    private func read(_ buffer: ByteBuffer, of id: HTTP2StreamID, _ context: ChannelHandlerContext) {
        unreportedBytes += buffer.readableBytes
        if unreportedBytes >= Self.roomBytes / 2 {
            let room = HTTP2Frame(streamID: .rootStream, payload: .windowUpdate(windowSizeIncrement: unreportedBytes))
            context.writeAndFlush(Self.wrapOutboundOut(room), promise: nil)
            unreportedBytes = 0
        }
        // Nothing else holds these bytes while more are added, or each piece would copy all before it.
        guard let room = running[id].map({ $0.call.bytesMax - $0.reply.bytes.count }) else { return }
        guard buffer.readableBytes <= room else { return end(RPCError.answerTooLarge) }
        running[id]?.reply.bytes += buffer.readableBytesView
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(error) }

    func channelInactive(context: ChannelHandlerContext) {
        end(RPCError.ended)
        context.fireChannelInactive()
    }

    /// As TLS calls HTTP/2.
    static let protocolName = "h2"
    /// Bytes that may come before the member is told that there is room for more.
    private static let roomBytes = 1 << 24
    /// Bytes of a frame: all members take so many.
    private static let frameBytes = 1 << 14
    /// Bytes of calls that members take at first without saying that they came; of more only those whose lines are quick.
    private static let unreportedBytesMax = 1 << 16
    /// Bytes that a line brings in a second at least.
    private static let bytesPerSecondMin: Int64 = 1 << 16
    /// After so much time whoever stands between may have forgotten a connection on which nothing goes.
    private static let idleTimeMax = TimeAmount.seconds(60)
}

extension HTTP2Frame.FramePayload {
    fileprivate var endsStream: Bool {
        switch self {
        case .headers(let headers): headers.endStream
        case .data(let data): data.endStream
        default: false
        }
    }
}
