import NIOCore
import NIOPosix
import Synchronization
import TodoAPI

/// What all connections share: who may call, and where the daemon is.
final class WebService: Sendable {
    let token: AccessToken
    let isReadOnly: Bool
    /// The path of the daemon's socket.
    let socket: String
    /// The names of the daemon, as far as they are known.
    let names = Mutex(InterfaceNames())
    private let places = Mutex(Places<Connection>(knownMax: WebLimits.connectionsMax, strangersMax: WebLimits.strangersMax))

    init(token: AccessToken, isReadOnly: Bool, socket: String) {
        (self.token, self.isReadOnly, self.socket) = (token, isReadOnly, socket)
    }

    /// Gives a connection a place, which one without the token may have to leave for it.
    func enter(_ channel: any Channel) {
        let leaving = places.withLock { $0.enter(Connection(channel: channel)) }
        // Outside the lock: it leaves at once.
        leaving?.channel.close(promise: nil)
    }

    /// Notes that a connection has asked something, so that those that are silent give way before it.
    func ask(_ channel: any Channel) { places.withLock { $0.ask(Connection(channel: channel)) } }

    /// Gives a connection that showed the token a place among those; false: there is none.
    func show(_ channel: any Channel) -> Bool { places.withLock { $0.show(Connection(channel: channel)) } }

    /// Gives the place of a connection back.
    func leave(_ channel: any Channel) { places.withLock { $0.leave(Connection(channel: channel)) } }

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

    private struct Connection: Equatable, Sendable {
        let channel: any Channel

        static func == (one: Self, other: Self) -> Bool { one.channel === other.channel }
    }
}

/// Who has a place at the server: connections on which the token was shown, and a few others.
///
/// Everybody on the machine can connect, so those without the token have places of their own, and can keep none from who has it.
/// A browser that fetches the page is without it, too, but asks one thing after the other, so of those the silent ones go first.
struct Places<Connection: Equatable> {
    private var known: [Connection] = []
    /// Those without the token, the one first that has done nothing for longest.
    private var strangers: [Connection] = []
    private let knownMax: Int
    private let strangersMax: Int

    init(knownMax: Int, strangersMax: Int) { (self.knownMax, self.strangersMax) = (knownMax, strangersMax) }

    /// Gives a new connection a place; returns the one that has to go for it.
    mutating func enter(_ connection: Connection) -> Connection? {
        strangers.append(connection)
        return strangers.count > strangersMax ? strangers.removeFirst() : nil
    }

    /// Notes that a connection has asked something.
    mutating func ask(_ connection: Connection) {
        guard let index = strangers.firstIndex(of: connection) else { return }
        strangers.append(strangers.remove(at: index))
    }

    /// Gives a connection that showed the token a place among those that did; false: there is none.
    mutating func show(_ connection: Connection) -> Bool {
        if known.contains(connection) { return true }
        guard known.count < knownMax, let index = strangers.firstIndex(of: connection) else { return false }
        known.append(strangers.remove(at: index))
        return true
    }

    /// Gives the place of a connection back, if it has one.
    mutating func leave(_ connection: Connection) {
        known.removeAll { $0 == connection }
        strangers.removeAll { $0 == connection }
    }
}
