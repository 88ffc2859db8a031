public import Varlink

/// Handles the calls of a service's own interfaces.
public protocol VarlinkHandler: Sendable {
    /// Starts a valid call and ends it now or later.
    ///
    /// Called on the event loop or on the thread that parses large calls, in call order for each connection; must not block.
    func handle(_ call: Call, from peer: Peer, reply: ReplyHandle)

    /// Starts a call that ``read(_:)`` returned, under the same rules as ``handle(_:from:reply:)``.
    func handle(read input: any Sendable, from peer: Peer, reply: ReplyHandle)

    /// Refuses a call that matches no method description or comes from a refused peer, under the same rules.
    ///
    /// Another error may take precedence: a peer that may not call the method need not learn the mistake in the call.
    func refuse(_ call: Call, with error: CallError, from peer: Peer, reply: ReplyHandle)

    /// Parses the frames of frequent calls, see ``ConnectionState/PlainReader``.
    @Sendable func read(_ frame: Span<UInt8>) -> (any Sendable)?

    /// Returns the error that answers every call of a refused peer; nil if the peer is served.
    ///
    /// Called once per connection. A refused connection is closed after its first calls are answered.
    func refusal(of peer: Peer) -> CallError?
    func noticed(_ event: ServerEvent)
}

public enum ServerEvent: Sendable, Equatable {
    /// `accept` failed with `EMFILE` or `ENFILE`; sent once per episode, on the event loop.
    case descriptorShortage(errno: Int32)
    /// Many connections were closed, and their memory can be returned to the system. Not on the event loop.
    case connectionsReleased
}

extension VarlinkHandler {
    /// Never called for a handler that doesn't implement ``read(_:)``.
    public func handle(read input: any Sendable, from peer: Peer, reply: ReplyHandle) { reply.fail(.methodNotImplemented("")) }
    public func refuse(_ call: Call, with error: CallError, from peer: Peer, reply: ReplyHandle) { reply.fail(error) }

    /// Leaves every frame to the strict parser.
    public func read(_ frame: Span<UInt8>) -> (any Sendable)? { nil }

    /// Serves every peer that can open the socket.
    public func refusal(of peer: Peer) -> CallError? { nil }
    public func noticed(_ event: ServerEvent) {}

    /// Starts a call, unless the service description answers or refuses it.
    func start(_ request: ConnectionState.Request, of service: ServiceDescription, from peer: Peer, reply: ReplyHandle) {
        switch request {
        case .read(let input): handle(read: input, from: peer, reply: reply)
        case .call(let call):
            var reply = reply
            reply.more = call.more
            switch service.validate(call) {
            case .answer(let parameters): reply.succeed(byteCount: parameters.count) { $0 += parameters }
            case .refusal(let error): refuse(call, with: error, from: peer, reply: reply)
            case .pass: handle(call, from: peer, reply: reply)
            }
        }
    }
}

/// Resource limits of a server; the defaults match those of other implementations.
public struct VarlinkLimits: Sendable, Equatable {
    public var connectionsMax = 4_096
    public var connectionsPerUserMax = 256
    public var connection = ConnectionLimits()
    /// Seconds until a call must have arrived completely; also the time in which a refused connection must make its call.
    public var halfFrameSecondsMax = 10.0
    /// Seconds until a peer that leaves bytes unread is disconnected.
    public var stalledReaderSecondsMax = 60.0
    /// Maximum number of unread bytes over all connections of a user; above it, connections that don't read are closed after a second.
    public var unreadBytesPerUserMax = 16 << 20

    public init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }
}

/// The service-specific errors that the server itself returns, in addition to those of `org.varlink.service`.
///
/// They must be defined in an interface of the service.
public struct VarlinkErrors: Sendable, Equatable {
    /// The connection limit is reached, in total or for this user.
    public var tooManyConnections: CallError
    /// A stream ends because the server stops.
    public var stopping: CallError
    /// The body of a stream threw an error other than ``CallError``.
    public var failed: CallError

    public init(tooManyConnections: CallError, stopping: CallError, failed: CallError) {
        (self.tooManyConnections, self.stopping, self.failed) = (tooManyConnections, stopping, failed)
    }
}
