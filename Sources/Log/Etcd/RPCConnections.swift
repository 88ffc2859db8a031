internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// The connections to the members over which calls of gRPC go, each made when it is needed.
final class RPCConnections: Sendable {
    private let options: EtcdOptions
    private let loop: any EventLoop
    private let tls: NIOSSLContext?
    private let streamsMax: Int
    private let connections: NIOLoopBoundBox<[Int: RPCConnection]>

    /// Streams of a connection have numbers of 31 bits, each used once; another connection is made before they end.
    static let streamsMax = 1 << 30

    init(_ options: EtcdOptions, on loop: any EventLoop, streamsMax: Int = streamsMax) throws(EtcdError) {
        self.options = options
        self.streamsMax = streamsMax
        self.loop = loop
        connections = .makeBoxSendingValue([:], eventLoop: loop)
        tls = options.isEncrypted ? try options.certificates.context : nil
    }

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - method: its service and its name: `package.Service/Name`.
    ///   - endpoint: the place of a member among the endpoints.
    ///   - bytesMax: bytes that the answer may have.
    func call(
        _ method: String, _ message: [UInt8], of endpoint: Int, token: String?, upTo bytesMax: Int
    ) -> EventLoopFuture<RPCReply> {
        let silenceMax = TimeAmount(options.requestTimeMax)
        let end = NIODeadline.now() + silenceMax + EtcdClient.transferTimeMax
        return loop.flatSubmit { [self] in
            var headers: HPACKHeaders = [
                ":method": "POST", ":scheme": tls == nil ? "http" : "https", ":path": "/\(method)",
                ":authority": options.endpoints[endpoint], "content-type": "application/grpc", "te": "trailers",
                // A member that knows no leader says so at once, in place of letting the request wait.
                "hasleader": "true",
            ]
            if let token { headers.add(name: "token", value: token, indexing: .neverIndexed) }
            let promise = loop.makePromise(of: RPCReply.self)
            connection(to: endpoint).make(
                RPCConnection.Call(
                    headers: headers, message: message, bytesMax: bytesMax + RPCReply.prefixBytes, silenceMax: silenceMax,
                    end: end,
                    promise: promise))
            return promise.futureResult
        }
    }

    /// Closes all of them.
    func stop() {
        loop.execute { [connections] in
            for connection in connections.value.values { connection.close() }
            connections.value = [:]
        }
    }

    private func connection(to endpoint: Int) -> RPCConnection {
        if let known = connections.value[endpoint], known.isTaking { return known }
        connections.value[endpoint]?.retire()
        let connection = RPCConnection(
            isEncrypted: tls != nil, connectTimeMax: TimeAmount(options.connectTimeMax), streamsMax: streamsMax)
        connections.value[endpoint] = connection
        let (host, port) = options.address(of: endpoint)
        let bound = NIOLoopBound(connection, eventLoop: loop)
        ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(options.connectTimeMax))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [tls] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        let isNumber = (try? SocketAddress(ipAddress: host, port: port)) != nil
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: isNumber ? nil : host))
                    }
                    try pipeline.addHandler(NIOHTTP2Handler(mode: .client, initialSettings: Self.settings))
                    try pipeline.addHandler(bound.value)
                }
            }
            .connect(host: host, port: port)
            .whenFailure { bound.value.giveUp($0) }
        return connection
    }

    private static let settings: HTTP2Settings = [
        HTTP2Setting(parameter: .enablePush, value: 0),
        // An answer is taken as a whole, up to the bytes that it may have.
        HTTP2Setting(parameter: .initialWindowSize, value: 1 << 25),
        HTTP2Setting(parameter: .maxHeaderListSize, value: 1 << 14),
    ]
}

extension EtcdOptions {
    /// Where a member is: an address or a name, and a port.
    func address(of endpoint: Int) -> (host: String, port: Int) {
        let parts = endpoints[endpoint].split(separator: ":", omittingEmptySubsequences: false)
        let host = parts.dropLast().joined(separator: ":")
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return (isBracketed ? String(host.dropFirst().dropLast()) : host, parts.last.flatMap { Int($0) } ?? 0)
    }
}
