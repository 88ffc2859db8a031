/// Resource limits of one connection; the defaults match those of other implementations.
public struct ConnectionLimits: Sendable, Equatable {
    /// Maximum size of a call in bytes, without its NUL; at this total size of unanswered calls, no further call is started.
    public var frameBytesMax = 1 << 20
    /// Maximum nesting depth of a call.
    public var depthMax = 64
    /// Maximum number of calls that are started and not answered; reading pauses at this limit.
    public var pipelinedCallsMax = 64
    /// Maximum number of bytes of calls that are parsed in one batch; a call that exceeds it is parsed on another thread.
    public var batchBytesMax = 1 << 15
    /// Maximum number of bytes that wait for the peer to read them.
    ///
    /// One reply may exceed it. Later replies are encoded only after the buffer has drained below it.
    public var outboundBytesMax = 1 << 20

    public init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }
}
