import NIOCore
import Synchronization
import TodoAPI
import Varlink

/// One call on a connection of its own to the daemon: the call out, the replies in, no more of them than somebody takes.
///
/// Bound to the event loop. Its owner closes the channel when nobody wants the answer any more, and so ends what runs for it.
final class DaemonConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let call: [UInt8]
    private let service: WebService
    private var translation: NameTranslation
    private weak var reader: (any ReplyReader)?
    private var decoder = FrameDecoder(frameBytesMax: WebLimits.replyBytesMax)
    private var context: ChannelHandlerContext?
    private var isReading = false

    /// - Parameter call: the frame of the call, with its NUL.
    init(call: [UInt8], of service: WebService, reader: any ReplyReader) {
        (self.call, self.service, self.reader) = (call, service, reader)
        translation = NameTranslation(service.names.withLock { $0 })
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: translation.send(call))), promise: nil)
        reader?.isConnected(to: self)
        readOn()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        decoder.append(bytes.readableBytesSpan)
        do throws(FrameDecoder.FrameTooLong) {
            while let frame = try decoder.take() {
                guard let reader else { break }
                let received = translation.receive(frame)
                service.names.withLock { $0 = translation.names }
                for reply in received.replies { reader.reply(reply) }
                if !received.calls.isEmpty {
                    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: received.calls)), promise: nil)
                }
            }
        } catch {
            context.close(promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        reader?.repliesPaused()
        readOn()
    }

    func channelInactive(context: ChannelHandlerContext) { reader?.isDisconnected() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Reads further if there is room for what comes.
    func readOn() {
        guard !isReading, let context, let reader, reader.hasRoom else { return }
        isReading = true
        context.read()
    }

    /// Hangs up; the daemon ends what it does for the call.
    func close() {
        reader = nil
        context?.close(promise: nil)
    }
}

/// Who takes the replies to a call.
///
/// All of it happens on the event loop.
protocol ReplyReader: AnyObject {
    /// Whether more may be read now; when there is room again, the reader calls `readOn`.
    var hasRoom: Bool { get }
    /// The daemon took the connection.
    func isConnected(to daemon: DaemonConnection)
    /// A reply came: its bytes, without the NUL.
    func reply(_ frame: [UInt8])
    /// Those that had come are all told.
    func repliesPaused()
    /// The daemon closed the connection.
    func isDisconnected()
}
