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

    /// Replies with the given error.
    public func refuse(_ call: Call, with error: CallError, from peer: Peer, reply: ReplyHandle) { reply.fail(error) }

    /// Leaves every frame to the strict parser.
    public func read(_ frame: Span<UInt8>) -> (any Sendable)? { nil }

    /// Serves every peer that can open the socket.
    public func refusal(of peer: Peer) -> CallError? { nil }

    public func noticed(_ event: ServerEvent) {}
}

extension VarlinkHandler {
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
