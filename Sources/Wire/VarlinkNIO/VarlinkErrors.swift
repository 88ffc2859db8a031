public import Varlink

/// The errors of a service that its server gives by itself, beside those of `org.varlink.service`.
public struct VarlinkErrors: Sendable, Equatable {
    /// There are too many connections, of all users or of this one.
    public var tooManyConnections: CallError
    /// A stream ends because the server stops.
    public var stopping: CallError
    /// A stream's body threw an error that is no ``CallError``.
    public var failed: CallError

    /// Names the errors, which belong in an interface of the service.
    public init(tooManyConnections: CallError, stopping: CallError, failed: CallError) {
        self.tooManyConnections = tooManyConnections
        self.stopping = stopping
        self.failed = failed
    }
}
