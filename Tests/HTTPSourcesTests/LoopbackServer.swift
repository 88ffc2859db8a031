import NIOCore
import NIOHTTP1
import NIOPosix

/// A real local HTTP server with answers from the test, which runs during a closure.
final class LoopbackServer: Sendable {
    struct Request: Sendable {
        var method: String
        /// Path and query as received.
        var target: String
        var headers: HTTPHeaders
    }

    enum Reply: Sendable {
        /// A whole answer.
        ///
        /// Its length is added.
        case answer(Int, headers: [(String, String)] = [], body: String = "")
        /// A head, followed by the same chunk repeatedly, endlessly without a count.
        case chunks(String, count: Int?)
        /// A head that announces more bytes than are sent.
        case cutOff(String, missing: Int)
        /// A head and the beginning of a body, then nothing, while the connection stays open.
        case begun(String)
        /// Bytes that need not be HTTP.
        case raw(String)
        /// Nothing, while the connection stays open.
        case silence
    }

    /// Every request so far.
    let requests = Signal<[Request]>([])
    /// The number of connections that have ended.
    let closed = Signal(0)
    private let port = Signal(0)
    private let reply: @Sendable (Request) -> Reply

    // Not the event loop group of the client, because neither may block the other.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private let bound: String

    private init(at host: String, _ reply: @escaping @Sendable (Request) -> Reply) {
        bound = host
        self.reply = reply
    }

    func address(_ path: String = "/") -> String { "http://\(bound):\(port.value)\(path)" }

    /// Runs a server, then a test with it, then stops the server.
    static func run(
        at host: String = "127.0.0.1", _ reply: @escaping @Sendable (Request) -> Reply,
        _ body: @Sendable (LoopbackServer) async throws -> Void
    ) async throws {
        let server = LoopbackServer(at: host, reply)
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(Handler(server: server))
                }
            }
            .bind(host: host, port: 0).get()
        server.port.change { $0 = listener.localAddress?.port ?? 0 }
        do {
            try await body(server)
        } catch {
            try await listener.close()
            throw error
        }
        try await listener.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let server: LoopbackServer
        private var head: HTTPRequestHead?
        private var chunk: (bytes: ByteBuffer, left: Int?)?
        private var isScheduled = false

        init(server: LoopbackServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body: break
            case .end:
                guard let head else { return }
                let request = Request(method: head.method.rawValue, target: head.uri, headers: head.headers)
                server.requests.change { $0.append(request) }
                send(server.reply(request), context)
            }
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) { schedule(context) }

        func channelInactive(context: ChannelHandlerContext) { server.closed.change { $0 += 1 } }

        // Most of these tests disconnect the client early.
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func send(_ reply: Reply, _ context: ChannelHandlerContext) {
            switch reply {
            case .answer(let status, let headers, let body):
                // These statuses have no body and no length.
                let length = status == 204 || status == 304 ? [] : [("content-length", "\(body.utf8.count)")]
                write(.head(head(status, headers + length)), context)
                write(.body(.byteBuffer(ByteBuffer(string: body))), context)
                write(.end(nil), context)
                context.flush()
            case .chunks(let text, let count):
                write(.head(head(200, [("transfer-encoding", "chunked")])), context)
                chunk = (ByteBuffer(string: text), count)
                pump(context)
            case .cutOff(let body, let missing):
                write(.head(head(200, [("content-length", "\(body.utf8.count + missing)")])), context)
                write(.body(.byteBuffer(ByteBuffer(string: body))), context)
                context.flush()
                context.close(promise: nil)
            case .raw(let text):
                do {
                    let encoder = try context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
                    encoder.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
                } catch {
                    context.close(promise: nil)
                }
            case .begun(let text):
                write(.head(head(200, [("transfer-encoding", "chunked")])), context)
                write(.body(.byteBuffer(ByteBuffer(string: text))), context)
                context.flush()
            case .silence: break
            }
        }

        /// Writes one chunk and continues when there is room, but never from inside a write.
        private func pump(_ context: ChannelHandlerContext) {
            guard let chunk, context.channel.isActive else { return }
            if chunk.left == 0 {
                self.chunk = nil
                write(.end(nil), context)
                context.flush()
                return
            }
            self.chunk?.left = chunk.left.map { $0 - 1 }
            write(.body(.byteBuffer(chunk.bytes)), context)
            context.flush()
            schedule(context)
        }

        private func schedule(_ context: ChannelHandlerContext) {
            guard !isScheduled, chunk != nil, context.channel.isWritable else { return }
            isScheduled = true
            // The event loop runs due tasks before it checks the connections, so there must be a pause in between.
            context.eventLoop.assumeIsolated().scheduleTask(in: .microseconds(100)) {
                self.isScheduled = false
                self.pump(context)
            }
        }

        private func head(_ status: Int, _ headers: [(String, String)]) -> HTTPResponseHead {
            HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: HTTPHeaders(headers))
        }

        private func write(_ part: HTTPServerResponsePart, _ context: ChannelHandlerContext) {
            context.write(wrapOutboundOut(part), promise: nil)
        }
    }
}
