import NIOCore
import Synchronization
import TodoAPI
import Varlink

/// One call to the daemon on its own connection, with backpressure for the replies.
///
/// Bound to the event loop. The owner closes it when the replies are not needed, which also ends the call in the daemon.
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

    /// - Parameter call: the frame, including the NUL.
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

    func readOn() {
        guard !isReading, let context, let reader, reader.hasRoom else { return }
        isReading = true
        context.read()
    }

    /// Closes the connection; the daemon cancels the call.
    func close() {
        reader = nil
        context?.close(promise: nil)
    }
}

/// Receives the replies to a call, on the event loop.
protocol ReplyReader: AnyObject {
    /// Whether more may be read; the reader calls `readOn` when that becomes true.
    var hasRoom: Bool { get }
    func isConnected(to daemon: DaemonConnection)
    /// A reply, without the NUL.
    func reply(_ frame: [UInt8])
    /// All available replies have been passed on.
    func repliesPaused()
    func isDisconnected()
}
