internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Ends a connection whose answer has a status below 100: the library takes any for a word in between, and ends the program at what follows.
private final class StatusHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = Self.unwrapInboundIn(data), head.status.code < 100 {
            context.fireErrorCaught(HTTPParserError.invalidStatus)
            context.close(promise: nil)
        } else if context.channel.isActive {
            context.fireChannelRead(data)
        }
    }
}

extension HTTPClient.Configuration {
    /// How members are asked, but for how long they may be silent.
    static func forMembers(_ options: EtcdOptions) -> Self {
        var settings = Self(redirectConfiguration: .disallow, decompression: .disabled)
        settings.httpVersion = .http1Only
        settings.timeout.connect = TimeAmount(options.connectionTimeMax)
        settings.connectionPool.retryConnectionEstablishment = false
        settings.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(StatusHandler(), position: .after(decoder))
            }
        }
        return settings
    }
}
