internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// The connections to the members over which calls of gRPC go, each made when it is needed.
final class RPCConnections: Sendable {
    private enum Entry {
        /// Calls wait for it.
        case connecting([RPCConnection.Call])
        case made(RPCConnection)
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        /// All that are open, also those that take no call any more.
        var connections: [ObjectIdentifier: RPCConnection] = [:]
        var isStopped = false
    }

    private let options: EtcdOptions
    private let loop: any EventLoop
    private let tls: NIOSSLContext?
    private let streamsMax: Int
    private let resolver: (any Resolver & Sendable)?
    private let state: NIOLoopBoundBox<State>

    /// Streams of a connection have numbers of 31 bits, each used once; another connection is made before they end.
    static let streamsMax = 1 << 30

    /// - Parameters:
    ///   - tls: how members are asked over TLS; `nil`: without it.
    ///   - resolver: what finds the addresses of a name; `nil`: the system.
    init(
        _ options: EtcdOptions, _ tls: TLSConfiguration? = nil, on loop: any EventLoop, streamsMax: Int = streamsMax,
        resolver: (any Resolver & Sendable)? = nil
    ) throws(EtcdError) {
        self.options = options
        self.streamsMax = streamsMax
        self.resolver = resolver
        self.loop = loop
        state = .makeBoxSendingValue(State(), eventLoop: loop)
        self.tls = try tls?.contextOfRPC
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
            let call = RPCConnection.Call(
                headers: headers, message: message, bytesMax: bytesMax + RPCReply.prefixBytes, silenceMax: silenceMax, end: end,
                promise: promise)
            make(call, at: endpoint)
            return promise.futureResult
        }
    }

    /// Closes all of them, and takes no call any more.
    func stop() {
        loop.execute { [state] in
            let (entries, connections) = (state.value.entries.values, state.value.connections.values)
            state.value = State(isStopped: true)
            for case .connecting(let calls) in entries {
                for call in calls { call.promise.fail(RPCError.unconnected(nil)) }
            }
            for connection in connections { connection.close() }
        }
    }

    private func make(_ call: RPCConnection.Call, at endpoint: Int) {
        guard !state.value.isStopped else { return call.promise.fail(RPCError.unconnected(nil)) }
        switch state.value.entries[endpoint] {
        case .connecting(let calls): state.value.entries[endpoint] = .connecting(calls + [call])
        case .made(let connection) where connection.isTaking: connection.make(call)
        case .made(let connection):
            connection.retire()
            fallthrough
        case nil:
            state.value.entries[endpoint] = .connecting([call])
            connect(to: endpoint)
        }
    }

    /// A name may have several addresses, each of which is tried on a channel of its own, with a handler of its own.
    private func connect(to endpoint: Int) {
        let (host, port) = options.address(of: endpoint)
        let isNumber = options.isNumber(endpoint)
        let (streamsMax, connectTimeMax) = (streamsMax, TimeAmount(options.connectionTimeMax))
        ClientBootstrap(group: loop)
            .connectTimeout(connectTimeMax)
            .resolver(resolver)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [tls] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: isNumber ? nil : host))
                    }
                    try pipeline.addHandler(NIOHTTP2Handler(mode: .client, connectionConfiguration: Self.configuration))
                    try pipeline.addHandler(
                        RPCConnection(isEncrypted: tls != nil, connectTimeMax: connectTimeMax, streamsMax: streamsMax))
                }
            }
            .connect(host: host, port: port)
            .assumeIsolated()
            .whenComplete { [state] result in
                guard case .connecting(let calls) = state.value.entries[endpoint] else {
                    // It was stopped meanwhile.
                    if case .success(let channel) = result { channel.close(promise: nil) }
                    return
                }
                do {
                    let channel = try result.get()
                    let connection = try channel.pipeline.syncOperations.handler(type: RPCConnection.self)
                    state.value.entries[endpoint] = .made(connection)
                    state.value.connections[ObjectIdentifier(connection)] = connection
                    channel.closeFuture.assumeIsolated().whenComplete { _ in
                        state.value.connections[ObjectIdentifier(connection)] = nil
                    }
                    for call in calls { connection.make(call) }
                } catch {
                    state.value.entries[endpoint] = nil
                    for call in calls { call.promise.fail(RPCError.unconnected(error)) }
                }
            }
    }

    private static let configuration = {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            // An answer is taken as a whole, up to the bytes that it may have.
            HTTP2Setting(parameter: .initialWindowSize, value: 1 << 25),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 1 << 14),
        ]
        // Members ping with nearly each call, to find out how fast the line is; 200 in 30 seconds would end the connection.
        configuration.controlFrameRateLimit.maximumCount = 1_000_000
        return configuration
    }()
}

extension EtcdOptions {
    /// Where a member is: an address or a name, and a port.
    func address(of endpoint: Int) -> (host: String, port: Int) {
        let parts = endpoints[endpoint].split(separator: ":", omittingEmptySubsequences: false)
        let host = parts.dropLast().joined(separator: ":")
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return (isBracketed ? String(host.dropFirst().dropLast()) : host, parts.last.flatMap { Int($0) } ?? 0)
    }

    /// Whether a member is asked at an address, and not at one that its name has.
    func isNumber(_ endpoint: Int) -> Bool {
        let (host, port) = address(of: endpoint)
        return (try? SocketAddress(ipAddress: host, port: port)) != nil
    }

    /// How long it may take until there is a connection, at whichever address of its name a member is: the second is tried so much later.
    var connectionTimeMax: Duration {
        endpoints.indices.allSatisfy(isNumber) ? connectTimeMax : connectTimeMax + .milliseconds(250)
    }
}
