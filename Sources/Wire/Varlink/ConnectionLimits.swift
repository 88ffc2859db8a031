/// What one connection may ask for.
public struct ConnectionLimits: Sendable, Equatable {
    /// The largest call, in bytes without its NUL.
    public var frameBytesMax: Int
    /// How deep a call may be nested.
    public var depthMax: Int
    /// How many calls may be started and not answered; no more is read until one is.
    public var pipelinedCallsMax: Int
    /// How many bytes of calls may be started and not answered; one call may go beyond it.
    public var startedBytesMax: Int
    /// How many bytes of calls are read in one turn of the connection; a call that goes beyond it is read elsewhere.
    public var turnBytesMax: Int
    /// How many bytes may wait for the peer to read them.
    ///
    /// One reply may go beyond it, a second one is not encoded before there is room again.
    public var outboundBytesMax: Int

    /// Sets the limits; each has the default that other implementations use.
    public init(
        frameBytesMax: Int = 1 << 20, depthMax: Int = 64, pipelinedCallsMax: Int = 64, outboundBytesMax: Int = 1 << 20,
        startedBytesMax: Int = 1 << 20, turnBytesMax: Int = 1 << 15
    ) {
        self.frameBytesMax = frameBytesMax
        self.depthMax = depthMax
        self.pipelinedCallsMax = pipelinedCallsMax
        self.outboundBytesMax = outboundBytesMax
        self.startedBytesMax = startedBytesMax
        self.turnBytesMax = turnBytesMax
    }
}
