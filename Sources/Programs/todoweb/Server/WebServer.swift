import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves the page and the calls on the loopback interface with one thread.
struct WebServer {
    private let channel: any Channel

    /// - Parameter port: 0 chooses a free port.
    init(port: Int, on group: any EventLoopGroup, _ service: WebService) throws {
        channel = try ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Int32(WebLimits.backlogMax))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(
                .writeBufferWaterMark, value: .init(low: WebLimits.unreadBytesMin, high: WebLimits.unreadBytesMax)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try Self.admit(channel, to: service) }
            }
            .bind(host: "127.0.0.1", port: port).wait()
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    private static func admit(_ channel: any Channel, to service: WebService) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = WebLimits.headerBytesMax
        limits.maxHeaderListSize = WebLimits.headerBytesMax
        limits.maxHeaderFieldCount = WebLimits.headerFieldsMax
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withErrorHandling: false, withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        try channel.pipeline.syncOperations.addHandler(WebConnection(service: service, port: channel.localAddress?.port ?? 0))
    }
}
