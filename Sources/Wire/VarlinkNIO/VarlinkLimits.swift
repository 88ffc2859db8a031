public import Varlink

/// What clients may ask of a server.
public struct VarlinkLimits: Sendable, Equatable {
    /// How many connections are served at once.
    public var connectionsMax: Int
    /// How many connections of one user are served at once.
    public var connectionsPerUserMax: Int
    /// What one connection may ask for.
    public var connection: ConnectionLimits
    /// How long a call may take to arrive whole, in seconds; also how long a connection that is refused has to make its call.
    public var halfFrameSecondsMax: Double
    /// How long a peer may leave bytes unread before its connection is closed, in seconds.
    public var stalledReaderSecondsMax: Double
    /// How many bytes all connections of one user may leave unread; above it, those that do not read are closed after a second.
    public var unreadBytesPerUserMax: Int

    /// Sets the limits; each has the default that other implementations use.
    public init(
        connectionsMax: Int = 4_096, connectionsPerUserMax: Int = 256, frameBytesMax: Int = 1 << 20, depthMax: Int = 64,
        pipelinedCallsMax: Int = 64, outboundBytesMax: Int = 1 << 20, halfFrameSecondsMax: Double = 10,
        stalledReaderSecondsMax: Double = 60, unreadBytesPerUserMax: Int = 16 << 20
    ) {
        self.connectionsMax = connectionsMax
        self.connectionsPerUserMax = connectionsPerUserMax
        connection = ConnectionLimits(
            frameBytesMax: frameBytesMax, depthMax: depthMax, pipelinedCallsMax: pipelinedCallsMax,
            outboundBytesMax: outboundBytesMax, startedBytesMax: frameBytesMax)
        self.halfFrameSecondsMax = halfFrameSecondsMax
        self.stalledReaderSecondsMax = stalledReaderSecondsMax
        self.unreadBytesPerUserMax = unreadBytesPerUserMax
    }
}
