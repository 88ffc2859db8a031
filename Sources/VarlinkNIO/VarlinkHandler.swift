public import Varlink

/// What a service does with the calls of its own interfaces.
public protocol VarlinkHandler: Sendable {
    /// Starts a call, which fits the description of its method, and ends it now or later.
    ///
    /// On the event loop, one connection's calls in their order; must not block.
    func handle(_ call: Call, from peer: Peer, reply: ReplyHandle)

    /// The error that answers every call of a peer who may not be served, nil for one who may.
    ///
    /// Asked once for each connection; a refused one is closed after its first calls were answered.
    func refusal(of peer: Peer) -> CallError?
}

extension VarlinkHandler {
    /// Serves everybody whom the socket lets in.
    public func refusal(of peer: Peer) -> CallError? { nil }
}
