import Glibc
import NIOCore
import NIOHTTP1
import Varlink

/// One connection of a browser: handles requests one after the other.
///
/// Bound to the event loop. Pipelined requests are held back by the handlers before it.
final class WebConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Phase {
        case idle
        case page(PageFile)
        case body(RequestGate.Call, [UInt8])
        case asking(RequestGate.Call)
        case streaming
        /// Sends nothing more but lets the client finish writing: closing immediately would discard the response.
        case lingering
        case closed
    }

    private let service: WebService
    private let gate: RequestGate
    private var phase = Phase.idle
    private var keepsAlive = true
    private var isHead = false
    // Whether a call with the token was accepted.
    private var isAuthenticated = false
    private var context: ChannelHandlerContext?
    private var daemon: DaemonConnection?
    private var deadline: Scheduled<Void>?

    init(service: WebService, port: Int) {
        self.service = service
        gate = RequestGate(port: port, token: service.token, isReadOnly: service.isReadOnly)
    }
}

// MARK: - What the channel tells

extension WebConnection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        service.enter(context.channel)
        awaitRequest()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head)
        case .body(let bytes): take(bytes)
        case .end: requestEnded()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        switch (phase, context.channel.isWritable) {
        case (.asking, true), (.streaming, true):
            deadline?.cancel()
            daemon?.readOn()
        case (.streaming, false): closeUnless(withinSeconds: WebLimits.unreadSecondsMax)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // After a parse error nothing more can be read.
        guard case .idle = phase, let error = error as? HTTPParserError else { return close() }
        refuse(error == .headerOverflow ? .headersTooLarge : .malformed("This is not an HTTP request."), closing: true)
    }
}

// MARK: - Requests

extension WebConnection {
    private func begin(_ head: HTTPRequestHead) {
        guard case .idle = phase, let channel = context?.channel else { return }
        // A client that keeps sending requests without reading responses is disconnected, because its responses would have to be
        // buffered.
        guard hasRoom else { return close() }
        service.touch(channel)
        (keepsAlive, isHead) = (head.isKeepAlive, head.method == .HEAD)
        let request = RequestGate.Head(
            verb: head.method.rawValue, target: head.uri, fields: head.headers.map { ($0.name, $0.value) })
        do throws(Refusal) {
            switch try gate.verdict(on: request) {
            case .page(let file): phase = .page(file)
            case .call(let call):
                guard service.authenticate(channel) else { return close() }
                phase = .body(call, [])
                isAuthenticated = true
                awaitRequest()
                if request.values(of: "expect").contains(where: { $0.lowercased() == "100-continue" }) {
                    context?.writeAndFlush(
                        wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
                }
            }
        } catch {
            // The rest of the request is discarded.
            refuse(error, closing: true)
        }
    }

    private func take(_ bytes: ByteBuffer) {
        guard case .body(let call, var body) = phase else { return }
        phase = .idle
        guard body.count + bytes.readableBytes <= WebLimits.bodyBytesMax else { return refuse(.tooLarge, closing: true) }
        body.append(contentsOf: bytes.readableBytesView)
        phase = .body(call, body)
    }

    private func requestEnded() {
        switch phase {
        case .page(let file): answer(WebAnswer(file))
        case .body(let call, let body):
            deadline?.cancel()
            do throws(Refusal) {
                ask(call, try CallBody.parameters(body))
            } catch {
                refuse(error)
            }
        case .idle, .asking, .streaming, .lingering, .closed: break
        }
    }

    private func ask(_ call: RequestGate.Call, _ parameters: [UInt8]) {
        guard let context else { return }
        phase = .asking(call)
        let daemon = DaemonConnection(
            call: Call.frame(call.method, parameters: parameters, more: call.isStream), of: service, reader: self)
        self.daemon = daemon
        service.connect(daemon, on: context.eventLoop).assumeIsolated().whenFailure { _ in
            // Ignore a connection that was closed in the meantime.
            if self.daemon === daemon { self.isDisconnected() }
        }
    }
}

// MARK: - Answers

extension WebConnection {
    private func refuse(_ refusal: Refusal, closing: Bool = false) { answer(WebAnswer(refusal), closing: closing) }

    private func answer(_ answer: WebAnswer, closing: Bool = false) {
        if closing { keepsAlive = false }
        var fields = answer.fields.map { ($0.key, $0.value) }
        fields.append(("Content-Length", String(answer.body.count)))
        write(status: answer.status, type: answer.type, fields)
        if !isHead { write(answer.body) }
        answered()
    }

    private func write(status: Int, type: String, _ fields: [(String, String)]) {
        var headers = HTTPHeaders(WebAnswer.commonFields)
        headers.add(name: "Content-Type", value: type)
        // The uid is only sent to clients with the token.
        if isAuthenticated { headers.add(name: WebAnswer.userField, value: String(getuid())) }
        for field in fields { headers.replaceOrAdd(name: field.0, value: field.1) }
        if !keepsAlive { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
        context?.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func write(_ bytes: [UInt8]) {
        context?.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
    }

    /// Completes a response and waits for the next request or the end.
    private func answered() {
        guard let context else { return }
        hangUp()
        phase = keepsAlive ? .idle : .lingering
        closeUnless(withinSeconds: WebLimits.unreadSecondsMax)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { self.isWritten() }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    private func isWritten() {
        switch phase {
        case .idle: awaitRequest()
        case .lingering:
            closeUnless(withinSeconds: WebLimits.lingerSecondsMax)
            context?.close(mode: .output, promise: nil)
        case .page, .body, .asking, .streaming, .closed: break
        }
    }

    private func hangUp() {
        let daemon = self.daemon
        self.daemon = nil
        daemon?.close()
    }
}

// MARK: - Replies

extension WebConnection: ReplyReader {
    var hasRoom: Bool { context?.channel.isWritable ?? false }

    func isConnected(to daemon: DaemonConnection) {
        guard case .asking(let call) = phase, call.isStream else { return }
        phase = .streaming
        write(status: 200, type: WebAnswer.sequence, [])
        context?.flush()
    }

    func reply(_ frame: [UInt8]) {
        switch phase {
        case .asking:
            guard let answer = WebAnswer(reply: frame) else { return isDisconnected() }
            self.answer(answer)
        case .streaming:
            guard let reply = Reply(webFrame: frame) else { return isDisconnected() }
            write(WebAnswer.record(frame))
            if !reply.continues { answered() }
        case .idle, .page, .body, .lingering, .closed: break
        }
    }

    func repliesPaused() {
        if case .streaming = phase { context?.flush() }
    }

    func isDisconnected() {
        let refusal = Refusal.daemonAway(service.socket)
        switch phase {
        case .asking: refuse(refusal)
        case .streaming:
            write(WebAnswer.record(of: refusal))
            answered()
        case .idle, .page, .body, .lingering, .closed: break
        }
    }
}

// MARK: - The end

extension WebConnection {
    private func closeUnless(withinSeconds seconds: Int) {
        deadline?.cancel()
        deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(seconds))) { self.close() }
    }

    private func awaitRequest() {
        closeUnless(withinSeconds: isAuthenticated ? WebLimits.requestSecondsMax : WebLimits.unauthenticatedSecondsMax)
    }

    private func close() { context?.close(promise: nil) }

    private func end() {
        if case .closed = phase { return }
        phase = .closed
        deadline?.cancel()
        deadline = nil
        hangUp()
        if let context { service.leave(context.channel) }
    }
}
