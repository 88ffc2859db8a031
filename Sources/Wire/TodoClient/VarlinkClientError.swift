public import Varlink

/// Why a call has no answer that can be used.
public enum VarlinkClientError: Error, Sendable, Equatable {
    /// No service answers at the socket; the number is that of errno.
    case unreachable(Int32)
    /// Somebody may answer there whom the caller does not trust; a sentence that says who, and what to do.
    case untrusted(String)
    /// The service closed the connection.
    case closed
    /// No reply came in time.
    case timedOut
    /// What came is no reply of Varlink; says why.
    case notVarlink(String)
    /// The service answered with an error.
    case refused(CallError)
    /// The service answered something else than the interface says; a sentence that names the field.
    case unexpected(String)
}
