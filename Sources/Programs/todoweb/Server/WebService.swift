import NIOCore
import NIOPosix
import Synchronization

/// What all connections share: who may call, and where the daemon is.
final class WebService: Sendable {
    let token: AccessToken
    let isReadOnly: Bool
    /// The path of the daemon's socket.
    let socket: String
    private let connections = Atomic<Int>(0)

    init(token: AccessToken, isReadOnly: Bool, socket: String) {
        (self.token, self.isReadOnly, self.socket) = (token, isReadOnly, socket)
    }

    /// Takes a connection, if there is room for it.
    func enter() -> Bool {
        guard connections.add(1, ordering: .relaxed).newValue <= WebLimits.connectionsMax else {
            leave()
            return false
        }
        return true
    }

    /// Gives the room of a connection back.
    func leave() { connections.subtract(1, ordering: .relaxed) }

    /// Makes a call on a connection of its own; fails where the daemon takes none.
    ///
    /// Both ends are on one event loop, so that nothing has to wait for another thread.
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
}
