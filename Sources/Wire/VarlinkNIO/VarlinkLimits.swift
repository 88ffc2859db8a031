public import Varlink

/// Resource limits of a server; the defaults match those of other implementations.
public struct VarlinkLimits: Sendable, Equatable {
    /// Maximum number of connections served at once.
    public var connectionsMax = 4_096
    /// Maximum number of connections served at once per user.
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
