public import Varlink

/// What a service does with the calls of its own interfaces.
public protocol VarlinkHandler: Sendable {
    /// Starts a call, which fits the description of its method, and ends it now or later.
    ///
    /// On the event loop, or on the thread that reads large calls; one connection's calls in their order; must not block.
    func handle(_ call: Call, from peer: Peer, reply: ReplyHandle)

    /// Starts a call that ``read(_:)`` gave, under the same rules.
    func handle(read input: any Sendable, from peer: Peer, reply: ReplyHandle)

    /// Refuses a call: one that fits no description of a method, or of a peer who is not served.
    ///
    /// Under the same rules, and with that error, unless there is one that comes before it: who may not call a method at all need not be told
    /// what is wrong with the call.
    func refuse(_ call: Call, with error: CallError, from peer: Peer, reply: ReplyHandle)

    /// Reads the frame of a call that comes often, without its NUL and without a tree in between.
    ///
    /// Nil for every frame that is not plainly such a call with one reply: it is read strictly and comes as a `Call`.
    @Sendable func read(_ frame: Span<UInt8>) -> (any Sendable)?

    /// The error that answers every call of a peer who may not be served, nil for one who may.
    ///
    /// Asked once for each connection; a refused one is closed after its first calls were answered.
    func refusal(of peer: Peer) -> CallError?

    /// Handles an event of the server that concerns the whole process.
    func noticed(_ event: ServerEvent)
}

/// An event of a server that concerns the whole process.
public enum ServerEvent: Sendable, Equatable {
    /// `accept` failed with `EMFILE` or `ENFILE`; sent once per episode, on the event loop.
    case descriptorShortage(errno: Int32)
    /// Many connections were closed, and their memory can be returned to the system. Not on the event loop.
    case connectionsReleased
}

extension VarlinkHandler {
    /// Never called by a handler that reads nothing itself.
    public func handle(read input: any Sendable, from peer: Peer, reply: ReplyHandle) {
        reply.fail(.methodNotImplemented(""))
    }

    /// Refuses with the error that is given.
    public func refuse(_ call: Call, with error: CallError, from peer: Peer, reply: ReplyHandle) {
        reply.fail(error)
    }

    /// Leaves every frame to the strict reader.
    public func read(_ frame: Span<UInt8>) -> (any Sendable)? { nil }

    /// Serves everybody whom the socket lets in.
    public func refusal(of peer: Peer) -> CallError? { nil }

    public func noticed(_ event: ServerEvent) {}
}

extension VarlinkHandler {
    /// Answers a call, of which the service may know the answer itself.
    func take(_ call: Call, of service: ServiceDescription, from peer: Peer, reply: ReplyHandle) {
        switch service.verdict(on: call) {
        case .answer(let parameters): reply.succeed(byteCount: parameters.count) { $0 += parameters }
        case .refusal(let error): refuse(call, with: error, from: peer, reply: reply)
        case .pass: handle(call, from: peer, reply: reply)
        }
    }
}
