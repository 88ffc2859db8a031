internal import Glibc
internal import NIOCore
internal import Varlink

/// Pauses a listener while the process or the system has no free file descriptor.
///
/// In that state `accept` fails immediately while a peer waits, so the event loop would spin. A reserve descriptor is closed
/// temporarily to accept the waiting peers and tell them why they are refused.
final class DescriptorShortage: ChannelInboundHandler {
    typealias InboundIn = any Channel

    /// Peers that are refused before accepting pauses.
    private static let refusalsMax = 64
    private static let shortestPause = TimeAmount.milliseconds(10)
    private static let longestPause = TimeAmount.seconds(1)
    /// A failure after a longer interval starts a new episode, which is reported again.
    private static let episodeGap = TimeAmount.seconds(60)
    private let loop: ServerLoop
    private let listener: CInt
    private var reserve = DescriptorShortage.openReserve()
    private var pause = DescriptorShortage.shortestPause
    private var lastFailure: NIODeadline?

    init(_ loop: ServerLoop, listener: CInt) { (self.loop, self.listener) = (loop, listener) }

    deinit { close(reserve) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pause = Self.shortestPause
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let code = (error as? IOError)?.errnoCode, code == EMFILE || code == ENFILE else {
            return context.fireErrorCaught(error)
        }
        loop.count { $0.acceptFailures += 1 }
        let now = NIODeadline.now()
        if lastFailure.map({ now - $0 > Self.episodeGap }) ?? true { loop.handler.noticed(.descriptorShortage(errno: code)) }
        lastFailure = now
        refuseWaitingPeers()
        // The channel stays registered for reading unless automatic reading is turned off.
        let channel = context.channel
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        loop.schedule(in: pause) { try? channel.syncOptions?.setOption(.autoRead, value: true) }
        pause = min(pause * 2, Self.longestPause)
    }

    private func refuseWaitingPeers() {
        var refusal: [UInt8] = []
        Reply(loop.server.errors.tooManyConnections).write(into: &refusal)
        close(reserve)
        for _ in 0..<Self.refusalsMax {
            let peer = accept(listener, nil, nil)
            guard peer >= 0 else { break }
            loop.count { $0.refused += 1 }
            _ = send(peer, refusal, refusal.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
            close(peer)
        }
        reserve = Self.openReserve()
    }

    private static func openReserve() -> CInt { Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
