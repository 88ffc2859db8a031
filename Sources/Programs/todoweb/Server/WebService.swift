import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import TodoAPI

final class WebService: Sendable {
    let token: AccessToken
    let isReadOnly: Bool
    let socket: String
    let names = Mutex(InterfaceNames())
    private let admission = Mutex(
        AdmissionControl<Connection>(authenticatedMax: WebLimits.connectionsMax, unauthenticatedMax: WebLimits.unauthenticatedMax)
    )

    init(token: AccessToken, isReadOnly: Bool, socket: String) {
        (self.token, self.isReadOnly, self.socket) = (token, isReadOnly, socket)
    }

    /// Admits a connection; one without the token may be closed for it.
    func enter(_ channel: any Channel) {
        let leaving = admission.withLock { $0.enter(Connection(channel: channel)) }
        // Outside of the lock, because it may re-enter.
        leaving?.channel.close(promise: nil)
    }

    func touch(_ channel: any Channel) { admission.withLock { $0.touch(Connection(channel: channel)) } }

    /// Moves a connection to those with the token; false if there is no room.
    func authenticate(_ channel: any Channel) -> Bool { admission.withLock { $0.authenticate(Connection(channel: channel)) } }

    func leave(_ channel: any Channel) { admission.withLock { $0.leave(Connection(channel: channel)) } }

    /// Connects to the daemon for a call.
    ///
    /// Both connections share one event loop, so that no thread has to wait for another.
    func connect(_ daemon: DaemonConnection, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        let handler = NIOLoopBound(daemon, eventLoop: eventLoop)
        return ClientBootstrap(group: eventLoop)
            .channelOption(.autoRead, value: false)
            .connectTimeout(.seconds(Int64(WebLimits.connectSecondsMax)))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler.value) }
            }
            .connect(unixDomainSocketPath: socket)
    }

    private struct Connection: Equatable, Sendable {
        let channel: any Channel

        static func == (one: Self, other: Self) -> Bool { one.channel === other.channel }
    }
}

/// Admission control: connections with the token, and a few without.
///
/// Every user of the machine can connect, so connections without the token have their own limit and can't block the others. A
/// browser that loads the page has no token yet either, but sends requests continuously, so the least recently active connection
/// is closed first.
struct AdmissionControl<Connection: Equatable> {
    private var authenticated: [Connection] = []
    /// Connections without the token, the least recently active one first.
    private var unauthenticated: [Connection] = []
    private let authenticatedMax: Int
    private let unauthenticatedMax: Int

    init(authenticatedMax: Int, unauthenticatedMax: Int) {
        (self.authenticatedMax, self.unauthenticatedMax) = (authenticatedMax, unauthenticatedMax)
    }

    /// Admits a connection; returns the one that must be closed.
    mutating func enter(_ connection: Connection) -> Connection? {
        unauthenticated.append(connection)
        return unauthenticated.count > unauthenticatedMax ? unauthenticated.removeFirst() : nil
    }

    mutating func touch(_ connection: Connection) {
        guard let index = unauthenticated.firstIndex(of: connection) else { return }
        unauthenticated.append(unauthenticated.remove(at: index))
    }

    /// Moves a connection to those with the token; false if there is no room.
    mutating func authenticate(_ connection: Connection) -> Bool {
        if authenticated.contains(connection) { return true }
        guard authenticated.count < authenticatedMax, let index = unauthenticated.firstIndex(of: connection) else { return false }
        authenticated.append(unauthenticated.remove(at: index))
        return true
    }

    mutating func leave(_ connection: Connection) {
        authenticated.removeAll { $0 == connection }
        unauthenticated.removeAll { $0 == connection }
    }
}

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
