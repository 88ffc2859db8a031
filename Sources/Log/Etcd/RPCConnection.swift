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
    /// There was no connection, so that nothing was sent; why, or `nil`: not in time.
    case unconnected((any Error)?)
    /// The member took it, and said nothing for too long.
    case silence
    /// The connection ended, or the member ended the call.
    case ended
    /// The answer has more bytes than any.
    case answerTooLarge
}

/// One connection to a member, on which calls of gRPC go side by side; used on its event loop alone.
final class RPCConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// What is asked.
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
        /// When the member took or gave something of it.
        var lastSign = NIODeadline.now()
        var timer: Scheduled<Void>?

        var timeout: NIODeadline { min(lastSign + call.silenceMax, call.end) }
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
    private var failure: (any Error)?
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

    /// Whether it takes another call.
    var isTaking: Bool {
        switch state {
        case .connecting, .open: nextStream < streamsMax
        case .ending, .closed: false
        }
    }

    func make(_ call: Call) {
        switch state {
        case .connecting(let calls): state = .connecting(calls + [call])
        case .open:
            if let context { send(call, on: context) }
        case .ending, .closed: call.promise.fail(RPCError.unconnected(nil))
        }
    }

    /// Ends all that is under way.
    func close() {
        giveUp(nil)
        context?.close(promise: nil)
    }

    /// Ends it before it was there.
    func giveUp(_ error: (any Error)?) {
        guard case .connecting(let calls) = state else { return }
        state = .closed
        for call in calls { call.promise.fail(RPCError.unconnected(error)) }
    }

    /// Has it end as soon as no call runs on it any more.
    func retire() {
        if case .open = state { state = .ending }
        if case .ending = state, running.isEmpty { context?.close(promise: nil) }
    }

    private func open(_ context: ChannelHandlerContext) {
        guard case .connecting(let calls) = state else { return context.close(promise: nil) }
        state = .open
        let room = HTTP2Frame(streamID: .rootStream, payload: .windowUpdate(windowSizeIncrement: Self.roomBytes))
        context.write(Self.wrapOutboundOut(room), promise: nil)
        for call in calls { send(call, on: context) }
    }

    private func send(_ call: Call, on context: ChannelHandlerContext) {
        let id = HTTP2StreamID(nextStream)
        nextStream += 2
        running[id] = Running(call: call)
        var buffer = context.channel.allocator.buffer(capacity: RPCReply.prefixBytes + call.message.count)
        buffer.writeInteger(UInt8(0))
        buffer.writeInteger(UInt32(call.message.count))
        buffer.writeBytes(call.message)
        let head = HTTP2Frame(streamID: id, payload: .headers(.init(headers: call.headers)))
        context.write(Self.wrapOutboundOut(head), promise: nil)
        let body = HTTP2Frame(streamID: id, payload: .data(.init(data: .byteBuffer(buffer), endStream: true)))
        context.writeAndFlush(Self.wrapOutboundOut(body), promise: nil)
        watch(id, on: context)
    }

    /// Ends all once a call gets no answer: whoever is silent for so long is not there, or nobody reaches him.
    private func watch(_ id: HTTP2StreamID, on context: ChannelHandlerContext) {
        guard let timeout = running[id]?.timeout else { return }
        guard timeout > .now() else { return end(context, RPCError.silence) }
        running[id]?.timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: timeout) { [self] in
            watch(id, on: context)
        }
    }

    private func end(_ context: ChannelHandlerContext, _ error: any Error) {
        failure = failure ?? error
        context.close(promise: nil)
    }

    private func takeOut(_ id: HTTP2StreamID) -> Running? {
        guard let ended = running.removeValue(forKey: id) else { return nil }
        ended.timer?.cancel()
        if case .ending = state { retire() }
        return ended
    }

    // MARK: - What comes

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        if isEncrypted {
            context.eventLoop.assumeIsolated().scheduleTask(in: connectTimeMax) { [self] in
                if case .connecting = state { context.close(promise: nil) }
            }
        } else {
            open(context)
        }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted: open(context)
        // An answer that is whole was taken before.
        case let event as StreamClosedEvent: takeOut(event.streamID)?.call.promise.fail(RPCError.ended)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        running[frame.streamID]?.lastSign = .now()
        switch frame.payload {
        case .headers(let headers): read(headers.headers, of: frame.streamID)
        case .data(let data):
            if case .byteBuffer(let buffer) = data.data { read(buffer, of: frame.streamID, context) }
        // What is sent of a large call goes on.
        case .windowUpdate: for id in running.keys { running[id]?.lastSign = .now() }
        case .goAway: retire()
        default: break
        }
        guard frame.payload.endsStream, let ended = takeOut(frame.streamID) else { return }
        ended.call.promise.succeed(ended.reply)
    }

    private func read(_ headers: HPACKHeaders, of id: HTTP2StreamID) {
        if let status = headers.first(name: ":status") { running[id]?.reply.status = Int(status) }
        if let code = headers.first(name: "grpc-status") { running[id]?.reply.code = Int(code) }
        if let said = headers.first(name: "grpc-message") { running[id]?.reply.said = said }
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
        guard buffer.readableBytes <= room else { return end(context, RPCError.answerTooLarge) }
        running[id]?.reply.bytes += buffer.readableBytesView
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(context, error) }

    func channelInactive(context: ChannelHandlerContext) {
        giveUp(failure)
        state = .closed
        for ended in running.values {
            ended.timer?.cancel()
            ended.call.promise.fail(failure ?? RPCError.ended)
        }
        running = [:]
        context.fireChannelInactive()
    }

    /// Bytes that may come before the member is told that there is room for more.
    private static let roomBytes = 1 << 24
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
